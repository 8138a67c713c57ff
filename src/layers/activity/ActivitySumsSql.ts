import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DAY_MILLIS, type Instant, MINUTE_MILLIS } from "../../domain/Instant.ts"
import { lowestIdFrom, type TimeSpan } from "../../domain/Paging.ts"
import { recordsWholeSince } from "../../domain/Retention.ts"
import {
  ActivityFigures,
  FINAL_AFTER_MILLIS,
  isUsable,
  SECONDS_CLASSES,
  SLOT_MILLIS,
  slotOf
} from "../../domain/Activity.ts"
import { ATTEMPT_COST } from "../money/UsageRecordsSql.ts"
import { withinIds } from "../postgres/PagesSql.ts"
import { first, InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { SHOWN_ATTEMPTS } from "../verification/VerificationRow.ts"
import { Settings } from "../../services/Settings.ts"
import { ActivitySums } from "../../services/activity/ActivityReports.ts"
import { BoundedMap } from "../../services/concurrency/Collections.ts"
import { codeGroups, lockSums, OPERATOR_OF_PHONE, writeCodeSums } from "./CodeSumsSql.ts"

/** Reports of deliveries are awaited so long. */
const REPORT_MILLIS = DAY_MILLIS
const SLOT = `interval '${SLOT_MILLIS / MINUTE_MILLIS} minutes'`

/**
 * The parts of a statement that sum up a customer's sends of this time: `record`, `summed` with the figures of each slot
 * that has any, and `grouped` with its sums of codes. It reads each of the records.
 */
const summedUp = (sql: SqlClient.SqlClient, customerId: number, span: TimeSpan, now: Instant) => {
  const within = sql.and(withinIds(sql, ["created_at", "id"], { ...span, after: null }))
  const slotOfRow = sql.literal(`date_bin(${SLOT}, created_at, timestamptz '1970-01-01 00:00:00Z')`)

  /** A report may still arrive; after a day hardly any does. */
  const awaitsReport = sql`
      created_at > ${timestamp(now - REPORT_MILLIS)}::timestamptz and route @> '[{"reportsDelivery": true}]'
        and exists (select from jsonb_array_elements(attempts) a where a ->> 'status' = 'sent'
          and a -> 'delivery' is null and route -> (a ->> 'step')::int -> 'reportsDelivery' is not null)`

  return sql`
    record as materialized (
      select 'code' as kind, mode, id, ${slotOfRow} as starts_at, route, ${sql.literal(SHOWN_ATTEMPTS)} as attempts,
        captured, false as is_each_charged, ${sql.literal(OPERATOR_OF_PHONE)} as operator,
        extract(epoch from verified_at - created_at)::float8 as seconds,
        status in ('pending', 'queued') and expires_at > ${timestamp(now)}::timestamptz or ${awaitsReport} as is_open
      from verifications where customer_id = ${customerId} and ${within}
      union all
      select 'message', mode, id, ${slotOfRow}, route, attempts, captured, strategy = 'broadcast', null, null,
        completed_at is null or ${awaitsReport}
      from messages where customer_id = ${customerId} and mode = 'live' and ${within}),
    tried as materialized (
      select r.kind, r.mode, r.starts_at, r.id, step, step ->> 'channel' as channel,
        n = jsonb_array_length(r.attempts) as is_last, r.seconds,
        a ->> 'status' as status, a ->> 'error_code' as error_code, a -> 'delivery' ->> 'status' as delivery,
        ${sql.literal(ATTEMPT_COST)} as cost
      from record r, jsonb_array_elements(r.attempts) with ordinality as attempt(a, n),
        lateral (select r.route -> (a ->> 'step')::int as step) routed,
        lateral (select (step ->> 'price')::bigint as price) priced),
    ${codeGroups(sql)},
    live as (select * from record where mode = 'live'),
    attempt as materialized (
      select kind, starts_at, id, channel, case when is_last then seconds end as seconds, status, error_code, delivery,
        cost
      from tried where mode = 'live'),
    counted as (
      select kind, starts_at, null as channel, count(*) as accepted, count(seconds) as verified, 0 as sent,
        0 as failed, 0 as delivered, 0 as undelivered, 0 as cost
      from live group by kind, starts_at
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
          select kind, starts_at, null as channel, seconds from live
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

const SlotRow = Schema.Struct({
  startsAt: InstantColumn,
  summedAt: Schema.NullOr(InstantColumn),
  isOpen: Schema.Boolean
})
const FiguresRow = Schema.Struct({ startsAt: InstantColumn, figures: Schema.Array(ActivityFigures) })
const KeptRow = Schema.Struct({ ...FiguresRow.fields, summedAt: InstantColumn, isOpen: Schema.Boolean })
const CountRow = Schema.Struct({ count: Schema.Int })
const CustomerRow = Schema.Struct({ id: Schema.Int })
const SummedRow = Schema.Struct({ slots: Schema.String })
const WrittenRow = Schema.Struct({ startsAt: InstantColumn })
const CreatedRow = Schema.Struct({ createdAt: InstantColumn })

const MAX_CUSTOMERS = 10_000
/** Retention keeps slots longer than this: what was finished still is. */
const KEPT_MILLIS = 185 * DAY_MILLIS

/** Where every slot is finished: pages of months do not look at thousands of slots again each time. */
const makeFinished = () => {
  const known = new BoundedMap<number, TimeSpan>(MAX_CUSTOMERS)
  return {
    /** From where on slots of this time can be unfinished. */
    after: (customerId: number, from: Instant, now: Instant): Instant => {
      const span = known.get(customerId)
      return span !== undefined && from >= now - KEPT_MILLIS && from >= span.from && from < span.to
        ? span.to
        : from
    },
    add: (customerId: number, span: TimeSpan): void => {
      if (span.from >= span.to) return
      const before = known.get(customerId)
      const isNext = before !== undefined && span.from <= before.to && before.from <= span.to
      known.set(
        customerId,
        isNext ? { from: Math.min(before.from, span.from), to: Math.max(before.to, span.to) } : span
      )
    }
  }
}

const FINAL_AFTER = `interval '${FINAL_AFTER_MILLIS / MINUTE_MILLIS} minutes'`

export const ActivitySumsSql = Layer.effect(
  ActivitySums,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const settings = yield* Settings
    const slotRows = rowsOf(SlotRow)
    const figuresRows = rowsOf(FiguresRow)
    const keptRows = rowsOf(KeptRow)
    const counts = rowsOf(CountRow)
    const customerRows = rowsOf(CustomerRow)
    const summedRows = rowsOf(SummedRow)
    const writtenRows = rowsOf(WrittenRow)
    const createdRows = rowsOf(CreatedRow)
    const created = new BoundedMap<number, Instant>(MAX_CUSTOMERS)
    const finished = makeFinished()
    const slot = sql.literal(SLOT)

    const slotsWithin = ({ from, to }: TimeSpan) => sql`
      a.starts_at >= ${timestamp(from)}::timestamptz and a.starts_at < ${timestamp(to)}::timestamptz`

    /** It never changes. The customer is with the set-up, its sums can be apart from it. */
    const createdAtOf = Effect.fnUntraced(function* (customerId: number) {
      const known = created.get(customerId)
      if (known !== undefined) return known
      const [row] = yield* createdRows(
        sql`select created_at as "createdAt" from customers where id = ${customerId}`
      )
      if (row !== undefined) created.set(customerId, row.createdAt)
      return row?.createdAt
    })

    /** In place of those that were summed up earlier. Others may sum up the same slots: the latest sums stay. */
    const write = (customerId: number, range: TimeSpan, now: Instant, slots: string) =>
      Effect.orDie(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* lockSums(sql, customerId)
            const written = yield* writtenRows(sql`
              insert into activity_slots as a (customer_id, starts_at, summed_at, is_open, figures)
              select ${customerId}, (slot ->> 'starts_at')::timestamptz, ${timestamp(now)}::timestamptz,
                (slot ->> 'is_open')::boolean, slot -> 'figures'
              from jsonb_array_elements(${slots}::jsonb) slot
              on conflict (customer_id, starts_at) do update set summed_at = excluded.summed_at,
                is_open = excluded.is_open, figures = excluded.figures
              where a.summed_at <= excluded.summed_at
              returning a.starts_at as "startsAt"`)
            const starts = written.map(({ startsAt }) => startsAt)
            yield* writeCodeSums(sql, customerId, range, { slots, written: starts })
          })
        )
      )

    return ActivitySums.of({
      // An open slot can be older than its records: a message is scheduled up to 30 days ahead.
      unfinished: Effect.fnUntraced(function* (customerId, { from, to }, now) {
        const createdAt = yield* createdAtOf(customerId)
        if (createdAt === undefined) return []
        const begin = Math.max(slotOf(from), slotOf(createdAt))
        const first = finished.after(customerId, begin, now)
        if (first >= to) return []
        const slots = yield* slotRows(sql`
          select s as "startsAt", a.summed_at as "summedAt",
            coalesce(a.is_open, true) as "isOpen"
          from generate_series(${timestamp(first)}::timestamptz, ${timestamp(slotOf(to - 1))}::timestamptz, ${slot}) s
            left join activity_slots a on a.customer_id = ${customerId} and a.starts_at = s
          where a.summed_at is null
            or s >= ${timestamp(recordsWholeSince(settings, now))}::timestamptz
              and (a.is_open or a.summed_at < s + ${sql.literal(FINAL_AFTER)})
          order by s`)
        finished.add(customerId, { from: begin, to: slots[0]?.startsAt ?? slotOf(to - 1) + SLOT_MILLIS })
        return slots
      }),

      sumUp: Effect.fnUntraced(function* (customerId, range, now) {
        const [found] = yield* summedRows(sql`
          with ${summedUp(sql, customerId, range, now)}
          select jsonb_agg(jsonb_build_object('starts_at', s,
            'is_open', exists (select 1 from record r where r.starts_at = s and r.is_open),
            'figures', coalesce(summed.figures, '[]'), 'groups', coalesce(grouped.groups, '[]')))::text as slots
          from generate_series(${timestamp(range.from)}::timestamptz,
              ${timestamp(range.to - SLOT_MILLIS)}::timestamptz, ${slot}) s
            left join summed on summed.starts_at = s
            left join grouped on grouped.starts_at = s`)
        if (found !== undefined) yield* write(customerId, range, now, found.slots)
      }),

      read: (customerId, span) =>
        figuresRows(sql`
          select a.starts_at as "startsAt", a.figures from activity_slots a
          where a.customer_id = ${customerId} and ${slotsWithin(span)}
          order by a.starts_at`),

      usable: (customerId, span, now) => {
        const wholeSince = recordsWholeSince(settings, now)
        return Effect.map(
          keptRows(sql`
            select a.starts_at as "startsAt", a.summed_at as "summedAt", a.is_open as "isOpen", a.figures
            from activity_slots a
            where a.customer_id = ${customerId} and ${slotsWithin(span)}
            order by a.starts_at`),
          (slots) => slots.filter((each) => each.startsAt < wholeSince || isUsable(each, now))
        )
      },

      count: (customerId, span, now) =>
        figuresRows(sql`
          with ${summedUp(sql, customerId, span, now)}
          select starts_at as "startsAt", figures from summed order by starts_at`),

      customers: Effect.map(customerRows(sql`select id from customers order by id`), (rows) =>
        rows.map(({ id }) => id)
      ),

      sendsSince: (customerId, from, atMost) => {
        const sends = (table: string) => sql`
          (select count(*) from (
            select from ${sql(table)} where customer_id = ${customerId} and id >= ${lowestIdFrom(from)}::uuid
            limit ${atMost}::int) sends)`
        return Effect.map(
          first(counts(sql`select (${sends("verifications")} + ${sends("messages")})::int as count`)),
          Option.match({ onNone: () => 0, onSome: ({ count }) => count })
        )
      }
    })
  })
)
