import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { BotInboxStore } from "../services/BotInboxStore.ts"
import type { TimerKind } from "../services/Timers.ts"
import { first, rowsOf, timestamp } from "./SqlRows.ts"

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

      moveOn: ({ customerId, subject, leaseToken }, cursor, dueAt) =>
        Effect.orDie(
          Effect.asVoid(sql`
            with moved as (
              update timers set claimable_at = ${timestamp(dueAt)}, lease_token = null
              where customer_id = ${customerId} and kind = ${TIMER_KIND} and subject = ${subject}::uuid
                and lease_token = ${leaseToken}::uuid
              returning subject)
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
