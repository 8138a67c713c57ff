import { Effect, type Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import {
  EARLY_MINUTES,
  leastBudget,
  PROBATION_BUDGET,
  SHORT_BUDGET_DIVISOR
} from "../../domain/guard/CodeBudget.ts"
import { segmentName } from "../../domain/guard/Segments.ts"
import type { BudgetRequest, Grant } from "../../services/guard/GuardStore.ts"
import { type BatchColumn, batchSource } from "../postgres/batching/BatchColumns.ts"
import { type BatchClients, makeStatementBatch } from "../postgres/batching/StatementBatch.ts"
import { inOrder } from "../postgres/batching/BatchAnswers.ts"
import { retryRaces } from "../postgres/Races.ts"
import { decodedAs } from "../postgres/SqlRows.ts"

const columns: ReadonlyArray<BatchColumn<BudgetRequest>> = [
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "segment", type: "text", of: ({ segment }) => segmentName(segment) },
  { name: "codes", type: "int4", of: ({ codes }) => codes },
  { name: "budget", type: "int4", of: ({ budget }) => budget },
  { name: "least", type: "int4", of: ({ segment }) => leastBudget(segment.kind) },
  { name: "now", type: "timestamptz", of: ({ now }) => now }
]
const source = batchSource(columns)

/** A column of the request for a row: `excluded` has no columns of its own. */
const asked = (column: "budget" | "least"): string =>
  `(select r.${column} from r where r.customer_id = b.customer_id and r.segment = b.segment)`

const usual = `coalesce(b.budget, ${asked("least")})`

/** The customer's own budget is never shortened. */
const limit = (isShort: string): string => `coalesce(${asked("budget")}, case when ${isShort}
  then greatest(${PROBATION_BUDGET}, ceil(${usual} / ${SHORT_BUDGET_DIVISOR}.0)::int) else ${usual} end)`

const granted = `least(excluded.granted, greatest(0, ${limit("b.is_short")} - ceil(b.used)::int))`
const hasLapsed = "b.ends_at <= excluded.ends_at - interval '1 hour'"
/** The window before this one was used up early. */
const isShort = "(b.emptied_early and b.ends_at > excluded.ends_at - interval '2 hours')"
/** A new window grants no more than the budget either. */
const renewed = `least(excluded.granted, ${limit(isShort)})`
const isEmptiedEarly = `(${granted} < excluded.granted
  and excluded.ends_at <= b.ends_at + interval '${60 - EARLY_MINUTES} minutes')`

const statement = `
  with r as materialized (select * from ${source.rows}),
  taken as (
    insert into guard_budgets as b (customer_id, segment, used, granted, ends_at)
    select customer_id, segment, least(codes, coalesce(budget, least)), least(codes, coalesce(budget, least)),
      now + interval '1 hour'
    from r order by customer_id, segment
    on conflict (customer_id, segment) do update set
      used = case when ${hasLapsed} then ${renewed} else b.used + ${granted} end,
      granted = case when ${hasLapsed} then ${renewed} else ${granted} end,
      ends_at = case when ${hasLapsed} then excluded.ends_at else b.ends_at end,
      is_short = case when ${hasLapsed} then ${isShort} else b.is_short end,
      emptied_early = not ${hasLapsed} and (b.emptied_early or ${isEmptiedEarly})
    returning customer_id, segment, granted, ceil(used)::int as used)
  select r.nth, t.granted, t.used from r join taken t on t.customer_id = r.customer_id and t.segment = r.segment`

const GrantRow = Schema.Struct({ nth: Schema.Int, granted: Schema.Int, used: Schema.Int })

/** Grants codes of budgets, those asked for at the same time in one statement: one row for each segment. */
export const makeGrants = (clients: BatchClients) => {
  const decoded = decodedAs(Schema.Array(GrantRow))
  return makeStatementBatch<SqlClient.SqlClient, BudgetRequest, Option.Option<Grant>>(clients, {
    name: "guard",
    conflictsOf: ({ customerId, segment }) => [`${customerId}:${segmentName(segment)}`],
    orderOf: ({ customerId, segment }) => `${customerId}:${segmentName(segment)}`,
    run: (sql, requests) =>
      Effect.map(decoded(retryRaces(sql.unsafe(statement, source.parameters(requests)))), (rows) =>
        inOrder(
          requests.length,
          rows.map(({ nth, granted, used }) => [nth, { codes: granted, used }] as const)
        )
      )
  })
}
