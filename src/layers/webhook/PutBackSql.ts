import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Instant } from "../../domain/Instant.ts"
import type { LeasedTimer } from "../../domain/Timer.ts"
import { batchSource, withConstants } from "../postgres/batching/BatchColumns.ts"
import { type BatchClients, makeStatementBatch } from "../postgres/batching/StatementBatch.ts"
import { isLeasedBy, TIMER_KIND, timerColumns } from "./WebhookTimers.ts"

interface PutBack {
  readonly timer: LeasedTimer
  readonly at: Instant
}

const source = batchSource<PutBack>([
  ...timerColumns,
  { name: "at", type: "timestamptz", of: ({ at }) => at }
])

const statement = `
  with ${withConstants(source.rows, TIMER_KIND)}
  update timers t set claimable_at = r.at, lease_token = null, parked = false from r
  where ${isLeasedBy("r")}`

/** Releases the timers of many deliveries in one statement. */
export const makePutBack = (clients: BatchClients) =>
  makeStatementBatch<SqlClient.SqlClient, PutBack, true>(clients, {
    name: "webhook_put_back",
    conflictsOf: () => [],
    orderOf: ({ timer }) => timer.subject,
    run: (sql, requests) =>
      Effect.as(
        sql.unsafe(statement, source.parameters(requests)),
        requests.map(() => true as const)
      )
  })
