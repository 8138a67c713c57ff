import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Instant } from "../../domain/Instant.ts"
import type { LeasedTimer } from "../../domain/Timer.ts"
import { batchSource, withConstants } from "../postgres/batching/BatchColumns.ts"
import { type BatchClients, makeStatementBatch } from "../postgres/batching/StatementBatch.ts"
import { WEBHOOK_TIMER } from "./WebhookTimers.ts"

interface PutBack {
  readonly timer: LeasedTimer
  readonly at: Instant
}

const source = batchSource<PutBack>([
  { name: "customer_id", type: "int4", of: ({ timer }) => timer.customerId },
  { name: "event_id", type: "uuid", of: ({ timer }) => timer.subject },
  { name: "lane", type: "int2", of: ({ timer }) => timer.lane },
  { name: "lease_token", type: "uuid", of: ({ timer }) => timer.leaseToken },
  { name: "at", type: "timestamptz", of: ({ at }) => at }
])

const statement = `
  with ${withConstants(source.rows, { timer_kind: `'${WEBHOOK_TIMER}'` })}
  update timers t set claimable_at = r.at, lease_token = null, parked = false from r
  where t.customer_id = r.customer_id and t.kind = r.timer_kind and t.subject = r.event_id and t.lane = r.lane
    and t.lease_token = r.lease_token`

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
