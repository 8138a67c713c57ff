import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { rowsOf, timestamp } from "../../../src/layers/postgres/SqlRows.ts"
import { Webhooks } from "../../../src/services/webhook/Webhooks.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { customerAt, receiver, webhookProcess } from "../../support/WebhookProcess.ts"

/** More than one statement works on. */
const WAITING = 5001
const COUNTS = Schema.Struct({ waiting: Schema.Int, timers: Schema.Int, pending: Schema.Int })

/** An endpoint with many deliveries that wait for tomorrow. */
const busyEndpoint = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const fake = yield* receiver
  const { customerId, endpoint } = yield* customerAt(fake.url, ["verification.queued"])
  const now = yield* Clock.currentTimeMillis
  const tomorrow = timestamp(now + 86_400_000)
  yield* sql`
    with event as (select gen_random_uuid() as id from generate_series(1, ${WAITING}::int)),
    delivery as (
      insert into webhook_deliveries (customer_id, endpoint_id, event_id, status, created_at, next_try_at)
      select ${customerId}, ${endpoint.id}, id, 'pending', ${timestamp(now)}, ${tomorrow} from event)
    insert into timers (customer_id, kind, subject, lane, claimable_at)
    select ${customerId}, 'webhook', event.id, w.lane, ${tomorrow} from event
      join webhook_endpoints w on w.id = ${endpoint.id}`
  const counts = Effect.map(
    rowsOf(COUNTS)(sql`
      select (select count(*)::int from timers where customer_id = ${customerId} and claimable_at > ${timestamp(now)})
          as waiting,
        (select count(*)::int from timers where customer_id = ${customerId} and kind = 'webhook') as timers,
        (select count(*)::int from webhook_deliveries where customer_id = ${customerId} and status = 'pending')
          as pending`),
    ([row]) => row
  )
  return { customerId, endpoint, counts }
})

layer(TestDatabase, { excludeTestServices: true })("thousands of deliveries that wait", (it) => {
  it.effect("are due when their endpoint is disabled", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const { customerId, endpoint, counts } = yield* busyEndpoint
      yield* (yield* Webhooks).update(customerId, endpoint.id, { isDisabled: true }, null)
      assert.deepStrictEqual(yield* counts, { waiting: 0, timers: WAITING, pending: WAITING })
    }).pipe(Effect.provide(webhookProcess(providers)))
  })

  it.effect("end with their endpoint", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const { customerId, endpoint, counts } = yield* busyEndpoint
      yield* (yield* Webhooks).remove(customerId, endpoint.id, null)
      assert.deepStrictEqual(yield* counts, { waiting: 0, timers: 0, pending: 0 })
    }).pipe(Effect.provide(webhookProcess(providers)))
  })
})
