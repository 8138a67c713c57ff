import { assert, layer } from "@effect/vitest"
import { Array as Arr, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { runDue } from "../../support/TestGraph.ts"
import { customerAt, failing, receiver, sendCode, webhookProcess } from "../../support/WebhookProcess.ts"

const QUEUED = ["verification.queued"]

layer(TestDatabase, { excludeTestServices: true })("many deliveries at once", (it) => {
  it.effect("are each recorded with their own outcome", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const fake = yield* receiver
      fake.script(...failing(15))
      const { customerId, endpoint } = yield* customerAt(fake.url, QUEUED)
      for (let n = 0; n < 40; n++) yield* sendCode(customerId)
      yield* runDue
      const deliveries = yield* endpoint.deliveries
      const made = deliveries.map(({ status, tries }) => [status, ...tries.map((each) => each.status)].join())
      assert.deepStrictEqual(made.toSorted(), [
        ...Arr.makeBy(25, () => "delivered,204"),
        ...Arr.makeBy(15, () => "pending,500")
      ])
      const waiting = yield* sql`select from timers where customer_id = ${customerId} and kind = 'webhook'`
      assert.lengthOf(waiting, 15)
    }).pipe(Effect.provide(webhookProcess(providers)))
  })

  it.effect("are each posted once by two processes that look for them at once", () => {
    const providers = scriptProviders()
    const process = webhookProcess(providers)
    return Effect.gen(function* () {
      const other = yield* Layer.build(Layer.fresh(process))
      const fake = yield* receiver
      const { customerId, endpoint } = yield* customerAt(fake.url, QUEUED)
      for (let n = 0; n < 60; n++) yield* sendCode(customerId)
      yield* Effect.all([runDue, Effect.provide(runDue, other)], { concurrency: "unbounded" })
      const ids = fake.received.map(({ headers }) => headers["webhook-id"])
      assert.deepStrictEqual([ids.length, new Set(ids).size], [60, 60])
      assert.isTrue((yield* endpoint.deliveries).every(({ tries }) => tries.length === 1))
    }).pipe(Effect.provide(process))
  })

  it.effect("are recorded without the one that another process has taken over", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const fake = yield* receiver
      const answer = Promise.withResolvers<{ readonly status: number }>()
      fake.script(...Arr.makeBy(3, () => () => answer.promise))
      const { customerId, endpoint } = yield* customerAt(fake.url, QUEUED)
      for (let n = 0; n < 3; n++) yield* sendCode(customerId)
      const running = yield* Effect.forkChild(runDue)
      yield* fake.arrived(3)
      const { eventId: taken } = yield* endpoint.delivery
      yield* sql`
        update timers set lease_token = gen_random_uuid()
        where customer_id = ${customerId} and kind = 'webhook' and subject = ${taken}::uuid`
      answer.resolve({ status: 204 })
      yield* Fiber.join(running)
      assert.deepStrictEqual(
        (yield* endpoint.deliveries).map(({ status, tries }) => [status, tries.length]),
        [
          ["pending", 0],
          ["delivered", 1],
          ["delivered", 1]
        ]
      )
    }).pipe(Effect.provide(webhookProcess(providers)))
  })
})
