import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { idAt } from "../../../src/domain/Paging.ts"
import { Webhooks } from "../../../src/services/webhook/Webhooks.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer } from "../../support/TestGraph.ts"
import { endpointAt, webhookProcess } from "../../support/WebhookProcess.ts"

const HOUR = 3_600_000
const NOW = Date.parse("2026-11-26T10:00:00Z")
const FROM = NOW - 24 * HOUR

interface Try {
  readonly at: number
  readonly status: number | null
  readonly duration_ms: number
}

layer(TestDatabase, { excludeTestServices: true })("the last day of a webhook", (it) => {
  /** A delivery whose event was at this time; replayed at that one. */
  const deliveries = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const customerId = yield* makeCustomer([])
    const endpoint = yield* endpointAt(customerId, "http://127.0.0.1:9")
    const webhooks = yield* Webhooks
    const add = (at: number, tries: ReadonlyArray<Try>, replayedAt: number | null = null) => sql`
      insert into webhook_deliveries (customer_id, endpoint_id, event_id, status, created_at, tries, replay_id)
      values (${customerId}, ${endpoint.id}, ${idAt(at)}::uuid, 'delivered', now(), ${JSON.stringify(
        tries.map((each) => ({ ...each, error: null }))
      )}::jsonb, ${replayedAt === null ? null : idAt(replayedAt)}::uuid)`
    return { add, history: webhooks.history(customerId, endpoint.id, FROM), customerId, endpoint, sql }
  })

  it.effect("has the tries of each hour by their own time, with how long they took", () =>
    Effect.gen(function* () {
      const { add, history } = yield* deliveries
      const first = FROM + 5 * HOUR
      yield* add(first, [
        { at: first, status: 500, duration_ms: 10 },
        { at: first + HOUR, status: 204, duration_ms: 30 }
      ])
      yield* add(first + 1, [{ at: first + HOUR - 1, status: null, duration_ms: 15_000 }])
      yield* add(first + 2, [{ at: first + HOUR + 7, status: 302, duration_ms: 50 }])
      yield* add(first + 3, [])
      const { hours, isWhole, from } = yield* history
      assert.deepStrictEqual([isWhole, from], [true, FROM])
      assert.deepStrictEqual(
        hours.map(({ hour, accepted, failed, median }) => [(hour - FROM) / HOUR, accepted, failed, median]),
        [
          [5, 0, 2, 7505],
          [6, 1, 1, 40]
        ]
      )
    }).pipe(Effect.provide(webhookProcess(scriptProviders())))
  )

  it.effect("has what was sent again of older events, and nothing from before the day", () =>
    Effect.gen(function* () {
      const { add, history } = yield* deliveries
      const old = FROM - 72 * HOUR
      yield* add(
        old,
        [
          { at: old, status: 500, duration_ms: 1 },
          { at: NOW - 1000, status: 200, duration_ms: 2 }
        ],
        NOW - 1000
      )
      yield* add(old + 1, [{ at: old + 1, status: 200, duration_ms: 1 }])
      const { hours } = yield* history
      assert.deepStrictEqual(
        hours.map(({ accepted, failed }) => [accepted, failed]),
        [[1, 0]]
      )
    }).pipe(Effect.provide(webhookProcess(scriptProviders())))
  )

  it.effect("is of the newest 5000 deliveries of a busy webhook, and says from when", () =>
    Effect.gen(function* () {
      const { history, customerId, endpoint, sql } = yield* deliveries
      yield* sql`
        insert into webhook_deliveries (customer_id, endpoint_id, event_id, status, created_at, tries)
        select ${customerId}, ${endpoint.id}, (lpad(to_hex(at), 12, '0') || '70008000000000000000')::uuid, 'delivered',
          now(), jsonb_build_array(jsonb_build_object('at', at, 'status', 200, 'duration_ms', 3, 'error', null))
        from generate_series(${String(NOW - 6000)}::bigint, ${String(NOW - 1)}::bigint) at`
      const { hours, isWhole, from } = yield* history
      assert.deepStrictEqual([isWhole, from, hours[0]?.accepted], [false, NOW - 5000, 5000])
    }).pipe(Effect.provide(webhookProcess(scriptProviders())))
  )
})
