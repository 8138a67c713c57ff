import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { WebhookStore } from "../../services/webhook/WebhookStore.ts"
import { MasterKey } from "../crypto/MasterKey.ts"
import type { BatchClients } from "../postgres/batching/StatementBatch.ts"
import { MessageBatchSql } from "../postgres/Pools.ts"
import { timestamp } from "../postgres/SqlRows.ts"
import { makeLoadDeliveries } from "./DueDeliveriesSql.ts"
import { makePutBack } from "./PutBackSql.ts"
import { makeRecordTries } from "./RecordTriesSql.ts"
import { waitingDeliveries } from "./WaitingDeliveriesSql.ts"
import { WEBHOOK_TIMER } from "./WebhookTimers.ts"

export const WebhookStoreSql = Layer.effect(
  WebhookStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const clients: BatchClients = { together: yield* MessageBatchSql, alone: sql }
    const load = yield* makeLoadDeliveries(clients, yield* MasterKey)
    const record = yield* makeRecordTries(clients)
    const putBack = yield* makePutBack(clients)

    return WebhookStore.of({
      loadLeased: (timer, now) => load({ timer, now }),
      record: (timer, due, judgement, now) => record({ timer, due, judgement, now }),
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
