import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Instant } from "../../domain/Instant.ts"
import { NIL_UUID } from "../../domain/Uuid.ts"
import { batchSource } from "../postgres/batching/BatchColumns.ts"
import { type BatchClients, makeStatementBatch } from "../postgres/batching/StatementBatch.ts"
import { GUARD_TIMER } from "./GuardRoundSql.ts"

interface Wake {
  readonly customerId: number
  readonly at: Instant
}

const wakeSource = batchSource<Wake>([
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "at", type: "timestamptz", of: ({ at }) => at }
])

const wakeStatement = `
  with quick as materialized (select set_config('synchronous_commit', 'off', true) as commit),
  ensured as (
    insert into timers as t (customer_id, kind, subject, claimable_at)
    select r.customer_id, '${GUARD_TIMER}', '${NIL_UUID}'::uuid, r.at from ${wakeSource.rows}
    on conflict (customer_id, kind, subject, lane) do update set claimable_at = excluded.claimable_at
    where t.lease_token is null and t.claimable_at > excluded.claimable_at)
  select commit from quick`

/** The commit is not awaited: after a crash, the next send ensures the round again. */
export const makeGuardWake = (clients: BatchClients) =>
  makeStatementBatch<SqlClient.SqlClient, Wake, true>(clients, {
    name: "guard_wake",
    conflictsOf: ({ customerId }) => [String(customerId)],
    orderOf: ({ customerId }) => String(customerId),
    run: (sql, requests) =>
      Effect.as(
        sql.unsafe(wakeStatement, wakeSource.parameters(requests)),
        requests.map(() => true as const)
      )
  })
