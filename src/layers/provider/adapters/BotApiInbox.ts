import { Effect, Option, Schema, SchemaTransformation } from "effect"
import { type BotReply, BotUpdate } from "../../../domain/account/BotConversation.ts"
import { perhaps } from "../ProviderResponses.ts"
import { type BotCalls, codeOf, isSuccess } from "./BotApiCalls.ts"
import type {
  AccountProblem,
  BotInbox,
  UpdateBatch,
  Webhook
} from "../../../services/provider/ProviderAdapter.ts"

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
const readBotUpdate =
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
const readBatch = (
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

/** The differences between platforms in what they report to bots. */
export interface InboxTraits {
  /** The header that repeats the secret of a webhook; null: none does. */
  readonly secretHeader: string | null
  /** The kinds of updates to request; null: the platform has no such option. */
  readonly allowedUpdates: ReadonlyArray<string> | null
}

const POLL_LIMIT = 100
/** How much longer than the requested wait a platform can take to respond. */
const POLL_GRACE_MILLIS = 10_000

const keyboardOf = (shareButton: BotReply["shareButton"]) =>
  shareButton === null
    ? { remove_keyboard: true }
    : {
        keyboard: [[{ text: shareButton, request_contact: true }]],
        resize_keyboard: true,
        one_time_keyboard: true
      }

/** A batch of long messages can exceed the response limit. */
const isTooLarge = ({ message }: AccountProblem): boolean => message.includes("exceeded max size")

/** A second poller is also a conflict, but deleting the webhook does not end it. */
const isOtherPoller = (description: string | null | undefined): boolean =>
  /terminated by other/i.test(description ?? "")

export const botInbox = (
  { askFor, problemOf, resultOf, sendMessage }: BotCalls,
  { secretHeader, allowedUpdates }: InboxTraits,
  trustsContacts: boolean
): BotInbox => {
  const kinds = allowedUpdates === null ? {} : { allowed_updates: allowedUpdates }
  const read = readBotUpdate(trustsContacts)

  const fetch = (
    cursor: string | null,
    waitMillis: number,
    limit: number
  ): Effect.Effect<UpdateBatch, AccountProblem> =>
    askFor(
      "getUpdates",
      {
        ...(cursor !== null && { offset: Number(cursor) }),
        limit,
        timeout: Math.floor(waitMillis / 1000),
        ...kinds
      },
      { timeoutMillis: waitMillis + POLL_GRACE_MILLIS }
    ).pipe(
      Effect.flatMap(({ response, status }) => {
        if (isSuccess(response, { status }) && Array.isArray(response.result)) {
          return Effect.succeed(readBatch(response.result, cursor, read))
        }
        const hasWebhook = codeOf(response, { status }) === 409 && !isOtherPoller(response.description)
        return hasWebhook
          ? Effect.as(resultOf("deleteWebhook"), { updates: [], cursor })
          : Effect.fail(problemOf(response, status))
      })
    )

  return {
    read,
    secretHeader,
    announceWebhook: ({ url, secret }: Webhook) =>
      Effect.asVoid(
        resultOf("setWebhook", {
          url,
          ...(secretHeader !== null && { secret_token: secret }),
          ...kinds
        })
      ),
    poll: (cursor, waitMillis) =>
      Effect.catchIf(fetch(cursor, waitMillis, POLL_LIMIT), isTooLarge, () => fetch(cursor, waitMillis, 1)),
    reply: (chatId, { text, shareButton }) =>
      sendMessage(chatId, text, {
        extras: { reply_markup: keyboardOf(shareButton) },
        isBackground: true
      })
  }
}
