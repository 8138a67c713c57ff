import { Option, Schema, SchemaTransformation } from "effect"
import { BotUpdate } from "../../../domain/account/BotConversation.ts"
import type { UpdateBatch } from "../../../services/provider/ProviderAdapter.ts"
import { perhaps } from "../ProviderAnswers.ts"

/** Ids are strings: some are too long for a number, and they can come in either form. */
const Id = Schema.Union([Schema.Int, Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,100}$/))]).pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform<string, number | string>({ decode: String, encode: (id) => id })
  )
)

const inChat = {
  chat: Schema.Struct({ id: Id, type: perhaps(Schema.String) }),
  from: perhaps(Schema.Struct({ id: Id }))
}
type InChat = Schema.Struct.Type<typeof inChat>

const Message = Schema.Struct({
  ...inChat,
  forward_origin: perhaps(Schema.Unknown),
  forward_from: perhaps(Schema.Unknown),
  forward_date: perhaps(Schema.Unknown),
  contact: perhaps(
    Schema.Struct({ phone_number: Schema.Union([Schema.String, Schema.Int]), user_id: perhaps(Id) })
  )
})

const Membership = Schema.Struct({
  ...inChat,
  new_chat_member: Schema.Struct({ status: Schema.String })
})

const readUpdate = Schema.decodeUnknownOption(
  Schema.Struct({ message: perhaps(Message), my_chat_member: perhaps(Membership) })
)

/** A chat with one person. If its type is missing, that person's chat has their own id. */
const isPrivate = ({ chat, from }: InChat): boolean =>
  typeof chat.type === "string" ? chat.type === "private" : chat.id === from?.id

const isForwarded = ({ forward_origin, forward_from, forward_date }: typeof Message.Type): boolean =>
  [forward_origin, forward_from, forward_date].some(Boolean)

const ofMessage = (message: typeof Message.Type, trustsContacts: boolean): BotUpdate => {
  const { chat, from, contact } = message
  const chatId = chat.id
  if (contact === undefined || contact === null) return BotUpdate.Spoke({ chatId })
  const phone = String(contact.phone_number)
  // A contact that names another person is theirs, even for a trusted account; a forwarded one can be anyone's.
  if (typeof contact.user_id === "string") {
    return BotUpdate.SharedContact({ chatId, phone, isOwn: contact.user_id === from?.id, isProven: true })
  }
  const isOwn = trustsContacts && !isForwarded(message)
  return BotUpdate.SharedContact({ chatId, phone, isOwn, isProven: false })
}

const ofMembership = ({ chat, new_chat_member }: typeof Membership.Type): BotUpdate | null =>
  ["kicked", "left"].includes(new_chat_member.status) ? BotUpdate.Left({ chatId: chat.id }) : null

/** The action of a person in their own chat with the bot; null for groups, other updates and unreadable ones. */
export const readBotUpdate =
  (trustsContacts: boolean) =>
  (posted: unknown): BotUpdate | null => {
    const { message, my_chat_member } = Option.getOrElse(readUpdate(posted), () => ({
      message: null,
      my_chat_member: null
    }))
    if (message && isPrivate(message)) return ofMessage(message, trustsContacts)
    if (my_chat_member && isPrivate(my_chat_member)) return ofMembership(my_chat_member)
    return null
  }

const readNumbered = Schema.decodeUnknownOption(Schema.Struct({ update_id: Schema.Int }))

/** The updates of one response; the next ones begin after the last of these, readable or not. */
export const readBatch = (
  posted: ReadonlyArray<unknown>,
  cursor: string | null,
  read: (update: unknown) => BotUpdate | null
): UpdateBatch => {
  const numbers = posted.flatMap((update) =>
    Option.toArray(Option.map(readNumbered(update), ({ update_id }) => update_id))
  )
  return {
    updates: posted.map(read).filter((update) => update !== null),
    cursor: numbers.length === 0 ? cursor : String(Math.max(...numbers) + 1)
  }
}
