import { Effect } from "effect"
import type { BotReply } from "../../../domain/account/BotConversation.ts"
import type {
  AccountProblem,
  BotInbox,
  UpdateBatch,
  Webhook
} from "../../../services/provider/ProviderAdapter.ts"
import { codeOf, isSuccess } from "./BotApiAnswers.ts"
import type { BotCalls } from "./BotApiCalls.ts"
import { readBatch, readBotUpdate } from "./BotApiUpdates.ts"

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
      Effect.flatMap(({ answer, status }) => {
        if (isSuccess(answer, { status }) && Array.isArray(answer.result)) {
          return Effect.succeed(readBatch(answer.result, cursor, read))
        }
        const hasWebhook = codeOf(answer, { status }) === 409 && !isOtherPoller(answer.description)
        return hasWebhook
          ? Effect.as(resultOf("deleteWebhook"), { updates: [], cursor })
          : Effect.fail(problemOf(answer, status))
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
