import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Cells } from "../../services/customer/Cells.ts"
import { PhoneCallCounts } from "../../services/verification/PhoneCalls.ts"
import { atPhone } from "../postgres/batching/PlatformCountsSql.ts"
import { InstantColumn, nullableTimestamp, rowsOf, timestamp } from "../postgres/SqlRows.ts"

const CountedRow = Schema.Struct({
  isGranted: Schema.Boolean,
  calls: Schema.Int,
  hourEndsAt: Schema.NullOr(InstantColumn),
  nightEndsAt: Schema.NullOr(InstantColumn),
  customers: Schema.Array(Schema.Int),
  callersUntil: InstantColumn
})
const LastRow = Schema.Struct({ isCounted: Schema.Boolean })

const HOUR_IS_OPEN = "coalesce(o.calls_end_at > excluded.callers_until, false)"

/**
 * Beside the phone's counter of sends: in the cell that counts the phone, where cells are on other nodes. A new row
 * begins no window of sends: those end as it begins.
 */
export const PhoneCallCountsSql = Layer.effect(
  PhoneCallCounts,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const cells = yield* Cells
    const countedRows = rowsOf(CountedRow)
    const lastRows = rowsOf(LastRow)

    return PhoneCallCounts.of({
      count: Effect.fnUntraced(function* ({ id, customerId, phone, now, limit, callersLimit, ...ends }) {
        const at = timestamp(now)
        // What the phone's row says of this call, under its lock. A call that was counted before changes nothing.
        const isRefused = sql`(
          (${limit}::int > 0 and ${sql.literal(HOUR_IS_OPEN)} and o.calls >= ${limit}::int)
          or (excluded.night_ends_at is not null and coalesce(o.night_ends_at > excluded.callers_until, false))
          or (${callersLimit}::int > 0 and o.callers_until > excluded.callers_until
            and cardinality(o.callers) + (not o.callers @> array[${customerId}::int])::int >= ${callersLimit}::int))`
        const isNew = sql`(o.last_call is distinct from excluded.last_call and not ${isRefused})`
        const [row] = yield* atPhone(
          cells,
          phone,
          countedRows(sql`
            insert into platform_phone_counters as o
              (phone, day_ends_at, day_used, callers, callers_until, calls, calls_end_at, night_ends_at, last_call)
            values (${phone}, ${at}, 0, '{}', ${at}, 1, ${timestamp(ends.hourEndsAt)},
              ${nullableTimestamp(ends.nightEndsAt)}, ${id}::uuid)
            on conflict (phone) do update set
              calls = case when not ${isNew} then o.calls
                when ${sql.literal(HOUR_IS_OPEN)} then o.calls + 1 else 1 end,
              calls_end_at = case when ${isNew} and not ${sql.literal(HOUR_IS_OPEN)}
                then excluded.calls_end_at else o.calls_end_at end,
              night_ends_at = case when ${isNew} then coalesce(excluded.night_ends_at, o.night_ends_at)
                else o.night_ends_at end,
              last_call = case when ${isNew} then excluded.last_call else o.last_call end
            returning last_call is not distinct from ${id}::uuid as "isGranted", calls,
              calls_end_at as "hourEndsAt", night_ends_at as "nightEndsAt", callers as customers,
              callers_until as "callersUntil"`)
        )
        if (row === undefined) return yield* Effect.die("a count of calls returned no row")
        const { customers, callersUntil, ...counted } = row
        return { ...counted, callers: { customers, endsAt: callersUntil } }
      }),

      giveBack: ({ id, phone, isAtNight }) =>
        Effect.asVoid(
          atPhone(
            cells,
            phone,
            Effect.orDie(sql`
              update platform_phone_counters set calls = calls - 1, last_call = null,
                night_ends_at = case when ${isAtNight}::boolean then null else night_ends_at end
              where phone = ${phone} and last_call = ${id}::uuid`)
          )
        ),

      isCounted: ({ id, phone }) =>
        Effect.map(
          atPhone(
            cells,
            phone,
            lastRows(sql`
              select last_call is not distinct from ${id}::uuid as "isCounted" from platform_phone_counters
              where phone = ${phone}`)
          ),
          ([row]) => row?.isCounted === true
        )
    })
  })
)
