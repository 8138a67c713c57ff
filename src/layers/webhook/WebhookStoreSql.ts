import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Instant } from "../../domain/Instant.ts"
import type { LeasedTimer } from "../../domain/Timer.ts"
import { MasterKey } from "../crypto/Crypto.ts"
import { MessageBatchSql } from "../postgres/Pools.ts"
import { batchSource, timestamp, withConstants } from "../postgres/SqlRows.ts"
import { type BatchClients, makeStatementBatch } from "../postgres/batching/StatementBatch.ts"
import { makeLoadDeliveries } from "./DueDeliveriesSql.ts"
import { makeRecordTries } from "./RecordTriesSql.ts"
import { waitingDeliveries } from "./WaitingDeliveriesSql.ts"
import { isLeasedBy, TIMER_KIND, timerColumns, WEBHOOK_TIMER } from "./WebhookTimers.ts"
import { WebhookStore } from "../../services/webhook/WebhookStore.ts"

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
const makePutBack = (clients: BatchClients) =>
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

export const WebhookStoreSql = Layer.effect(
  WebhookStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const clients: BatchClients = { batched: yield* MessageBatchSql, single: sql }
    const load = yield* makeLoadDeliveries(clients, yield* MasterKey)
    const record = yield* makeRecordTries(clients)
    const putBack = yield* makePutBack(clients)

    return WebhookStore.of({
      loadLeased: (timer, now) => load({ timer, now }),
      record: (timer, due, judgement, exchange, now) => record({ timer, due, judgement, exchange, now }),
      putBack: (timer, at) => Effect.asVoid(putBack({ timer, at })),
      wakeOthers: waitingDeliveries(sql).wake,

      giveUp: ({ customerId, subject, lane, leaseToken }, endpointId, now) =>
        Effect.orDie(
          Effect.asVoid(sql`
            with held as (
              delete from timers t where t.customer_id = ${customerId} and t.kind = ${WEBHOOK_TIMER}
                and t.subject = ${subject}::uuid and t.lane = ${lane} and t.lease_token = ${leaseToken}::uuid
              returning t.customer_id, t.subject)
            update webhook_deliveries d set status = 'failed', next_try_at = null, finished_at = ${timestamp(now)}
            from held h
            where d.customer_id = h.customer_id and d.endpoint_id = ${endpointId} and d.event_id = h.subject`)
        )
    })
  })
)
