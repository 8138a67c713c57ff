import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { BotInboxStore } from "../../services/account/BotInboxStore.ts"
import type { TimerKind } from "../../domain/Timer.ts"
import { first, rowsOf, timestamp } from "../postgres/SqlRows.ts"

const TIMER_KIND: TimerKind = "bot_updates"

const InboxRow = Schema.Struct({
  accountId: Schema.Int,
  cursor: Schema.NullOr(Schema.String),
  generation: Schema.Int
})

export const BotInboxStoreSql = Layer.effect(
  BotInboxStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const inboxRows = rowsOf(InboxRow)
    const columns = sql.literal(`i.account_id as "accountId", i.cursor, i.generation`)
    return BotInboxStore.of({
      find: (accountId) =>
        first(inboxRows(sql`select ${columns} from account_inboxes i where i.account_id = ${accountId}`)),

      loadLeased: ({ customerId, subject, leaseToken }) =>
        first(
          inboxRows(sql`
            select ${columns} from timers t join account_inboxes i on i.subject = t.subject
            where t.customer_id = ${customerId} and t.kind = ${TIMER_KIND} and t.subject = ${subject}::uuid
              and t.lease_token = ${leaseToken}::uuid`)
        ),

      moveOn: ({ customerId, subject, leaseToken }, { cursor, generation }, dueAt, now) =>
        Effect.orDie(
          Effect.asVoid(sql`
            with moved as (
              update timers t set lease_token = null, claimable_at = case
                when i.generation = ${generation} then ${timestamp(dueAt)}::timestamptz else ${timestamp(now)} end
              from account_inboxes i
              where t.customer_id = ${customerId} and t.kind = ${TIMER_KIND} and t.subject = ${subject}::uuid
                and t.lease_token = ${leaseToken}::uuid and i.subject = t.subject
              returning t.subject)
            update account_inboxes i set cursor = ${cursor} from moved m where i.subject = m.subject`)
        ),

      wakeAll: (now) =>
        Effect.orDie(
          Effect.asVoid(sql`
            update timers set claimable_at = ${timestamp(now)}
            where kind = ${TIMER_KIND} and lease_token is null and claimable_at > ${timestamp(now)}`)
        )
    })
  })
)
