import { Option, Schema } from "effect"
import { type BotReply, BotUpdate } from "../../../domain/account/BotConversation.ts"
import { bareNumber } from "../../../domain/text/PastedText.ts"
import { perhaps } from "../ProviderAnswers.ts"

/** This id distinguishes a press of the button from the same digits typed by hand. */
export const SHARE_BUTTON_ID = "share_phone"

const Update = Schema.Struct({
  type: Schema.String,
  chat_id: Schema.String,
  new_message: perhaps(Schema.Unknown)
})
/** Posted updates are wrapped, polled ones are not. */
const Posted = Schema.Union([Schema.Struct({ update: Update }), Update])

const Message = Schema.Struct({
  text: perhaps(Schema.String),
  sender_type: perhaps(Schema.String),
  aux_data: perhaps(Schema.Struct({ button_id: perhaps(Schema.String) })),
  contact_message: perhaps(Schema.Struct({ phone_number: Schema.Union([Schema.String, Schema.Finite]) })),
  forwarded_from: perhaps(Schema.Unknown),
  forwarded_no_link: perhaps(Schema.Unknown)
})
type Message = typeof Message.Type

const readPosted = Schema.decodeUnknownOption(Posted)
const readMessage = Schema.decodeUnknownOption(Message)

/** Chats of one person with the bot; others are groups (g0) and channels (c0). */
const isPrivate = (chatId: string): boolean => chatId.startsWith("b0")

const PHONE = /^\+?\d{10,15}$/

const isPressed = ({ aux_data }: Message): boolean => aux_data?.button_id === SHARE_BUTTON_ID

/** A contact card, or the text that a press of our button sends. */
const sharedPhone = (message: Message): string | null => {
  const { text, contact_message } = message
  if (contact_message) return String(contact_message.phone_number)
  const pressed = isPressed(message) ? bareNumber(text ?? "") : ""
  return PHONE.test(pressed) ? pressed : null
}

const isForwarded = ({ forwarded_from, forwarded_no_link }: Message): boolean =>
  [forwarded_from, forwarded_no_link].some(Boolean)

const readNewMessage = (chatId: string, message: Message, trustsContacts: boolean): BotUpdate | null => {
  if (message.sender_type === "Bot") return null
  const phone = sharedPhone(message)
  return phone === null
    ? BotUpdate.Spoke({ chatId })
    : BotUpdate.SharedContact({
        chatId,
        phone,
        // A card from the address book can be anyone's: only the button sends one's own.
        isOwn: trustsContacts && isPressed(message) && !isForwarded(message),
        isProven: false
      })
}

/** Rubika never proves the owner of a shared number: `trustsContacts` decides whether to trust it anyway. */
export const readRubikaUpdate =
  (trustsContacts: boolean) =>
  (posted: unknown): BotUpdate | null => {
    const found = Option.getOrNull(readPosted(posted))
    if (found === null) return null
    const { type, chat_id: chatId, new_message } = "update" in found ? found.update : found
    if (!isPrivate(chatId)) return null
    if (type === "StoppedBot") return BotUpdate.Left({ chatId })
    if (type === "StartedBot") return BotUpdate.Spoke({ chatId })
    if (type !== "NewMessage") return null
    return Option.match(readMessage(new_message), {
      onNone: () => null,
      onSome: (message) => readNewMessage(chatId, message, trustsContacts)
    })
  }

/** The button that shares one's phone number, or its removal, for sendMessage. */
export const keypadOf = ({ shareButton }: BotReply) =>
  shareButton === null
    ? { chat_keypad_type: "Remove" }
    : {
        chat_keypad: {
          rows: [{ buttons: [{ id: SHARE_BUTTON_ID, type: "AskMyPhoneNumber", button_text: shareButton }] }],
          resize_keyboard: true,
          on_time_keyboard: false
        },
        chat_keypad_type: "New"
      }
