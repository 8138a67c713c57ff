import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { MINUTE_MILLIS } from "../../../domain/Instant.ts"
import {
  ActivityFigures,
  FINAL_AFTER_MILLIS,
  isUsable,
  SLOT_MILLIS,
  slotOf
} from "../../../domain/activity/Activity.ts"
import { recordsWholeSince } from "../../../domain/Retention.ts"
import { lowestIdFrom, type TimeSpan } from "../../../domain/Paging.ts"
import { ActivitySums } from "../../../services/resources/activity/ActivityReports.ts"
import { Settings } from "../../../services/Settings.ts"
import { first, InstantColumn, rowsOf, timestamp } from "../../postgres/SqlRows.ts"
import { SLOT, summedUp } from "./ActivityFiguresSql.ts"

const SlotRow = Schema.Struct({
  startsAt: InstantColumn,
  summedAt: Schema.NullOr(InstantColumn),
  isOpen: Schema.Boolean
})
const FiguresRow = Schema.Struct({ startsAt: InstantColumn, figures: Schema.Array(ActivityFigures) })
const KeptRow = Schema.Struct({ ...FiguresRow.fields, summedAt: InstantColumn, isOpen: Schema.Boolean })
const CountRow = Schema.Struct({ count: Schema.Int })
const CustomerRow = Schema.Struct({ id: Schema.Int })

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
    const slot = sql.literal(SLOT)

    const slotsWithin = ({ from, to }: TimeSpan) => sql`
      a.starts_at >= ${timestamp(from)}::timestamptz and a.starts_at < ${timestamp(to)}::timestamptz`

    return ActivitySums.of({
      // An open slot can be older than its records: a message is scheduled up to 30 days ahead.
      unfinished: (customerId, { from, to }, now) =>
        slotRows(sql`
          select s as "startsAt", a.summed_at as "summedAt",
            coalesce(a.is_open, true) as "isOpen"
          from customers c, generate_series(
              greatest(${timestamp(slotOf(from))}::timestamptz,
                date_bin(${slot}, c.created_at, timestamptz '1970-01-01 00:00:00Z')),
              ${timestamp(slotOf(to - 1))}::timestamptz, ${slot}) s
            left join activity_slots a on a.customer_id = ${customerId} and a.starts_at = s
          where c.id = ${customerId} and (a.summed_at is null
            or s >= ${timestamp(recordsWholeSince(settings, now))}::timestamptz
              and (a.is_open or a.summed_at < s + ${sql.literal(FINAL_AFTER)}))`),

      sumUp: (customerId, range, now) =>
        Effect.asVoid(
          Effect.orDie(sql`
            with ${summedUp(sql, customerId, range, now)}
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
