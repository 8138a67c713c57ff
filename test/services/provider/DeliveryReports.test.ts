import { assert, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { DeliveryReport } from "../../../src/domain/ProviderOutcome.ts"
import type { Channel } from "../../../src/domain/routing/Channel.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { delivered, deliveriesOf, reportTimers, scriptReports, typesOf } from "./ScriptedReports.ts"
import { accountsOf, customerWithReports, eventsOf } from "../../support/RepeatableAccounts.ts"
import { connectedProcess, switchedOff } from "../../support/ScriptedConnections.ts"
import { scriptProviders, unreachable } from "../../support/ScriptedProviders.ts"
import { arriveAt, PHONE } from "../../support/SentMessages.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { runDue } from "../../support/TestGraph.ts"

const { Delivered, InProgress, NotKnown, Undelivered } = DeliveryReport

const send = Effect.fnUntraced(function* (customerId: number, channels: ReadonlyArray<Channel>) {
  const verifications = yield* Verifications
  const { verificationId: id } = yield* verifications.send({
    customerId,
    phone: PHONE,
    channels: channels.map((channel) => ({ channel }))
  })
  return {
    id,
    status: verifications.status({ customerId, id }),
    verify: (code: string) => verifications.verify({ customerId, id, code })
  }
})

layer(TestDatabase, { excludeTestServices: true })("a provider that reports the delivery of a code", (it) => {
  it.effect(
    "is asked 10 s, 1 min, 5 min, 30 min, 2 h, 12 h and a day after the send, with its id, and then no more",
    () => {
      const providers = scriptProviders()
      const reports = scriptReports(InProgress(), NotKnown({ reason: "down" }), InProgress())
      return Effect.gen(function* () {
        const start = yield* Clock.currentTimeMillis
        const customerId = yield* customerWithReports(["bale"])
        const { id } = yield* send(customerId, ["bale"])
        assert.strictEqual(yield* reportTimers, 1)
        for (const at of [10, 60, 300, 1_800, 7_200, 43_200, 86_400]) {
          yield* arriveAt(start, at - 1)
          yield* arriveAt(start, at)
        }
        yield* arriveAt(start, 200_000)
        assert.deepStrictEqual(reports.seconds(), [10, 60, 300, 1_800, 7_200, 43_200, 86_400])
        const accountId = (yield* accountsOf(customerId))("bale")
        assert.isTrue(reports.asked.every((ask) => ask.accountId === accountId && ask.messageId === "m-1"))
        assert.strictEqual(yield* reportTimers, 0)
        assert.deepStrictEqual(yield* deliveriesOf("verifications", id), [[0, null]])
      }).pipe(Effect.provide(connectedProcess(providers.layer, reports.connect)))
    }
  )

  it.effect("and knows is not asked again, and what it says is kept and announced once", () => {
    const providers = scriptProviders()
    const reports = scriptReports(InProgress(), Delivered({ at: 9_000 }))
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const { id, status } = yield* send(yield* customerWithReports(["bale"]), ["bale", "sms"])
      yield* arriveAt(start, 10)
      assert.deepStrictEqual(yield* deliveriesOf("verifications", id), [[0, null]])
      yield* arriveAt(start, 59)
      assert.lengthOf(reports.asked, 1)
      yield* arriveAt(start, 60)
      assert.deepStrictEqual(yield* deliveriesOf("verifications", id), [
        [0, delivered],
        [1, null]
      ])
      const events = yield* eventsOf(id)
      const announced = events.filter(({ type }) => type === "verification.attempt_delivered")
      assert.lengthOf(announced, 1)
      assert.deepStrictEqual(
        events.map(({ sequence }) => sequence),
        [1, 2, 3, 4]
      )
      assert.include(JSON.stringify(announced[0]?.data), '"delivery":')
      const shown = yield* status
      assert.strictEqual(shown.status, "queued")
      assert.deepStrictEqual(
        shown.attempts.map(({ delivery }) => delivery),
        ["delivered", null]
      )
      yield* arriveAt(start, 90_000)
      assert.deepStrictEqual(reports.seconds(), [10, 60])
      assert.strictEqual(yield* reportTimers, 0)
    }).pipe(Effect.provide(connectedProcess(providers.layer, reports.connect)))
  })

  it.effect("that it was not delivered is kept with its words, and the route is not changed by it", () => {
    const providers = scriptProviders()
    const reports = scriptReports(Undelivered({ providerError: "6 expired\u0000" }))
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const { id, status } = yield* send(yield* customerWithReports(["bale"]), ["bale", "sms"])
      yield* arriveAt(start, 10)
      assert.deepStrictEqual(yield* deliveriesOf("verifications", id), [
        [0, { status: "undelivered", at: null, provider_error: "6 expired" }]
      ])
      assert.deepStrictEqual(yield* typesOf(id), [
        [1, "verification.queued"],
        [2, "verification.attempt_sent"],
        [3, "verification.attempt_undelivered"]
      ])
      assert.strictEqual((yield* status).remainingSeconds, 50)
      yield* arriveAt(start, 59)
      assert.deepStrictEqual(providers.channels(), ["bale"])
      yield* arriveAt(start, 60)
      assert.deepStrictEqual(providers.channels(), ["bale", "sms"])
    }).pipe(Effect.provide(connectedProcess(providers.layer, reports.connect)))
  })

  it.effect("has its words kept without the phone and the code", () => {
    const providers = scriptProviders()
    const said = () => `14 to ${PHONE}: code ${providers.deliveries[0]?.code}`
    const reports = scriptReports(Effect.sync(() => Undelivered({ providerError: said() })))
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const { id } = yield* send(yield* customerWithReports(["bale"]), ["bale"])
      yield* arriveAt(start, 10)
      assert.deepStrictEqual(yield* deliveriesOf("verifications", id), [
        [0, { status: "undelivered", at: null, provider_error: "14 to •••: code •••" }]
      ])
    }).pipe(Effect.provide(connectedProcess(providers.layer, reports.connect)))
  })

  it.effect("is asked and heard also after the code was verified", () => {
    const providers = scriptProviders()
    const reports = scriptReports(Delivered({ at: 9_000 }))
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const { id, status, verify } = yield* send(yield* customerWithReports(["bale"]), ["bale", "sms"])
      assert.strictEqual((yield* verify(providers.deliveries[0]?.code ?? "")).reason, "ok")
      yield* arriveAt(start, 10)
      assert.deepStrictEqual(yield* deliveriesOf("verifications", id), [[0, delivered]])
      assert.deepStrictEqual(yield* typesOf(id), [
        [1, "verification.queued"],
        [2, "verification.attempt_sent"],
        [3, "verification.verified"],
        [4, "verification.attempt_delivered"]
      ])
      assert.strictEqual((yield* status).status, "verified")
      yield* arriveAt(start, 90_000)
      assert.deepStrictEqual(providers.channels(), ["bale"])
    }).pipe(Effect.provide(connectedProcess(providers.layer, reports.connect)))
  })

  it.effect("while the code is being verified loses neither what it says nor the verification", () => {
    const gate = Deferred.makeUnsafe<void>()
    const providers = scriptProviders()
    const reports = scriptReports(Effect.as(Deferred.await(gate), Delivered({ at: 9_000 })))
    return Effect.gen(function* () {
      const { id, status, verify } = yield* send(yield* customerWithReports(["bale"]), ["bale", "sms"])
      yield* TestClock.adjust("10 seconds")
      const asking = yield* Effect.forkChild(runDue)
      yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => reports.asked.length === 1 }))
      assert.strictEqual((yield* verify(providers.deliveries[0]?.code ?? "")).reason, "ok")
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(asking)
      assert.strictEqual((yield* status).status, "verified")
      assert.deepStrictEqual(yield* deliveriesOf("verifications", id), [[0, delivered]])
      assert.deepStrictEqual((yield* typesOf(id)).slice(2), [
        [3, "verification.verified"],
        [4, "verification.attempt_delivered"]
      ])
      assert.strictEqual(yield* reportTimers, 0)
    }).pipe(Effect.provide(connectedProcess(providers.layer, reports.connect)))
  })

  it.effect("asked by two processes, because one lost its lease, is heard once", () => {
    const gate = Deferred.makeUnsafe<void>()
    const providers = scriptProviders()
    const reports = scriptReports(
      Effect.as(Deferred.await(gate), Undelivered({ providerError: "6" })),
      Delivered({ at: 9_000 })
    )
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* send(yield* customerWithReports(["bale"]), ["bale"])
      // The pass that asks looks for parked timers no more, and cannot claim what is given away below.
      yield* TestClock.adjust("6 seconds")
      yield* runDue
      yield* TestClock.adjust("4 seconds")
      const asking = yield* Effect.forkChild(runDue)
      yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => reports.asked.length === 1 }))
      yield* sql`update timers set claimable_at = 'epoch', lease_token = gen_random_uuid()
        where kind = 'verification_report'`
      yield* runDue
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(asking)
      assert.deepStrictEqual(yield* deliveriesOf("verifications", id), [[0, delivered]])
      assert.deepStrictEqual((yield* typesOf(id)).slice(2), [[3, "verification.attempt_delivered"]])
    }).pipe(Effect.provide(connectedProcess(providers.layer, reports.connect)))
  })

  it.effect("whose account is switched off meanwhile is asked when it is on again", () => {
    const providers = scriptProviders()
    const reports = scriptReports(switchedOff, switchedOff, Delivered({ at: 9_000 }))
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const { id } = yield* send(yield* customerWithReports(["bale"]), ["bale"])
      yield* arriveAt(start, 10)
      yield* arriveAt(start, 60)
      assert.deepStrictEqual([reports.refused.length, reports.asked.length], [2, 0])
      assert.deepStrictEqual(yield* deliveriesOf("verifications", id), [[0, null]])
      yield* arriveAt(start, 300)
      assert.deepStrictEqual(reports.seconds(), [300])
      assert.deepStrictEqual(yield* deliveriesOf("verifications", id), [[0, delivered]])
    }).pipe(Effect.provide(connectedProcess(providers.layer, reports.connect)))
  })

  it.effect("whose adapter breaks is asked again like any other", () => {
    const providers = scriptProviders()
    const reports = scriptReports(Effect.die("a bug in the adapter"), Delivered({ at: 9_000 }))
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const { id } = yield* send(yield* customerWithReports(["bale"]), ["bale"])
      yield* arriveAt(start, 10)
      yield* arriveAt(start, 59)
      assert.deepStrictEqual(reports.seconds(), [10])
      yield* arriveAt(start, 60)
      assert.deepStrictEqual(reports.seconds(), [10, 60])
      assert.deepStrictEqual(yield* deliveriesOf("verifications", id), [[0, delivered]])
    }).pipe(Effect.provide(connectedProcess(providers.layer, reports.connect)))
  })

  it.effect("is not asked about a send that it did not accept, or that is another's", () => {
    const providers = scriptProviders({ bale: unreachable })
    const reports = scriptReports(Delivered({ at: null }))
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      yield* send(yield* customerWithReports(["bale"]), ["bale", "sms"])
      yield* runDue
      assert.deepStrictEqual(providers.channels(), ["bale", "sms"])
      assert.strictEqual(yield* reportTimers, 0)
      yield* arriveAt(start, 90_000)
      assert.deepStrictEqual(reports.asked, [])
    }).pipe(Effect.provide(connectedProcess(providers.layer, reports.connect)))
  })

  it.effect("is asked about each step by itself", () => {
    const providers = scriptProviders()
    const reports = scriptReports(InProgress())
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const customerId = yield* customerWithReports(["bale", "sms"])
      yield* send(customerId, ["bale", "sms"])
      for (const at of [10, 60, 70, 120]) yield* arriveAt(start, at)
      const accountOf = yield* accountsOf(customerId)
      assert.deepStrictEqual(
        reports.asked.map(({ accountId, at }) => [accountId, at / 1000]),
        [
          [accountOf("bale"), 10],
          [accountOf("bale"), 60],
          [accountOf("sms"), 70],
          [accountOf("sms"), 120]
        ]
      )
    }).pipe(Effect.provide(connectedProcess(providers.layer, reports.connect)))
  })
})
