import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { KEPT_CALLS, PhoneCallCounts } from "../../services/verification/PhoneCalls.ts"
import { phoneCounters } from "../postgres/batching/PlatformCountsSql.ts"
import { InstantColumn, nullableTimestamp, rowsOf, timestamp } from "../postgres/SqlRows.ts"

const CountedRow = Schema.Struct({
  isGranted: Schema.Boolean,
  calls: Schema.Int,
  hourEndsAt: Schema.NullOr(InstantColumn),
  nightEndsAt: Schema.NullOr(InstantColumn),
  customers: Schema.Array(Schema.Int),
  callersUntil: InstantColumn
})
const KnownRow = Schema.Struct({ isCounted: Schema.Boolean })

const HOUR_IS_OPEN = "coalesce(o.calls_end_at > excluded.callers_until, false)"

/** The last calls of a column, and room for one more. */
const lastOf = (column: string): string => `${column}[cardinality(${column}) - ${KEPT_CALLS - 2}:]`

/**
 * Beside the phone's counter of sends: so where that is. A new row begins no window of sends: those end as it begins.
 * Where that cannot be reached, calls by day are not counted.
 */
export const PhoneCallCountsSql = Layer.effect(
  PhoneCallCounts,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const counters = yield* phoneCounters
    const countedRows = rowsOf(CountedRow)
    const knownRows = rowsOf(KnownRow)
    const atSome: typeof counters.atIfReached = (phone, work) => Effect.asSome(counters.at(phone, work))

    return PhoneCallCounts.of({
      count: Effect.fnUntraced(function* (call) {
        const { id, customerId, phone, now, limit, callersLimit, isBegun, ...ends } = call
        const at = timestamp(now)
        // What the phone's row says of this call, under its lock. A call that was counted before changes no count.
        const isKnown = sql`${id}::uuid = any (o.counted_calls)`
        const isRefused = sql`(
          (${limit}::int > 0 and ${sql.literal(HOUR_IS_OPEN)} and o.calls >= ${limit}::int)
          or (excluded.night_ends_at is not null and coalesce(o.night_ends_at > excluded.callers_until, false))
          or (${callersLimit}::int > 0 and o.callers_until > excluded.callers_until
            and cardinality(o.callers) + (not o.callers @> array[${customerId}::int])::int >= ${callersLimit}::int))`
        const isNew = sql`(not ${isKnown} and not ${isRefused})`
        const begins = sql`(${isBegun}::boolean and (${isKnown} or not ${isRefused})
          and ${id}::uuid <> all (o.begun_calls))`
        // At night only one call is allowed, so there it has to be counted.
        const reaching = ends.nightEndsAt === null ? counters.atIfReached : atSome
        const counted = yield* reaching(
          phone,
          countedRows(sql`
            insert into platform_phone_counters as o (phone, day_ends_at, day_used, callers, callers_until,
              calls, calls_end_at, night_ends_at, counted_calls, begun_calls)
            values (${phone}, ${at}, 0, '{}', ${at}, 1, ${timestamp(ends.hourEndsAt)},
              ${nullableTimestamp(ends.nightEndsAt)}, array[${id}::uuid],
              case when ${isBegun}::boolean then array[${id}::uuid] else '{}' end)
            on conflict (phone) do update set
              calls = case when not ${isNew} then o.calls
                when ${sql.literal(HOUR_IS_OPEN)} then o.calls + 1 else 1 end,
              calls_end_at = case when ${isNew} and not ${sql.literal(HOUR_IS_OPEN)}
                then excluded.calls_end_at else o.calls_end_at end,
              night_ends_at = case when ${isNew} then coalesce(excluded.night_ends_at, o.night_ends_at)
                else o.night_ends_at end,
              counted_calls = case when ${isNew} then ${sql.literal(lastOf("o.counted_calls"))} || ${id}::uuid
                else o.counted_calls end,
              begun_calls = case when ${begins} then ${sql.literal(lastOf("o.begun_calls"))} || ${id}::uuid
                else o.begun_calls end
            returning ${id}::uuid = any (counted_calls) as "isGranted", calls,
              calls_end_at as "hourEndsAt", night_ends_at as "nightEndsAt", callers as customers,
              callers_until as "callersUntil"`)
        )
        if (Option.isNone(counted)) {
          counters.uncounted(1)
          const callers = { customers: [], endsAt: now }
          return { isGranted: true, calls: 0, hourEndsAt: null, nightEndsAt: null, callers }
        }
        const [row] = counted.value
        if (row === undefined) return yield* Effect.die("a count of calls returned no row")
        const { customers, callersUntil, ...rest } = row
        return { ...rest, callers: { customers, endsAt: callersUntil } }
      }),

      begin: ({ id, phone }) =>
        Effect.map(
          counters.at(
            phone,
            knownRows(sql`
              update platform_phone_counters o set begun_calls = case when ${id}::uuid = any (o.begun_calls)
                then o.begun_calls else ${sql.literal(lastOf("o.begun_calls"))} || ${id}::uuid end
              where o.phone = ${phone} and ${id}::uuid = any (o.counted_calls)
              returning true as "isCounted"`)
          ),
          (rows) => rows.length > 0
        ),

      giveBack: ({ id, phone, hourEndsAt, nightEndsAt }) =>
        Effect.asVoid(
          counters.atIfReached(
            phone,
            Effect.orDie(sql`
              update platform_phone_counters o set counted_calls = array_remove(o.counted_calls, ${id}::uuid),
                calls = o.calls - (o.calls_end_at = ${nullableTimestamp(hourEndsAt)}::timestamptz)::int,
                night_ends_at = nullif(o.night_ends_at, ${nullableTimestamp(nightEndsAt)}::timestamptz)
              where o.phone = ${phone} and ${id}::uuid = any (o.counted_calls)
                and ${id}::uuid <> all (o.begun_calls)`)
          )
        ),

      isCounted: ({ id, phone }) =>
        Effect.map(
          counters.at(
            phone,
            knownRows(sql`
              select ${id}::uuid = any (counted_calls) as "isCounted" from platform_phone_counters
              where phone = ${phone}`)
          ),
          ([row]) => row?.isCounted === true
        )
    })
  })
)
