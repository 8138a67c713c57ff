import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Webhooks } from "../../src/services/webhook/Webhooks.ts"
import { exampleServer } from "../support/ExampleServer.ts"
import { scriptProviders } from "../support/ScriptedProviders.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { makeCustomer, runDue } from "../support/TestGraph.ts"
import { endpointAt, sendCode, webhookProcess } from "../support/WebhookProcess.ts"

/** The receiver is started with a secret, which the endpoint has to be made for: it moves there once it is known. */
const setUp = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  const customerId = yield* makeCustomer()
  const endpoint = yield* endpointAt(customerId, "http://127.0.0.1:9", [
    "verification.queued",
    "verification.verified"
  ])
  const example = yield* exampleServer("webhooks.md", { WEBHOOK_SECRET: endpoint.secret })
  yield* webhooks.update(customerId, endpoint.id, { url: example.url }, null)
  return { webhooks, customerId, endpoint, example }
})

/** The example's clock is the real one. */
const today = (providers = scriptProviders(), shiftMillis = 0) =>
  webhookProcess(providers, {
    startsAt: Math.floor(performance.timeOrigin + performance.now()) + shiftMillis
  })

layer(TestDatabase, { excludeTestServices: true })("the receiver of docs/webhooks.md", (it) => {
  it.effect("takes what happens, in order", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const { customerId, endpoint, example } = yield* setUp
      const { id, verify } = yield* sendCode(customerId)
      yield* runDue
      yield* verify(providers.deliveries[0]?.code ?? "")
      yield* runDue
      assert.deepStrictEqual(
        (yield* endpoint.deliveries).map(({ status, tries }) => [status, tries[0]?.status]),
        [
          ["delivered", 204],
          ["delivered", 204]
        ]
      )
      assert.deepStrictEqual(yield* example.stop, [
        `${id} verification.queued: queued`,
        `${id} verification.verified: verified`
      ])
    }).pipe(Effect.provide(today(providers)))
  })

  it.effect("takes what comes again once, and leaves out what is older than what it knows", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const { webhooks, customerId, endpoint, example } = yield* setUp
      yield* webhooks.update(customerId, endpoint.id, { events: ["verification.verified"] }, null)
      const { id, verify } = yield* sendCode(customerId)
      yield* verify(providers.deliveries[0]?.code ?? "")
      yield* runDue
      yield* webhooks.update(customerId, endpoint.id, { events: ["*"] }, null)
      assert.deepStrictEqual(yield* webhooks.replaySince(customerId, endpoint.id, 0), {
        replayed: 3,
        nextSince: null
      })
      yield* runDue
      assert.isTrue((yield* endpoint.deliveries).every(({ status }) => status === "delivered"))
      assert.deepStrictEqual(yield* example.stop, [`${id} verification.verified: verified`])
    }).pipe(Effect.provide(today(providers)))
  })

  it.effect("takes a test event", () =>
    Effect.gen(function* () {
      const { webhooks, customerId, endpoint, example } = yield* setUp
      yield* webhooks.test(customerId, endpoint.id)
      yield* runDue
      assert.strictEqual((yield* endpoint.delivery).status, "delivered")
      assert.deepStrictEqual(yield* example.stop, ["test webhook.test: undefined"])
    }).pipe(Effect.provide(today()))
  )

  it.effect("takes what is signed with both secrets, and refuses what is signed with another alone", () =>
    Effect.gen(function* () {
      const { webhooks, customerId, endpoint, example } = yield* setUp
      const first = yield* webhooks.rotateSecret(customerId, endpoint.id)
      yield* webhooks.test(customerId, endpoint.id)
      yield* runDue
      assert.strictEqual((yield* endpoint.delivery).tries[0]?.status, 204)
      const second = yield* webhooks.rotateSecret(customerId, endpoint.id)
      assert.notStrictEqual(Redacted.value(first.secret), Redacted.value(second.secret))
      yield* webhooks.test(customerId, endpoint.id)
      yield* runDue
      assert.strictEqual((yield* endpoint.delivery).tries[0]?.status, 401)
      assert.lengthOf(yield* example.stop, 1)
    }).pipe(Effect.provide(today()))
  )

  it.effect.each([-6, 6])("refuses what was signed %s minutes from now", (minutes) =>
    Effect.gen(function* () {
      const { webhooks, customerId, endpoint, example } = yield* setUp
      yield* webhooks.test(customerId, endpoint.id)
      yield* runDue
      assert.strictEqual((yield* endpoint.delivery).tries[0]?.status, 401)
      assert.deepStrictEqual(yield* example.stop, [])
    }).pipe(Effect.provide(today(scriptProviders(), minutes * 60_000)))
  )
})
