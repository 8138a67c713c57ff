import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  ActivityFigures,
  FINAL_AFTER_MILLIS,
  SECONDS_CLASSES,
  SLOT_MILLIS,
  slotOf
} from "../../../domain/money/Activity.ts"
import { ActivitySums, type TimeSpan } from "../../../services/resources/activity/ActivityReports.ts"
import { InstantColumn, rowsOf, timestamp } from "../../postgres/SqlRows.ts"
import { ATTEMPT_COST } from "./AttemptCost.ts"
import { withinIds } from "../TimePages.ts"

const SlotRow = Schema.Struct({
  startsAt: InstantColumn,
  summedAt: Schema.NullOr(InstantColumn),
  isOpen: Schema.Boolean
})
const FiguresRow = Schema.Struct({ startsAt: InstantColumn, figures: Schema.Array(ActivityFigures) })

const REPORT_MILLIS = 86_400_000
const FINAL_AFTER = `interval '${FINAL_AFTER_MILLIS / 60_000} minutes'`
const SLOT = `interval '${SLOT_MILLIS / 60_000} minutes'`

export const ActivitySumsSql = Layer.effect(
  ActivitySums,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const slotRows = rowsOf(SlotRow)
    const figuresRows = rowsOf(FiguresRow)
    const slot = sql.literal(SLOT)
    const slotOfRow = sql.literal(`date_bin(${SLOT}, created_at, timestamptz '1970-01-01 00:00:00Z')`)

    /** A report may still arrive; after a day hardly any does. */
    const awaitsReport = (now: number) => sql`
      created_at > ${timestamp(now - REPORT_MILLIS)}::timestamptz and route @> '[{"reportsDelivery": true}]'
        and exists (select from jsonb_array_elements(attempts) a where a ->> 'status' = 'sent'
          and a -> 'delivery' is null and route -> (a ->> 'step')::int -> 'reportsDelivery' is not null)`

    /** Codes and messages as records of one form. */
    const records = (customerId: number, range: TimeSpan, now: number) => {
      const within = sql.and(withinIds(sql, ["created_at", "id"], { ...range, after: null }))
      return sql`
        select 'code' as kind, id, ${slotOfRow} as starts_at, route, attempts, captured, false as is_each_charged,
          extract(epoch from verified_at - created_at)::float8 as seconds,
          status in ('pending', 'queued') and expires_at > ${timestamp(now)}::timestamptz
            or ${awaitsReport(now)} as is_open
        from verifications where customer_id = ${customerId} and mode = 'live' and ${within}
        union all
        select 'message', id, ${slotOfRow}, route, attempts, captured, strategy = 'broadcast', null,
          completed_at is null or ${awaitsReport(now)}
        from messages where customer_id = ${customerId} and mode = 'live' and ${within}`
    }

    /** Of records that are gone, sums cannot be made again. */
    const firstRecord = (customerId: number) => sql`
      select least(
        (select created_at from verifications where customer_id = ${customerId} order by id limit 1),
        (select created_at from messages where customer_id = ${customerId} order by id limit 1)) as sent_at`

    /** A version that did not count what arrived summed the slot up, maybe while this one was being installed. */
    const lacksDelivered = sql`
      (jsonb_array_length(a.figures) > 0 and a.figures -> 0 -> 'delivered' is null and s >= first.sent_at) is true`

    return ActivitySums.of({
      unfinished: (customerId, { from, to }) =>
        slotRows(sql`
          select s as "startsAt", case when not ${lacksDelivered} then a.summed_at end as "summedAt",
            coalesce(a.is_open, true) as "isOpen"
          from customers c, generate_series(
              greatest(${timestamp(slotOf(from))}::timestamptz,
                date_bin(${slot}, c.created_at, timestamptz '1970-01-01 00:00:00Z')),
              ${timestamp(slotOf(to - 1))}::timestamptz, ${slot}) s
            left join activity_slots a on a.customer_id = ${customerId} and a.starts_at = s
            left join (${firstRecord(customerId)}) first on true
          where c.id = ${customerId} and (a.summed_at is null or a.is_open or ${lacksDelivered}
            or a.summed_at < s + ${sql.literal(FINAL_AFTER)})`),

      sumUp: (customerId, range, now) =>
        Effect.asVoid(
          Effect.orDie(sql`
            with record as materialized (${records(customerId, range, now)}),
            attempt as materialized (
              select r.kind, r.starts_at, r.id, r.route -> (a ->> 'step')::int ->> 'channel' as channel,
                case when n = jsonb_array_length(r.attempts) then r.seconds end as seconds,
                a ->> 'status' as status, a -> 'delivery' ->> 'status' as delivery,
                ${sql.literal(ATTEMPT_COST)} as cost
              from record r, jsonb_array_elements(r.attempts) with ordinality as attempt(a, n),
                lateral (select (r.route -> (a ->> 'step')::int ->> 'price')::bigint as price) priced),
            counted as (
              select kind, starts_at, null as channel, count(*) as accepted, count(seconds) as verified, 0 as sent,
                0 as failed, 0 as delivered, 0 as cost
              from record group by kind, starts_at
              union all
              select kind, starts_at, channel, count(distinct id), count(seconds), count(*) filter (where status = 'sent'),
                count(*) filter (where status = 'failed'), count(*) filter (where delivery = 'delivered'), sum(cost)
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
            summed as (
              select c.starts_at, jsonb_agg(jsonb_build_object('kind', c.kind, 'channel', c.channel,
                'accepted', c.accepted, 'verified', c.verified, 'sent', c.sent, 'failed', c.failed,
                'delivered', c.delivered, 'cost', c.cost, 'seconds', coalesce(t.seconds, '{}'))) as figures
              from counted c left join timed t on t.kind = c.kind and t.starts_at = c.starts_at
                and t.channel is not distinct from c.channel
              group by c.starts_at)
            insert into activity_slots as a (customer_id, starts_at, summed_at, is_open, figures)
            select ${customerId}, s, ${timestamp(now)}::timestamptz,
              exists (select from record r where r.starts_at = s and r.is_open), coalesce(summed.figures, '[]')
            from generate_series(${timestamp(range.from)}::timestamptz,
                ${timestamp(range.to - SLOT_MILLIS)}::timestamptz, ${slot}) s
              left join summed on summed.starts_at = s
            on conflict (customer_id, starts_at) do update set summed_at = excluded.summed_at,
              is_open = excluded.is_open, figures = excluded.figures
            where a.summed_at <= excluded.summed_at`)
        ),

      read: (customerId, { from, to }) =>
        figuresRows(sql`
          select starts_at as "startsAt", figures from activity_slots
          where customer_id = ${customerId} and starts_at >= ${timestamp(from)}::timestamptz
            and starts_at < ${timestamp(to)}::timestamptz
          order by starts_at`)
    })
  })
)
