import { Effect, Option, Redacted, Schema } from "effect"
import { type BotReply, BotUpdate } from "../../../domain/account/BotConversation.ts"
import { inWords, type ProviderOutcome } from "../../../domain/ProviderOutcome.ts"
import { bareNumber } from "../../../domain/text/PastedText.ts"
import { Credential, ReceivesUpdates } from "../AccountSettings.ts"
import { fieldOf, idOf, maybeAnything, maybeWords, wordsIn } from "../LenientResponses.ts"
import { isRecipientLost, outcomeOfStatus, ownValue, perhaps, providerWords } from "../ProviderResponses.ts"
import type { ProviderResponse, ProviderHttp } from "../ProviderHttp.ts"
import {
  accepted,
  adapter,
  byCode,
  connectionTo,
  contactLost,
  jsonCalls,
  rejected,
  throttled
} from "./AdapterKit.ts"
import { problemWith } from "./AdapterKit.ts"
import type {
  AccountProblem,
  Addressed,
  ProviderAdapter,
  Webhook
} from "../../../services/provider/ProviderAdapter.ts"
import type { TextDelivery } from "../../../services/provider/Providers.ts"

/** Every answer; the data is read once the status is known. */
const ResponseBody = Schema.Struct({ status: Schema.String, dev_message: maybeWords, data: maybeAnything })

type Failure = Pick<typeof ResponseBody.Type, "status" | "dev_message">

const isOk = (status: string): boolean => /^\s*ok\s*$/i.test(status)

const isSuccess = (response: Failure, httpStatus: number): boolean =>
  isOk(response.status) && httpStatus < 300

/** The cause that each known status means. */
const causes = byCode({
  configuration: ["INVALID_ACCESS", "INVALID_AUTH", "NOT_REGISTERED"],
  request: ["INVALID_INPUT"]
})

/** Whether HTTP's status is about the account or the service, whatever the body says. */
const isTelling = (status: number): boolean => [401, 403, 408, 425, 429].includes(status) || status >= 500

/** No list of statuses is published: an unknown one is a refusal, unless the HTTP status says otherwise. */
const failureOf = ({ status, dev_message }: Failure, received: ProviderResponse): ProviderOutcome => {
  const providerError = providerWords(status, dev_message)
  if (status === "TOO_REQUESTS") return throttled(received.retryAfterMillis, providerError)
  const byStatus = outcomeOfStatus(received)
  if (isTelling(received.status)) return inWords(byStatus, () => providerError)
  const cause = ownValue(causes, status)
  if (cause !== undefined) return rejected(cause, providerError)
  const isRedirect = received.status >= 300 && received.status < 400
  if (isRedirect || isOk(status)) return inWords(byStatus, () => providerError)
  return isRecipientLost(providerError) ? contactLost(providerError) : rejected("request", providerError)
}

/** A success counts even if its id cannot be read. */
const classify = (response: typeof ResponseBody.Type, received: ProviderResponse): ProviderOutcome =>
  isSuccess(response, received.status)
    ? accepted(idOf(fieldOf(response.data, "message_id")))
    : failureOf(response, received)

const orProblem = <A extends Failure>({
  response,
  status
}: {
  readonly response: A
  readonly status: number
}) =>
  isSuccess(response, status)
    ? Effect.succeed(response)
    : Effect.fail(
        problemWith(
          providerWords(response.status, response.dev_message),
          failureOf(response, { status, retryAfterMillis: null, json: response })._tag === "Rejected"
        )
      )

/** This id distinguishes a press of the button from the same digits typed by hand. */
const SHARE_BUTTON_ID = "share_phone"

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
const readRubikaUpdate =
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
const keypadOf = ({ shareButton }: BotReply) =>
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

const RubikaSettings = Schema.Struct({
  token: Credential,
  trust_contacts: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "Whether a number shared by the bot's button is the sender's own: Rubika shows no owner."
  }),
  ...ReceivesUpdates
})

const MAX_TEXT_LENGTH = 4000
const MAX_UPDATES = 100

const tooLong = rejected("request", `not sent: the text is longer than ${MAX_TEXT_LENGTH} characters`)
const noChat = rejected("recipient", "not sent: this phone has no chat with the bot")

/** The updates of a response; fails if it has something else in their place. */
const updatesIn = (data: unknown): Effect.Effect<ReadonlyArray<unknown>, AccountProblem> => {
  const updates = fieldOf(data, "updates") ?? []
  return Array.isArray(updates)
    ? Effect.succeed(updates)
    : Effect.fail(problemWith("updates that are no list", false))
}

interface SendOptions {
  readonly keypad?: Readonly<Record<string, unknown>>
  readonly isBackground?: boolean
}

/** A bot of Rubika. Sources: rubika.ir/botapi, and the code of its clients. */
export const rubikaBotAdapter = (http: ProviderHttp["Service"], baseUrl: string): ProviderAdapter =>
  adapter({ name: "rubika_bot", channels: ["rubika"], settings: RubikaSettings }, (account) => {
    const { token, trust_contacts = false, receives_updates = true } = account
    const calls = jsonCalls(http, `${baseUrl}/${encodeURIComponent(token)}`, {}, ResponseBody)
    /** A platform can repeat the address that was called. */
    const withoutToken = (words: string): string => words.replaceAll(token, "•••")
    const request = (method: string, body: Readonly<Record<string, unknown>>) =>
      calls.query(`/${method}`, body).pipe(
        Effect.flatMap(orProblem),
        Effect.mapError(({ message, isDefinite }) => problemWith(withoutToken(message), isDefinite))
      )
    const sendMessage = (
      chatId: string,
      text: string,
      { keypad = {}, isBackground = false }: SendOptions = {}
    ) =>
      text.length > MAX_TEXT_LENGTH
        ? Effect.succeed(tooLong)
        : Effect.map(
            calls.send("/sendMessage", { chat_id: chatId, text, ...keypad }, classify, { isBackground }),
            (outcome) => inWords(outcome, withoutToken)
          )
    const sendText = ({ chatId, text }: Addressed<TextDelivery>) =>
      chatId === null ? Effect.succeed(noChat) : sendMessage(chatId, Redacted.value(text))
    const read = readRubikaUpdate(trust_contacts)
    const inbox = {
      read,
      secretHeader: null,
      announceWebhook: ({ url }: Webhook) =>
        Effect.asVoid(request("updateBotEndpoints", { url, type: "ReceiveUpdate" })),
      // Long polling is undocumented: Rubika responds at once, and the caller waits between calls.
      poll: Effect.fnUntraced(function* (cursor: string | null) {
        const offset = cursor === null ? {} : { offset_id: cursor }
        const { data } = yield* request("getUpdates", { limit: MAX_UPDATES, ...offset })
        return {
          updates: (yield* updatesIn(data)).map(read).filter((update) => update !== null),
          cursor: idOf(fieldOf(data, "next_offset_id")) ?? cursor
        }
      }),
      reply: (chatId: string, reply: BotReply) =>
        sendMessage(chatId, reply.text, { keypad: keypadOf(reply), isBackground: true })
    }
    return connectionTo(baseUrl, {
      traits: { needsContact: true },
      sendCode: sendText,
      sendText,
      check: Effect.map(request("getMe", {}), ({ data }) => {
        const username = wordsIn(fieldOf(fieldOf(data, "bot"), "username"))
        return username === null ? "bot without a username" : `bot @${username}`
      }),
      inbox: receives_updates ? inbox : null
    })
  })
