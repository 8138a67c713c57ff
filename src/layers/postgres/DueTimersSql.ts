import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Instant } from "../../domain/Instant.ts"
import { timerKinds } from "../../domain/Timer.ts"
import { InstantColumn, rowsOf, timestamp } from "./SqlRows.ts"

/** The count stops here: a larger number would not say more. */
const MAX_COUNTED = 10_000

const DueRow = Schema.Struct({
  kind: Schema.Literals(timerKinds),
  due: Schema.Int,
  oldestAt: Schema.NullOr(InstantColumn)
})
const dueRows = rowsOf(DueRow)

/** Due timers that no process works on, by kind. */
export const dueTimers = (sql: SqlClient.SqlClient, now: Instant) =>
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
