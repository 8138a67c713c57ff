import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { BUDGET_WINDOW_MILLIS, leastBudget } from "../../domain/guard/CodeBudget.ts"
import { CUSTOMER_SEGMENT, nameIn, segmentName, WHOLE } from "../../domain/guard/Segments.ts"
import type { BudgetRequest, GuardStore } from "../../services/guard/GuardStore.ts"
import { type BatchColumn, batchSource } from "../postgres/batching/BatchColumns.ts"
import { retryRaces } from "../postgres/Races.ts"
import { decodedAs, InstantColumn } from "../postgres/SqlRows.ts"

const columns: ReadonlyArray<BatchColumn<BudgetRequest>> = [
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "segment", type: "text", of: ({ segment }) => segmentName(segment) },
  { name: "codes", type: "int4", of: ({ codes }) => codes },
  { name: "budget", type: "int4", of: ({ budget }) => budget },
  { name: "least", type: "int4", of: ({ segment }) => leastBudget(segment) },
  { name: "now", type: "timestamptz", of: ({ now }) => now }
]
const source = batchSource(columns)

const isWhole = `b.segment like '${segmentName(CUSTOMER_SEGMENT)}%'`

/**
 * The budget of a row that exists already. `excluded` has no column for a customer's own budget, and `r` is searched for
 * it row by row: only where there can be one.
 */
const limit = `coalesce(
  case when ${isWhole}
    then (select r.budget from r where r.customer_id = b.customer_id and r.segment = b.segment) end,
  b.budget,
  case when b.segment = '${segmentName(WHOLE.vouched)}' then ${leastBudget(WHOLE.vouched)}
    when ${isWhole} then ${leastBudget(WHOLE.all)} else ${leastBudget({ kind: "prefix", key: "" })} end)`

const granted = `least(excluded.granted, greatest(0, ${limit} - ceil(b.used)::int))`
const hasLapsed = "b.ends_at <= excluded.ends_at - interval '1 hour'"
/** A new window grants no more than the budget either. */
const renewed = `least(excluded.granted, ${limit})`

const statement = `
  with quick as materialized (select set_config('synchronous_commit', 'off', true) as commit),
  r as materialized (select * from ${source.rows}),
  taken as (
    insert into guard_budgets as b (customer_id, segment, used, granted, ends_at)
    select customer_id, segment, least(codes, coalesce(budget, least)), least(codes, coalesce(budget, least)),
      now + interval '1 hour'
    from r order by customer_id, segment
    on conflict (customer_id, segment) do update set
      used = case when ${hasLapsed} then ${renewed} else b.used + ${granted} end,
      granted = case when ${hasLapsed} then ${renewed} else ${granted} end,
      ends_at = case when ${hasLapsed} then excluded.ends_at else b.ends_at end
    returning customer_id, segment, granted, ceil(used)::int as used, ends_at)
  select customer_id || ':' || segment as name, granted as codes, used, ends_at as "endsAt", (select commit from quick)
  from taken`

const GrantRow = Schema.Struct({
  name: Schema.String,
  codes: Schema.Int,
  used: Schema.Int,
  endsAt: InstantColumn
})

/**
 * Grants codes of budgets in one statement: one row for each segment. The rows are matched here: a join of a few hundred
 * cost more than all of their writing. The commit is not awaited: a crash forgets the last grants.
 */
export const guardGrants = (sql: SqlClient.SqlClient): GuardStore["Service"]["grant"] => {
  const decoded = decodedAs(Schema.Array(GrantRow))
  return (requests) =>
    Effect.map(
      Effect.orDie(decoded(retryRaces(sql.unsafe(statement, source.parameters(requests))))),
      (rows) => {
        const grants = new Map(rows.map(({ name, ...grant }) => [name, grant]))
        return requests.map(
          ({ customerId, segment, now }) =>
            grants.get(nameIn(customerId, segment)) ?? {
              codes: 0,
              used: 0,
              endsAt: now + BUDGET_WINDOW_MILLIS
            }
        )
      }
    )
}
