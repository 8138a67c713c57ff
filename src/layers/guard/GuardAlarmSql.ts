import { Effect, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { SqlClient } from "effect/sql"
import type { Alarm } from "../../domain/guard/Alarm.ts"
import type { Instant } from "../../domain/Instant.ts"
import { decodedAs, timestamp } from "../postgres/SqlRows.ts"
import { outbox } from "../webhook/OutboxSql.ts"

const WebhooksRow = Schema.Struct({ webhooks: Schema.Int })
const RaisedRow = Schema.Struct({ ...WebhooksRow.fields, raised: Schema.Boolean })

/** The fields of an alarm `c` that its event stores. */
const SNAPSHOT = `jsonb_build_object('kind', c.kind, 'key', c.key, 'reason', c.reason, 'level', c.level,
  'action', c.action, 'enforced', c.enforced, 'started_at', c.started_at, 'until', c.until,
  'cleared_at', c.cleared_at, 'codes', c.codes, 'verified', c.verified)`

/** Raises and clears alarms, each with its event. Both return how many webhooks are due now. */
export const guardAlarms = (sql: SqlClient.SqlClient, random: SecureRandom.SecureRandom["Service"]) => {
  const rows = decodedAs(Schema.Array(WebhooksRow))
  const events = outbox(sql, random, { mode: "live", snapshot: sql.literal(SNAPSHOT) })
  const raisedRows = decodedAs(Schema.Array(RaisedRow))
  const raise = Effect.fnUntraced(function* (customerId: number, alarm: Alarm, enforced: boolean) {
    const { kind, key, reason, level, action, startedAt, until, codes, verified } = alarm
    const id = yield* random.uuidV7()
    const event = yield* events.write(customerId, ["guard.alarm"], startedAt)
    const [row] = yield* raisedRows(sql`
      with changed as (
        insert into guard_alarms (customer_id, id, kind, key, reason, level, action, enforced, started_at, until,
          codes, verified, events_written)
        values (${customerId}, ${id}::uuid, ${kind}, ${key}, ${reason}, ${level}, ${action}, ${enforced},
          ${timestamp(startedAt)}, ${timestamp(until)}, ${codes}, ${verified}, 1)
        on conflict (customer_id, kind, key, reason) where cleared_at is null do nothing
        returning *)
      ${event.parts}
      select ${event.webhooks} as webhooks, exists (select from changed) as raised`)
    return row ?? { webhooks: 0, raised: false }
  })

  const clear = Effect.fnUntraced(function* (customerId: number, id: string, now: Instant) {
    const event = yield* events.write(customerId, ["guard.cleared"], now)
    const [row] = yield* rows(sql`
      with changed as (
        update guard_alarms set cleared_at = ${timestamp(now)}, events_written = events_written + 1
        where customer_id = ${customerId} and id = ${id}::uuid and cleared_at is null
        returning *)
      ${event.parts}
      select ${event.webhooks} as webhooks`)
    return row?.webhooks ?? 0
  })

  return { raise, clear }
}
