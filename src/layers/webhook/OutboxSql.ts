import { Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { SqlClient, Statement } from "effect/sql"
import type { Instant } from "../../domain/Instant.ts"
import type { KeyMode } from "../../domain/customer/Customer.ts"
import { ALERT_EVENTS } from "../../domain/alert/Alert.ts"
import { timestamp } from "../postgres/SqlRows.ts"
import { WEBHOOK_TIMER } from "./WebhookTimers.ts"

interface EventParts {
  /** Further parts of a `with` statement whose `changed c` is the changed row. */
  readonly parts: Statement.Fragment
  /** A column of it: how many webhooks are due now. */
  readonly webhooks: Statement.Fragment
}

/**
 * A further part of a statement with the part `delivery d`, rows of deliveries: the timer of each, due now. A timer
 * that a process works on keeps its lease.
 */
export const webhookTimers = (
  sql: SqlClient.SqlClient,
  customerId: number,
  now: Instant
) => sql`, webhook as (
  insert into timers as t (customer_id, kind, subject, lane, claimable_at)
  select w.customer_id, ${WEBHOOK_TIMER}, d.event_id, w.lane, ${timestamp(now)}::timestamptz
  from delivery d join webhook_endpoints w on w.customer_id = ${customerId} and w.id = d.endpoint_id
  on conflict (customer_id, kind, subject, lane) do update set claimable_at = excluded.claimable_at
  where t.lease_token is null
  returning true)`

/** Whether an endpoint `w` wants events of this type: for changes, which are no alerts. */
const isWanted = (sql: SqlClient.SqlClient, type: Statement.Fragment) =>
  sql`(w.events @> array[${type}] or w.events @> array['*'])`

/** Whether an endpoint `w` takes the event `e` of any kind: an alert only if it names it, and it is not about itself. */
export const TAKES = `(w.events @> array[e.type]
      or w.events @> array[case when e.type like 'alert.%' then '${ALERT_EVENTS}' else '*' end])
      and not (e.type like 'alert.webhook\\_%' and e.data #>> '{subject,id}' = w.id::text)`

const none = (sql: SqlClient.SqlClient): EventParts => ({ parts: sql``, webhooks: sql`0` })

interface EventOf {
  readonly mode: KeyMode
  /** The changing part of the subject that an event stores; the rest is joined at delivery. */
  readonly snapshot: Statement.Fragment
}

/** Writes events with their change, and their deliveries to the customer's endpoints that want them. */
const announced = (
  sql: SqlClient.SqlClient,
  customerId: number,
  { mode, snapshot }: EventOf,
  now: Instant,
  /** Its columns are `id, type, nth`; it can refer to `c`. */
  source: Statement.Fragment,
  count: Statement.Fragment
): EventParts => ({
  parts: sql`, event as (
      insert into events (customer_id, id, type, subject, sequence, data, occurred_at, mode)
      select c.customer_id, e.id, e.type, c.id, c.events_written - ${count} + e.nth, ${snapshot}, ${timestamp(now)},
        ${mode}
      from changed c, ${source}
      returning customer_id, id, type, mode),
    delivery as (
      insert into webhook_deliveries (customer_id, endpoint_id, event_id, status, created_at, next_try_at)
      select e.customer_id, w.id, e.id, 'pending', ${timestamp(now)}::timestamptz, ${timestamp(now)}::timestamptz
      from event e join webhook_endpoints w on w.customer_id = ${customerId} and w.disabled_at is null
        and w.mode = e.mode and ${isWanted(sql, sql`e.type`)}
      returning endpoint_id, event_id)
    ${webhookTimers(sql, customerId, now)}`,
  webhooks: sql`(select count(*)::int from webhook)`
})

/** The outbox of one kind of resource. Its `events_written` already includes the number of the events. */
export const outbox = (
  sql: SqlClient.SqlClient,
  random: SecureRandom.SecureRandom["Service"],
  of: EventOf
) => ({
  write: (customerId: number, types: ReadonlyArray<string>, now: Instant): Effect.Effect<EventParts> =>
    types.length === 0
      ? Effect.succeed(none(sql))
      : Effect.map(
          Effect.forEach(types, () => random.uuidV7()),
          (ids) =>
            announced(
              sql,
              customerId,
              of,
              now,
              sql`unnest(${ids}::uuid[], ${types}::text[]) with ordinality as e (id, type, nth)`,
              sql`${ids.length}`
            )
        )
})
