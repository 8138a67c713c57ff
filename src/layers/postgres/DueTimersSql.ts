import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Instant } from "../../domain/Instant.ts"
import { timerKinds } from "../../domain/Timer.ts"
import { CustomerRows } from "../../services/customer/CustomerRows.ts"
import { InstantColumn, rowsOf, timestamp } from "./SqlRows.ts"

/** The count stops here: a larger number would not say more. */
const MAX_COUNTED = 10_000

const DueRow = Schema.Struct({
  kind: Schema.Literals(timerKinds),
  due: Schema.Int,
  oldestAt: Schema.NullOr(InstantColumn)
})
const dueRows = rowsOf(DueRow)

const dueByKind = (sql: SqlClient.SqlClient, now: Instant) =>
  dueRows(sql`
    select k as kind,
      (select count(*)::int from (
        select 1 from timers where kind collate "C" = k and not parked and claimable_at <= ${timestamp(now)}
        union all
        select 1 from timers where kind collate "C" = k and parked and claimable_at <= ${timestamp(now)}
        limit ${MAX_COUNTED}) counted) as due,
      least(
        (select claimable_at from timers where kind collate "C" = k and not parked and claimable_at <= ${timestamp(now)}
         order by claimable_at limit 1),
        (select min(claimable_at) from timers
         where kind collate "C" = k and parked and claimable_at <= ${timestamp(now)})) as "oldestAt"
    from unnest(${timerKinds}::text[]) as k`)

type DueRow = typeof DueRow.Type

const sumOf = (parts: ReadonlyArray<ReadonlyArray<DueRow>>): ReadonlyArray<DueRow> =>
  timerKinds.map((kind) => {
    const rows = parts.flatMap((found) => found.filter((row) => row.kind === kind))
    const times = rows.flatMap(({ oldestAt }) => (oldestAt === null ? [] : [oldestAt]))
    const due = rows.reduce((sum, row) => sum + row.due, 0)
    return { kind, due: Math.min(due, MAX_COUNTED), oldestAt: times.length === 0 ? null : Math.min(...times) }
  })

/** Due timers that no process works on, by kind. */
export const dueTimers = (sql: SqlClient.SqlClient, now: Instant) =>
  Effect.flatMap(CustomerRows, ({ inEach }) => Effect.map(inEach(dueByKind(sql, now)), sumOf))

const WaitingRow = Schema.Struct({ waiting: Schema.Int, overdue: Schema.Int })

/** How many timers there are, and how many of them are overdue since `late`. */
export const waitingTimers = (sql: SqlClient.SqlClient, late: Instant) =>
  Effect.flatMap(CustomerRows, ({ inEach }) =>
    Effect.map(
      inEach(
        rowsOf(WaitingRow)(sql`
          select count(*)::int as waiting,
            (count(*) filter (where claimable_at < ${timestamp(late)}))::int as overdue from timers`)
      ),
      (parts) => {
        const counts = parts.flat()
        return {
          waiting: counts.reduce((sum, { waiting }) => sum + waiting, 0),
          overdue: counts.reduce((sum, { overdue }) => sum + overdue, 0)
        }
      }
    )
  )
