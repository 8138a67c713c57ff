/** Further parts of a batch's `with` statement, and an expression: how many webhooks are due now. */
export interface OutboxParts {
  readonly parts: string
  readonly webhooks: string
}

/**
 * The outbox of a batch of verifications whose `changed c` has `event_count` and `now` besides a row's columns, and whose
 * `events_written` has been raised already. Where nothing is announced, nothing is written.
 *
 * @param types SQL over `c`: a text[]
 * @param ids SQL over `c`: a uuid[], one for each type
 */
export const outboxParts = (announces: boolean, types: string, ids: string): OutboxParts =>
  announces
    ? {
        parts: `, told as materialized (
          select c.customer_id, c.id, c.now, c.events_written - c.event_count as before, ${types} as types, ${ids} as ids,
            jsonb_build_object('status', c.status, 'attempts', c.attempts, 'next_step_at', c.next_step_at,
              'verified_at', c.verified_at) as data
          from changed c where c.event_count > 0),
        event as (
          insert into events (customer_id, id, type, subject, sequence, data, occurred_at)
          select t.customer_id, e.id, e.type, t.id, t.before + e.place, t.data, t.now
          from told t, unnest(t.types, t.ids) with ordinality as e (type, id, place)
          returning customer_id, id, type, occurred_at),
        delivery as (
          insert into webhook_deliveries (customer_id, endpoint_id, event_id, status, created_at, next_try_at)
          select e.customer_id, w.id, e.id, 'pending', e.occurred_at, e.occurred_at
          from event e join webhook_endpoints w on w.customer_id = e.customer_id and w.disabled_at is null
            and (w.events @> array[e.type] or w.events @> array['*'])
          returning customer_id, endpoint_id, event_id, created_at),
        webhook as (
          insert into timers as t (customer_id, kind, subject, lane, claimable_at)
          select d.customer_id, 'webhook', d.event_id, w.lane, d.created_at
          from delivery d join webhook_endpoints w on w.customer_id = d.customer_id and w.id = d.endpoint_id
          on conflict (customer_id, kind, subject, lane) do update set claimable_at = excluded.claimable_at
          where t.lease_token is null
          returning true)`,
        webhooks: "(select count(*)::int from webhook)"
      }
    : { parts: "", webhooks: "0" }
