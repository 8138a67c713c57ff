import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { Webhooks } from "../../../src/services/webhook/Webhooks.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { runDue } from "../../support/TestGraph.ts"
import {
  comeTo,
  customerAt,
  endpointAt,
  receiver,
  sendCode,
  webhookProcess
} from "../../support/WebhookProcess.ts"

const QUEUED = ["verification.queued"]

layer(TestDatabase, { excludeTestServices: true })("an event on its way", (it) => {
  it.effect("is posted once by two processes that look for it at once", () => {
    const providers = scriptProviders()
    const process = webhookProcess(providers)
    return Effect.gen(function* () {
      const other = yield* Layer.build(Layer.fresh(process))
      const fake = yield* receiver
      const { customerId, endpoint } = yield* customerAt(fake.url)
      for (let n = 0; n < 3; n++) yield* sendCode(customerId)
      yield* Effect.all([runDue, Effect.provide(runDue, other)], { concurrency: "unbounded" })
      const ids = fake.received.map(({ headers }) => headers["webhook-id"])
      assert.deepStrictEqual([ids.length, new Set(ids).size], [6, 6])
      assert.isTrue((yield* endpoint.deliveries).every(({ tries }) => tries.length === 1))
    }).pipe(Effect.provide(process))
  })

  it.effect("comes again, with the same id, when its process died before the try was recorded", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const fake = yield* receiver
      fake.script("silence")
      const { customerId, endpoint } = yield* customerAt(fake.url, QUEUED)
      yield* sendCode(customerId)
      const dying = yield* Effect.forkChild(runDue)
      yield* fake.arrived(1)
      yield* Fiber.interrupt(dying)
      yield* comeTo(0, 29)
      assert.lengthOf(fake.received, 1)
      yield* comeTo(0, 30)
      assert.lengthOf(fake.received, 2)
      assert.strictEqual(fake.received[1]?.headers["webhook-id"], fake.received[0]?.headers["webhook-id"])
      assert.strictEqual(fake.received[1]?.body, fake.received[0]?.body)
      const { status, tries } = yield* endpoint.delivery
      assert.deepStrictEqual([status, tries.map(({ at }) => at)], ["delivered", [30_000]])
    }).pipe(Effect.provide(webhookProcess(providers)))
  })

  it.effect(
    "ends as failed when its endpoint is switched off, and is not posted when that is removed",
    () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const fake = yield* receiver
        const { customerId, endpoint } = yield* customerAt(fake.url, QUEUED)
        const gone = yield* endpointAt(customerId, fake.url, QUEUED)
        yield* sendCode(customerId)
        yield* webhooks.update(customerId, endpoint.id, { isDisabled: true }, null)
        yield* webhooks.remove(customerId, gone.id, null)
        yield* runDue
        assert.lengthOf(fake.received, 0)
        assert.deepStrictEqual((yield* endpoint.delivery).status, "failed")
        assert.strictEqual((yield* endpoint.record).disabledReason, "manual")
        // The place of one that was removed is taken by another, which gets none of its events.
        const heir = yield* endpointAt(customerId, fake.url, QUEUED)
        yield* runDue
        assert.deepStrictEqual(yield* heir.deliveries, [])
      }).pipe(Effect.provide(webhookProcess(providers)))
    }
  )
})
