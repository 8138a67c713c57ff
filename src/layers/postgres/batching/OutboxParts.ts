import type { KeyMode } from "../../../domain/people/Customer.ts"

/** Further parts of a batch's `with` statement, and an expression: how many webhooks are due now. */
export interface OutboxParts {
  readonly parts: string
  readonly webhooks: string
}

/** SQL over `c`, for one event that a row may have. */
export interface EventSource {
  readonly type: string
  readonly id: string
}

const place = (
  index: number,
  mode: KeyMode
): string => `select t.customer_id, t.id_${index}, t.type_${index}, t.id,
  t.before + ${index + 1}, t.data, t.now, '${mode}' from reported t where t.event_count > ${index}`

/**
 * The outbox of a batch whose `changed c` has `event_count` and `now` besides a row's columns, and whose
 * `events_written` has been raised already.
 *
 * @param sources the first event that a row may have, the second and so on, as many as any row has
 * @param snapshot the changing part of `c` that an event stores
 */
export const outboxParts = (
  mode: KeyMode,
  sources: ReadonlyArray<EventSource>,
  snapshot: string
): OutboxParts =>
  sources.length > 0
    ? {
        parts: `, reported as materialized (
          select c.customer_id, c.id, c.now, c.event_count, c.events_written - c.event_count as before,
            ${sources.map(({ type, id }, index) => `${type} as type_${index}, ${id} as id_${index}`).join(", ")},
            ${snapshot} as data
          from changed c where c.event_count > 0),
        event as (
          insert into events (customer_id, id, type, subject, sequence, data, occurred_at, mode)
          ${sources.map((_, index) => place(index, mode)).join(" union all ")}
          returning customer_id, id, type, occurred_at),
        wanted as materialized (
          select e.customer_id, e.id, e.occurred_at, w.id as endpoint_id, w.lane
          from event e join webhook_endpoints w on w.customer_id = e.customer_id and w.disabled_at is null
            and w.mode = '${mode}' and (w.events @> array[e.type] or w.events @> array['*'])),
        delivery as (
          insert into webhook_deliveries (customer_id, endpoint_id, event_id, status, created_at, next_try_at)
          select customer_id, endpoint_id, id, 'pending', occurred_at, occurred_at from wanted),
        webhook as (
          insert into timers as t (customer_id, kind, subject, lane, claimable_at)
          select customer_id, 'webhook', id, lane, occurred_at from wanted
          on conflict (customer_id, kind, subject, lane) do update set claimable_at = excluded.claimable_at
          where t.lease_token is null
          returning true)`,
        webhooks: "(select count(*)::int from webhook)"
      }
    : { parts: "", webhooks: "0" }
