import type { SqlClient } from "effect/sql"
import { DAY_MILLIS, type Instant, MINUTE_MILLIS } from "../../../domain/Instant.ts"
import { SECONDS_CLASSES, SLOT_MILLIS } from "../../../domain/activity/Activity.ts"
import type { TimeSpan } from "../../../domain/Paging.ts"
import { timestamp } from "../../postgres/SqlRows.ts"
import { SHOWN_ATTEMPTS } from "../../verification/VerificationRow.ts"
import { withinIds } from "../TimePages.ts"
import { ATTEMPT_COST } from "./AttemptCost.ts"

const REPORT_MILLIS = DAY_MILLIS
export const SLOT = `interval '${SLOT_MILLIS / MINUTE_MILLIS} minutes'`

/**
 * The parts of a statement that sum up a customer's sends of this time: `record`, and `summed` with the figures of each
 * slot that has any. It reads each of the records.
 */
export const summedUp = (sql: SqlClient.SqlClient, customerId: number, span: TimeSpan, now: Instant) => {
  const within = sql.and(withinIds(sql, ["created_at", "id"], { ...span, after: null }))
  const slotOfRow = sql.literal(`date_bin(${SLOT}, created_at, timestamptz '1970-01-01 00:00:00Z')`)

  /** A report may still arrive; after a day hardly any does. */
  const awaitsReport = sql`
      created_at > ${timestamp(now - REPORT_MILLIS)}::timestamptz and route @> '[{"reportsDelivery": true}]'
        and exists (select from jsonb_array_elements(attempts) a where a ->> 'status' = 'sent'
          and a -> 'delivery' is null and route -> (a ->> 'step')::int -> 'reportsDelivery' is not null)`

  return sql`
    record as materialized (
      select 'code' as kind, id, ${slotOfRow} as starts_at, route, ${sql.literal(SHOWN_ATTEMPTS)} as attempts, captured,
        false as is_each_charged,
        extract(epoch from verified_at - created_at)::float8 as seconds,
        status in ('pending', 'queued') and expires_at > ${timestamp(now)}::timestamptz or ${awaitsReport} as is_open
      from verifications where customer_id = ${customerId} and mode = 'live' and ${within}
      union all
      select 'message', id, ${slotOfRow}, route, attempts, captured, strategy = 'broadcast', null,
        completed_at is null or ${awaitsReport}
      from messages where customer_id = ${customerId} and mode = 'live' and ${within}),
    attempt as materialized (
      select r.kind, r.starts_at, r.id, r.route -> (a ->> 'step')::int ->> 'channel' as channel,
        case when n = jsonb_array_length(r.attempts) then r.seconds end as seconds,
        a ->> 'status' as status, a ->> 'error_code' as error_code, a -> 'delivery' ->> 'status' as delivery,
        ${sql.literal(ATTEMPT_COST)} as cost
      from record r, jsonb_array_elements(r.attempts) with ordinality as attempt(a, n),
        lateral (select (r.route -> (a ->> 'step')::int ->> 'price')::bigint as price) priced),
    counted as (
      select kind, starts_at, null as channel, count(*) as accepted, count(seconds) as verified, 0 as sent,
        0 as failed, 0 as delivered, 0 as undelivered, 0 as cost
      from record group by kind, starts_at
      union all
      select kind, starts_at, channel, count(distinct id), count(seconds), count(*) filter (where status = 'sent'),
        count(*) filter (where status = 'failed'), count(*) filter (where delivery = 'delivered'),
        count(*) filter (where delivery = 'undelivered'), sum(cost)
      from attempt group by kind, starts_at, channel),
    timed as (
      select kind, starts_at, channel, jsonb_object_agg(class, times) as seconds from (
        select kind, starts_at, channel, width_bucket(seconds, ${[...SECONDS_CLASSES]}::float8[]) as class,
          count(*) as times
        from (
          select kind, starts_at, null as channel, seconds from record
          union all select kind, starts_at, channel, seconds from attempt) each
        where seconds is not null group by 1, 2, 3, 4) classed
      group by kind, starts_at, channel),
    erred as (
      select kind, starts_at, channel, jsonb_object_agg(error_code, times) as errors from (
        select kind, starts_at, channel, error_code, count(*) as times from attempt
        where status = 'failed' and error_code is not null group by 1, 2, 3, 4) each
      group by kind, starts_at, channel),
    summed as (
      select c.starts_at, jsonb_agg(jsonb_build_object('kind', c.kind, 'channel', c.channel,
        'accepted', c.accepted, 'verified', c.verified, 'sent', c.sent, 'failed', c.failed,
        'delivered', c.delivered, 'undelivered', c.undelivered, 'cost', c.cost,
        'seconds', coalesce(t.seconds, '{}'), 'errors', coalesce(e.errors, '{}'))) as figures
      from counted c
        left join timed t on t.kind = c.kind and t.starts_at = c.starts_at and t.channel is not distinct from c.channel
        left join erred e on e.kind = c.kind and e.starts_at = c.starts_at and e.channel = c.channel
      group by c.starts_at)`
}
