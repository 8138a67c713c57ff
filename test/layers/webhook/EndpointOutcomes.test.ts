import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { judge } from "../../../src/domain/Webhook.ts"
import { MasterKey } from "../../../src/layers/crypto/Crypto.ts"
import { InstantColumn, rowsOf, timestamp } from "../../../src/layers/postgres/SqlRows.ts"
import { WebhookStoreSql } from "../../../src/layers/webhook/WebhookStoreSql.ts"
import { type DueDelivery, WebhookStore } from "../../../src/services/webhook/WebhookStore.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const Stores = WebhookStoreSql.pipe(
  Layer.provide(MasterKey.layer(Redacted.make(new Uint8Array(32).fill(7)))),
  Layer.provideMerge(TestDatabase)
)

const URL = "https://example.com/"
const TOKEN = "0199f000-0000-4000-8000-000000000002"
const idOf = (nth: number) => `0199f000-0000-7000-8000-00000000000${nth}`

const Endpoint = Schema.Struct({
  id: Schema.Int,
  customerId: Schema.Int,
  failingSince: Schema.NullOr(InstantColumn),
  reason: Schema.NullOr(Schema.String)
})
const endpointRows = rowsOf(Endpoint)

interface Outcome {
  readonly status: number
  readonly finishedAt: number
}

/** An endpoint that has failed since then, and the outcomes of deliveries to it, recorded in one statement. */
const recordTogether = Effect.fnUntraced(function* (
  failingSince: number | null,
  outcomes: ReadonlyArray<Outcome>
) {
  const sql = yield* SqlClient.SqlClient
  const store = yield* WebhookStore
  const [{ customerId, id: endpointId } = assert.fail()] = yield* endpointRows(sql`
    with c as (insert into customers (name, plan, created_at) values ('c', 'start', ${timestamp(0)}) returning id)
    insert into webhook_endpoints (customer_id, lane, url, description, events, sealed_secret, created_at, failing_since)
    select id, 1, ${URL}, '', array['*'], '\\x00', ${timestamp(0)},
      ${failingSince === null ? null : timestamp(failingSince)}::timestamptz from c
    returning id, customer_id as "customerId", null as "failingSince", null as reason`)
  for (const [nth] of outcomes.entries()) {
    yield* sql`
      insert into webhook_deliveries (customer_id, endpoint_id, event_id, status, created_at)
      values (${customerId}, ${endpointId}, ${idOf(nth)}::uuid, 'pending', ${timestamp(0)})`
    yield* sql`
      insert into timers (customer_id, kind, subject, lane, claimable_at, lease_token)
      values (${customerId}, 'webhook', ${idOf(nth)}::uuid, 1, ${timestamp(0)}, ${TOKEN}::uuid)`
  }
  const record = ({ status, finishedAt }: Outcome, nth: number) => {
    const due: DueDelivery = {
      customerId,
      endpointId,
      eventId: idOf(nth),
      url: URL,
      accepts: true,
      failingSince,
      secrets: [Redacted.make("whsec")],
      body: "{}",
      tries: [],
      startedAt: null,
      nextTryAt: null
    }
    const timer = { kind: "webhook", customerId, subject: idOf(nth), lane: 1, leaseToken: TOKEN } as const
    const judgement = judge(
      due,
      { status, error: null, retryAfterMillis: null },
      { at: finishedAt, finishedAt },
      0
    )
    return store.record(
      { ...timer, leasedUntil: 0 },
      due,
      judgement,
      { at: finishedAt, signature: null, body: null },
      finishedAt
    )
  }
  const recorded = yield* Effect.forEach(outcomes, record, { concurrency: "unbounded" })
  assert.isTrue(recorded.every((each) => each === "recorded"))
  const [endpoint] = yield* endpointRows(sql`
    select id, customer_id as "customerId", failing_since as "failingSince", disabled_reason as reason
    from webhook_endpoints where id = ${endpointId}`)
  return [endpoint?.failingSince, endpoint?.reason]
})

layer(Stores, { excludeTestServices: true })("an endpoint with several outcomes in one statement", (it) => {
  it.effect("has failed since the first failure after the last success", () =>
    Effect.gen(function* () {
      const outcomes = [
        { status: 500, finishedAt: 10 },
        { status: 204, finishedAt: 20 },
        { status: 500, finishedAt: 40 },
        { status: 500, finishedAt: 30 }
      ]
      assert.deepStrictEqual(yield* recordTogether(5, outcomes), [30, null])
    })
  )

  it.effect("does not fail any more after a success that came last", () =>
    Effect.gen(function* () {
      const outcomes = [
        { status: 204, finishedAt: 20 },
        { status: 500, finishedAt: 10 }
      ]
      assert.deepStrictEqual(yield* recordTogether(5, outcomes), [null, null])
    })
  )

  it.effect("has failed for as long as before after nothing but failures", () =>
    Effect.gen(function* () {
      const outcomes = [
        { status: 500, finishedAt: 20 },
        { status: 500, finishedAt: 10 }
      ]
      assert.deepStrictEqual(yield* recordTogether(5, outcomes), [5, null])
      assert.deepStrictEqual(yield* recordTogether(null, outcomes), [10, null])
    })
  )

  it.effect("is disabled if one of them is that it is gone", () =>
    Effect.gen(function* () {
      const outcomes = [
        { status: 204, finishedAt: 10 },
        { status: 410, finishedAt: 20 }
      ]
      assert.deepStrictEqual(yield* recordTogether(null, outcomes), [20, "gone"])
    })
  )
})
