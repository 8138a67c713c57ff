import { assert, layer } from "@effect/vitest"
import { Array as Arr, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Webhooks } from "../../../src/services/webhook/Webhooks.ts"
import { WEBHOOK_TRY_MILLIS } from "../../../src/domain/Webhook.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { runDue } from "../../support/TestGraph.ts"
import {
  comeTo,
  customerAt,
  endpointAt,
  failing,
  holdTry,
  patient,
  receiver,
  sendCode,
  webhookProcess
} from "../../support/WebhookProcess.ts"

const DAY = 24 * 3600
const QUEUED = ["verification.queued"]

layer(TestDatabase, { excludeTestServices: true })("a webhook that does not take an event", (it) => {
  it.effect("gets it ten times in a day, at the planned times and with one id, and then no more", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const fake = yield* receiver
      fake.script(...failing(10))
      const { customerId, endpoint } = yield* customerAt(fake.url, QUEUED)
      yield* sendCode(customerId)
      yield* runDue
      for (let nth = 1; nth < 10; nth++) {
        const { nextTryAt } = yield* endpoint.delivery
        yield* comeTo(0, ((nextTryAt ?? Number.NaN) - 1) / 1000)
        assert.strictEqual(fake.received.length, nth)
        yield* comeTo(0, (nextTryAt ?? Number.NaN) / 1000)
        assert.strictEqual(fake.received.length, nth + 1)
      }
      yield* comeTo(0, 3 * DAY)
      const { status, tries, nextTryAt } = yield* endpoint.delivery
      assert.deepStrictEqual([status, tries.length, nextTryAt], ["failed", 10, null])
      for (const [nth, made] of tries.entries()) {
        const planned = WEBHOOK_TRY_MILLIS[nth] ?? Number.NaN
        assert.isTrue(made.at >= planned && made.at <= planned * 1.1, `${nth}: ${made.at}`)
        assert.deepStrictEqual([made.status, made.error, made.duration_ms], [500, null, 0])
      }
      assert.strictEqual(new Set(fake.received.map(({ headers }) => headers["webhook-id"])).size, 1)
      assert.deepStrictEqual(
        fake.received.map(({ headers }) => headers["webhook-timestamp"]),
        tries.map(({ at }) => String(Math.floor(at / 1000)))
      )
      assert.strictEqual(fake.received.length, 10)
    }).pipe(Effect.provide(webhookProcess(providers, patient)))
  })

  it.effect("gets it again however it failed, and each failure is recorded", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const fake = yield* receiver
      const elsewhere = yield* receiver
      fake.script("reset", { status: 302, headers: { location: elsewhere.url } }, { status: 404, text: "no" })
      const { customerId, endpoint } = yield* customerAt(fake.url, QUEUED)
      yield* sendCode(customerId)
      yield* runDue
      yield* comeTo(0, 6)
      yield* comeTo(0, 400)
      yield* comeTo(0, 2000)
      const { status, tries } = yield* endpoint.delivery
      assert.deepStrictEqual(
        [status, ...tries.map((made) => made.status)],
        ["delivered", null, 302, 404, 204]
      )
      assert.isString(tries[0]?.error)
      assert.lengthOf(elsewhere.received, 0)
    }).pipe(Effect.provide(webhookProcess(providers)))
  })

  it.effect("is not asked again for events of a type that it does not take any more", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const fake = yield* receiver
      fake.script(...failing(2))
      const { customerId, endpoint } = yield* customerAt(fake.url, QUEUED)
      yield* sendCode(customerId)
      yield* runDue
      yield* webhooks.update(customerId, endpoint.id, { events: ["verification.verified"] }, null)
      yield* comeTo(0, 400)
      const { eventId, status, tries, nextTryAt } = yield* endpoint.delivery
      assert.deepStrictEqual([status, tries.length, nextTryAt], ["failed", 1, null])
      assert.lengthOf(fake.received, 1)
      const refusal = yield* Effect.flip(webhooks.replay(customerId, endpoint.id, eventId))
      assert.strictEqual(refusal._tag, "conflict")
      // Wanted again, it can be replayed, and a test event is always taken.
      yield* webhooks.update(customerId, endpoint.id, { events: ["*"] }, null)
      yield* webhooks.replay(customerId, endpoint.id, eventId)
      yield* runDue
      assert.lengthOf(fake.received, 2)
      yield* webhooks.update(customerId, endpoint.id, { events: ["verification.verified"] }, null)
      yield* webhooks.test(customerId, endpoint.id)
      yield* runDue
      assert.lengthOf(fake.received, 3)
    }).pipe(Effect.provide(webhookProcess(providers)))
  })

  it.effect("is not asked again before the time it named", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const fake = yield* receiver
      fake.script({ status: 429, headers: { "retry-after": "7200" } })
      const { customerId, endpoint } = yield* customerAt(fake.url, QUEUED)
      yield* sendCode(customerId)
      yield* runDue
      assert.strictEqual((yield* endpoint.delivery).nextTryAt, 7_200_000)
      yield* comeTo(0, 7199)
      assert.lengthOf(fake.received, 1)
      yield* comeTo(0, 7200)
      assert.strictEqual((yield* endpoint.delivery).status, "delivered")
    }).pipe(Effect.provide(webhookProcess(providers)))
  })

  it.effect("because it hangs holds up nobody else, and not more than eight of its own", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const [hanging, healthy] = [yield* receiver, yield* receiver]
      hanging.script(...Arr.makeBy(8, () => "silence" as const))
      const slow = yield* customerAt(hanging.url, QUEUED)
      const quick = yield* customerAt(healthy.url, QUEUED)
      for (let n = 0; n < 12; n++) yield* sendCode(slow.customerId)
      for (let n = 0; n < 3; n++) yield* sendCode(quick.customerId)
      const running = yield* Effect.forkChild(runDue)
      yield* healthy.arrived(3)
      yield* hanging.arrived(8)
      yield* TestClock.adjust("500 millis")
      assert.lengthOf(hanging.received, 8)
      yield* TestClock.adjust("14500 millis")
      yield* Fiber.join(running)
      yield* comeTo(0, 60)
      const deliveries = yield* slow.endpoint.deliveries
      const failures = deliveries.filter(({ tries }) => tries[0]?.error === "no answer in time")
      assert.deepStrictEqual([failures.length, deliveries.length], [8, 12])
      assert.isTrue(deliveries.every(({ status }) => status === "delivered"))
      assert.isTrue((yield* quick.endpoint.deliveries).every(({ tries }) => tries.length === 1))
    }).pipe(Effect.provide(webhookProcess(providers)))
  })

  it.effect("because it hangs does not hold up another one of its customer", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const [hanging, healthy] = [yield* receiver, yield* receiver]
      hanging.script(...Arr.makeBy(8, () => "silence" as const))
      const { customerId, endpoint } = yield* customerAt(hanging.url, QUEUED)
      const other = yield* endpointAt(customerId, healthy.url, QUEUED)
      for (let n = 0; n < 12; n++) yield* sendCode(customerId)
      const running = yield* Effect.forkChild(runDue)
      yield* healthy.arrived(12)
      yield* TestClock.adjust("15 seconds")
      yield* Fiber.join(running)
      yield* comeTo(0, 60)
      assert.isTrue((yield* other.deliveries).every(({ tries }) => tries.length === 1 && tries[0]?.at === 0))
      assert.isTrue((yield* endpoint.deliveries).every(({ status }) => status === "delivered"))
    }).pipe(Effect.provide(webhookProcess(providers)))
  })

  it.effect("because it is gone is disabled, and what is on its way to it ends as failed", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const fake = yield* receiver
      const { customerId, endpoint } = yield* customerAt(fake.url, QUEUED)
      fake.script({ status: 500 }, { status: 410 })
      yield* sendCode(customerId)
      yield* runDue
      yield* sendCode(customerId)
      yield* runDue
      const { disabledReason } = yield* endpoint.record
      assert.strictEqual(disabledReason, "gone")
      yield* sendCode(customerId)
      yield* runDue
      assert.deepStrictEqual(
        (yield* endpoint.deliveries).map(({ status, tries }) => [status, tries.length]),
        [
          ["failed", 1],
          ["failed", 1]
        ]
      )
      assert.lengthOf(fake.received, 2)
    }).pipe(Effect.provide(webhookProcess(providers)))
  })

  it.effect("at an address that it has no more is not disabled for what the old one answers", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const fake = yield* receiver
      const { customerId, endpoint } = yield* customerAt(fake.url, QUEUED)
      yield* sendCode(customerId)
      const answerTry = yield* holdTry(fake)
      yield* webhooks.update(customerId, endpoint.id, { url: `${fake.url}/moved` }, null)
      yield* answerTry(410)
      assert.isNull((yield* endpoint.record).disabledReason)
    }).pipe(Effect.provide(webhookProcess(providers)))
  })

  it.effect("for five days is disabled", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const fake = yield* receiver
      fake.script(...failing(30))
      const { customerId, endpoint } = yield* customerAt(fake.url, QUEUED)
      yield* sendCode(customerId)
      yield* runDue
      assert.strictEqual((yield* endpoint.record).failingSince, 0)
      yield* comeTo(0, 5 * DAY - 1)
      yield* sendCode(customerId)
      yield* runDue
      yield* comeTo(0, 5 * DAY + 5)
      // Its second try: not before the third is it given up.
      assert.isNull((yield* endpoint.record).disabledReason)
      yield* comeTo(0, 5 * DAY + 330)
      assert.strictEqual((yield* endpoint.record).disabledReason, "failing")
      assert.strictEqual((yield* endpoint.delivery).status, "failed")
    }).pipe(Effect.provide(webhookProcess(providers, patient)))
  })

  it.effect("but takes one in between is not failing any more", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const fake = yield* receiver
      fake.script({ status: 500 })
      const { customerId, endpoint } = yield* customerAt(fake.url, QUEUED)
      yield* sendCode(customerId)
      yield* runDue
      yield* comeTo(0, 6)
      const { failingSince, version } = yield* endpoint.record
      assert.deepStrictEqual([failingSince, version], [null, 1])
    }).pipe(Effect.provide(webhookProcess(providers)))
  })
})
