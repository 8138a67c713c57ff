import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Webhook, WebhookVerificationError } from "standardwebhooks"
import { Webhooks } from "../../../src/services/webhook/Webhooks.ts"
import type { Received } from "../../support/fakes/FakeFarEnd.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { customerAt, receiver, sendCode, webhookProcess } from "../../support/WebhookProcess.ts"
import { runDue } from "../../support/TestGraph.ts"

const headersOf = ({ headers }: Received) => ({
  "webhook-id": headers["webhook-id"] ?? "",
  "webhook-timestamp": headers["webhook-timestamp"] ?? "",
  "webhook-signature": headers["webhook-signature"] ?? ""
})

const verify = (secret: string, received: Received, body = received.body): unknown =>
  new Webhook(secret).verify(body, headersOf(received))

const isRefused = (secret: string, received: Received, body = received.body): void =>
  assert.throws(() => verify(secret, received, body), WebhookVerificationError)

/** The library's clock is the real one. */
const today = (shiftMillis = 0) =>
  webhookProcess(scriptProviders(), {
    startsAt: Math.floor(performance.timeOrigin + performance.now()) + shiftMillis
  })

const delivered = Effect.gen(function* () {
  const fake = yield* receiver
  const { customerId, endpoint } = yield* customerAt(fake.url, ["verification.queued"])
  const deliver = Effect.gen(function* () {
    yield* sendCode(customerId)
    yield* runDue
    return fake.received.at(-1) ?? assert.fail("nothing was delivered")
  })
  return { customerId, endpoint, received: yield* deliver, deliver }
})

layer(TestDatabase, { excludeTestServices: true })("a delivery, to the official library", (it) => {
  it.effect("is genuine, of every event, and says what was posted", () =>
    Effect.gen(function* () {
      const { endpoint, received } = yield* delivered
      assert.deepStrictEqual(verify(endpoint.secret, received), received.json)
      assert.match(endpoint.secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    }).pipe(Effect.provide(today()))
  )

  it.effect("is not when a byte of its body was changed, or the secret is another one", () =>
    Effect.gen(function* () {
      const { endpoint, received } = yield* delivered
      isRefused(endpoint.secret, received, received.body.replace("queued", "failed"))
      isRefused(`whsec_${Buffer.alloc(32, 1).toString("base64")}`, received)
    }).pipe(Effect.provide(today()))
  )

  it.effect("is not when its id or its time was changed", () =>
    Effect.gen(function* () {
      const { endpoint, received } = yield* delivered
      const later = String(Number(received.headers["webhook-timestamp"]) + 1)
      for (const change of [{ "webhook-id": "another" }, { "webhook-timestamp": later }]) {
        isRefused(endpoint.secret, { ...received, headers: { ...received.headers, ...change } })
      }
    }).pipe(Effect.provide(today()))
  )

  it.effect("is not when it is older than five minutes", () =>
    Effect.gen(function* () {
      const { endpoint, received } = yield* delivered
      isRefused(endpoint.secret, received)
    }).pipe(Effect.provide(today(-6 * 60_000)))
  )

  it.effect("is genuine by the old secret and the new one for 24 hours after a rotation", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const { customerId, endpoint, deliver } = yield* delivered
      const rotated = yield* webhooks.rotateSecret(customerId, endpoint.id)
      const secret = Redacted.value(rotated.secret)
      assert.notStrictEqual(secret, endpoint.secret)
      const during = yield* deliver
      assert.match(during.headers["webhook-signature"] ?? "", /^v1,\S+ v1,\S+$/)
      verify(secret, during)
      verify(endpoint.secret, during)
    }).pipe(Effect.provide(today()))
  )

  it.effect("is genuine by the new secret alone once the 24 hours are over", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const { customerId, endpoint, deliver } = yield* delivered
      const { secret } = yield* webhooks.rotateSecret(customerId, endpoint.id)
      yield* TestClock.adjust("24 hours")
      const after = yield* deliver
      assert.match(after.headers["webhook-signature"] ?? "", /^v1,\S+$/)
      verify(Redacted.value(secret), after)
      isRefused(endpoint.secret, after)
    }).pipe(Effect.provide(today(-24 * 3_600_000)))
  )

  it.effect("that comes again is signed again, for the time at which it does", () =>
    Effect.gen(function* () {
      const fake = yield* receiver
      fake.script({ status: 500 })
      const { customerId, endpoint } = yield* customerAt(fake.url, ["verification.queued"])
      yield* sendCode(customerId)
      yield* runDue
      yield* TestClock.adjust("6 seconds")
      yield* runDue
      const [first, second] = fake.received
      if (first === undefined || second === undefined) return assert.fail("two tries were expected")
      verify(endpoint.secret, first)
      verify(endpoint.secret, second)
      assert.strictEqual(second.headers["webhook-id"], first.headers["webhook-id"])
      assert.notStrictEqual(second.headers["webhook-timestamp"], first.headers["webhook-timestamp"])
    }).pipe(Effect.provide(today()))
  )
})
