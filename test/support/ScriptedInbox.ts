import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type BotReply, BotUpdate } from "../../src/domain/account/BotConversation.ts"
import { ProviderOutcome } from "../../src/domain/ProviderOutcome.ts"
import {
  AccountProblem,
  type BotInbox,
  type UpdateBatch,
  type Webhook
} from "../../src/services/provider/ProviderAdapter.ts"
import { accountsOf } from "./RepeatableAccounts.ts"
import { makeCustomer } from "./TestGraph.ts"

type Batch = UpdateBatch | AccountProblem | Effect.Effect<UpdateBatch, AccountProblem>

export const nothing = (cursor: string | null): UpdateBatch => ({ updates: [], cursor })

export const problem = (isDefinite: boolean) => new AccountProblem({ message: "no", isDefinite })

const isUpdate = BotUpdate.$is

/** A platform that gives these batches one after the other, the last for all that follow, and takes every reply. */
export const scriptInbox = (...batches: ReadonlyArray<Batch>) => {
  const polls: Array<{ readonly cursor: string | null; readonly waitMillis: number; readonly at: number }> =
    []
  const announced: Array<Webhook & { readonly at: number }> = []
  const replies: Array<{ readonly chatId: string; readonly reply: BotReply }> = []
  const script = {
    announce: Effect.void as Effect.Effect<void, AccountProblem>,
    reply: Effect.succeed<ProviderOutcome>(ProviderOutcome.Accepted({ messageId: null }))
  }
  const inbox: BotInbox = {
    read: (posted) =>
      isUpdate("Spoke")(posted) || isUpdate("SharedContact")(posted) || isUpdate("Left")(posted)
        ? posted
        : null,
    secretHeader: "x-secret",
    announceWebhook: (webhook) =>
      Effect.gen(function* () {
        announced.push({ ...webhook, at: yield* Clock.currentTimeMillis })
        yield* script.announce
      }),
    poll: (cursor, waitMillis) =>
      Effect.gen(function* () {
        const batch = batches[Math.min(polls.length, batches.length - 1)] ?? nothing(cursor)
        polls.push({ cursor, waitMillis, at: yield* Clock.currentTimeMillis })
        if (batch instanceof AccountProblem) return yield* batch
        return Effect.isEffect(batch) ? yield* batch : batch
      }),
    reply: (chatId, reply) =>
      Effect.suspend(() => {
        replies.push({ chatId, reply })
        return script.reply
      })
  }
  return {
    inbox,
    script,
    polls,
    announced,
    replies,
    /** Each poll: at which second, from where on. */
    asked: () => polls.map(({ at, cursor }) => [at / 1000, cursor])
  }
}

/** An account that people write to, whose updates are due at once. */
export const makeInbox = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const customerId = yield* makeCustomer(["soroushplus"])
  const accountId = (yield* accountsOf(customerId))("soroushplus")
  yield* sql`
    with inbox as (
      insert into account_inboxes (account_id, subject) values (${accountId}, gen_random_uuid()) returning subject)
    insert into timers (customer_id, kind, subject, claimable_at)
    select ${customerId}::int, 'bot_updates', subject, 'epoch' from inbox`
  return accountId
})

/** The stored state of an account's inbox. */
export const inboxState = Effect.fnUntraced(function* (accountId: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    readonly cursor: string | null
    readonly due: Date
    readonly isLeased: boolean
  }>`
    select i.cursor, t.claimable_at as due, t.lease_token is not null as "isLeased"
    from account_inboxes i join timers t on t.subject = i.subject where i.account_id = ${accountId}`
  return row === undefined
    ? undefined
    : { cursor: row.cursor, dueAt: row.due.getTime(), isLeased: row.isLeased }
})
