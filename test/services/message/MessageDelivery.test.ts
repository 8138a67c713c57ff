import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import {
  accepted,
  misconfigured,
  rejected,
  scriptProviders,
  throttled,
  unavailable,
  unknown,
  unreachable
} from "../../support/ScriptedProviders.ts"
import { scriptSlots } from "../../support/ScriptedSlots.ts"
import { arriveAt, sendMessage, settle, summary } from "../../support/SentMessages.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

const ROUTE = ["bale", "eitaa", "sms"] as const

layer(TestDatabase, { excludeTestServices: true })("a failover message", (it) => {
  it.effect("is queued when accepted, and sent over the first route without anyone asking", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const { answer, status } = yield* sendMessage(yield* makeCustomer(), ROUTE)
      assert.strictEqual(answer.status, "queued")
      const { status: now, attempts, successfulAttempts, completedAt } = yield* status
      assert.deepStrictEqual([now, successfulAttempts, completedAt], ["sent", 1, 0])
      assert.deepStrictEqual(summary(attempts), [[1, "sent", null]])
      assert.deepStrictEqual(providers.channels(), ["bale"])
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  const definite = { unreachable, rejected, misconfigured, throttled, unknown }
  for (const [name, outcome] of Object.entries(definite)) {
    it.effect(`goes on at once after an outcome that is ${name}, and never comes back to that route`, () => {
      const providers = scriptProviders({ bale: outcome, eitaa: outcome })
      return Effect.gen(function* () {
        const { status } = yield* sendMessage(yield* makeCustomer(), ROUTE)
        assert.strictEqual(yield* settle, 2)
        const { status: now, attempts, failedAttempts, successfulAttempts } = yield* status
        const code = attempts[0]?.errorCode ?? null
        assert.deepStrictEqual([now, failedAttempts, successfulAttempts], ["sent", 2, 1])
        assert.isNotNull(code)
        assert.deepStrictEqual(summary(attempts), [
          [1, "failed", code],
          [2, "failed", code],
          [3, "sent", null]
        ])
        assert.deepStrictEqual(providers.channels(), ["bale", "eitaa", "sms"])
      }).pipe(Effect.provide(testProcess(providers.layer)))
    })
  }

  it.effect("fails when every route has failed, each with its own reason", () => {
    const providers = scriptProviders({ bale: unreachable, eitaa: throttled, sms: unknown })
    return Effect.gen(function* () {
      const { status } = yield* sendMessage(yield* makeCustomer(), ROUTE)
      yield* settle
      const { status: now, attempts, failedAttempts, completedAt } = yield* status
      assert.deepStrictEqual([now, failedAttempts, completedAt], ["failed", 3, 0])
      assert.deepStrictEqual(summary(attempts), [
        [1, "failed", "recipient_unreachable"],
        [2, "failed", "provider_rate_limited"],
        [3, "failed", "provider_outcome_unknown"]
      ])
      assert.deepStrictEqual(
        attempts.map(({ providerError }) => providerError),
        ["17 NotBaleUser", "429", "reset"]
      )
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("tries an unavailable provider again after 2 and after 8 seconds, then fails over", () => {
    const providers = scriptProviders({ bale: unavailable })
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const { status } = yield* sendMessage(yield* makeCustomer(), ROUTE)
      const pending = yield* status
      assert.strictEqual(pending.status, "sending")
      assert.deepStrictEqual(summary(pending.attempts), [[1, "pending", "provider_unavailable"]])
      assert.deepStrictEqual([pending.successfulAttempts, pending.failedAttempts], [0, 0])
      assert.strictEqual(yield* arriveAt(start, 1), 0)
      assert.strictEqual(yield* arriveAt(start, 2), 1)
      assert.strictEqual(yield* arriveAt(start, 9), 0)
      assert.strictEqual(yield* arriveAt(start, 10), 2)
      const { status: now, attempts } = yield* status
      assert.strictEqual(now, "sent")
      assert.deepStrictEqual(summary(attempts), [
        [1, "failed", "provider_unavailable"],
        [2, "sent", null]
      ])
      assert.deepStrictEqual(
        providers.deliveries.map(({ channel, at }) => [channel, (at - start) / 1000]),
        [
          ["bale", 0],
          ["bale", 2],
          ["bale", 10],
          ["eitaa", 10]
        ]
      )
      assert.strictEqual(new Set(providers.deliveries.map(({ attemptId }) => attemptId)).size, 2)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("counts a retry that succeeds as one successful attempt", () => {
    const providers = scriptProviders({ bale: [unavailable, accepted] })
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const { status } = yield* sendMessage(yield* makeCustomer(), ROUTE)
      yield* arriveAt(start, 2)
      const { status: now, attempts, failedAttempts } = yield* status
      assert.deepStrictEqual([now, failedAttempts], ["sent", 0])
      assert.deepStrictEqual(summary(attempts), [[1, "sent", null]])
      assert.strictEqual(attempts[0]?.providerError, null)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("takes the first route whose account may send now", () => {
    const providers = scriptProviders()
    const slots = scriptSlots({ bale: 60_000 })
    return Effect.gen(function* () {
      const { status, answer } = yield* sendMessage(yield* makeCustomer(), ROUTE)
      assert.strictEqual(answer.currentChannel.provider, "bale")
      assert.deepStrictEqual(summary((yield* status).attempts), [[2, "sent", null]])
      assert.deepStrictEqual(slots.reports, [["eitaa", "Accepted"]])
    }).pipe(Effect.provide(testProcess(Layer.merge(providers.layer, slots.layer))))
  })

  it.effect("comes back to a route that was cooling down when the others have failed", () => {
    const providers = scriptProviders({ eitaa: unreachable, sms: unreachable })
    const slots = scriptSlots({ bale: 60_000 })
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const { status } = yield* sendMessage(yield* makeCustomer(), ROUTE)
      yield* settle
      assert.strictEqual((yield* status).status, "sending")
      assert.strictEqual(yield* arriveAt(start, 59), 0)
      yield* arriveAt(start, 60)
      const { status: now, attempts } = yield* status
      assert.strictEqual(now, "sent")
      assert.deepStrictEqual(summary(attempts), [
        [2, "failed", "recipient_unreachable"],
        [3, "failed", "recipient_unreachable"],
        [1, "sent", null]
      ])
      assert.strictEqual(attempts[2]?.dueAt, 60_000)
    }).pipe(Effect.provide(testProcess(Layer.merge(providers.layer, slots.layer))))
  })

  it.effect("waits for the earliest of accounts that all cool down", () => {
    const providers = scriptProviders()
    const slots = scriptSlots({ bale: 300_000, eitaa: 200_000, sms: 400_000 })
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const { status } = yield* sendMessage(yield* makeCustomer(), ROUTE)
      const waiting = yield* status
      assert.deepStrictEqual([waiting.status, waiting.attempts.length], ["queued", 0])
      assert.strictEqual(yield* arriveAt(start, 199), 0)
      yield* arriveAt(start, 200)
      assert.deepStrictEqual(summary((yield* status).attempts), [[2, "sent", null]])
    }).pipe(Effect.provide(testProcess(Layer.merge(providers.layer, slots.layer))))
  })

  it.effect("fails when no account may send within 15 minutes past its time, without a call", () => {
    const providers = scriptProviders()
    const slots = scriptSlots({ bale: 9e9, eitaa: 9e9, sms: 9e9 })
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const { status } = yield* sendMessage(yield* makeCustomer(), ROUTE)
      yield* arriveAt(start, 899)
      assert.strictEqual((yield* status).status, "queued")
      yield* arriveAt(start, 900)
      const { status: now, attempts, failedAttempts } = yield* status
      assert.deepStrictEqual([now, failedAttempts], ["failed", 3])
      assert.deepStrictEqual(summary(attempts), [
        [1, "failed", "account_unavailable"],
        [2, "failed", "account_unavailable"],
        [3, "failed", "account_unavailable"]
      ])
      assert.isTrue(attempts.every(({ attemptedAt }) => attemptedAt === null))
      assert.deepStrictEqual(providers.channels(), [])
    }).pipe(Effect.provide(testProcess(Layer.merge(providers.layer, slots.layer))))
  })

  it.effect("announces each change of its state once, in order, without the text", () => {
    const providers = scriptProviders({ bale: unreachable })
    return Effect.gen(function* () {
      const { id } = yield* sendMessage(yield* makeCustomer(), ROUTE)
      yield* settle
      const events = yield* (yield* SqlClient.SqlClient)<{ type: string; sequence: number; data: unknown }>`
        select type, sequence, data from events where subject = ${id}::uuid order by sequence`
      assert.deepStrictEqual(
        events.map(({ type, sequence }) => [sequence, type]),
        [
          [1, "message.queued"],
          [2, "message.sending"],
          [3, "message.sent"]
        ]
      )
      assert.notInclude(JSON.stringify(events), "سلام")
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })
})

layer(TestDatabase, { excludeTestServices: true })("a broadcast message", (it) => {
  const broadcast = { strategy: "broadcast" }

  it.effect("is sent when it went through every route", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const { status } = yield* sendMessage(yield* makeCustomer(), ROUTE, broadcast)
      const { status: now, successfulAttempts, failedAttempts } = yield* status
      assert.deepStrictEqual([now, successfulAttempts, failedAttempts], ["sent", 3, 0])
      assert.deepStrictEqual(providers.channels().sort(), ["bale", "eitaa", "sms"])
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("is partially failed when it went through some", () => {
    const providers = scriptProviders({ eitaa: rejected, sms: unknown })
    return Effect.gen(function* () {
      const { status } = yield* sendMessage(yield* makeCustomer(), ROUTE, broadcast)
      const { status: now, successfulAttempts, failedAttempts, completedAt } = yield* status
      assert.deepStrictEqual([now, successfulAttempts, failedAttempts], ["partial_failed", 1, 2])
      assert.isNotNull(completedAt)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("fails when it went through none", () => {
    const providers = scriptProviders({ bale: unreachable, eitaa: rejected, sms: misconfigured })
    return Effect.gen(function* () {
      const { status } = yield* sendMessage(yield* makeCustomer(), ROUTE, broadcast)
      const { status: now, failedAttempts } = yield* status
      assert.deepStrictEqual([now, failedAttempts], ["failed", 3])
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("does not let one route wait for another: each has its own retries and its own account", () => {
    const providers = scriptProviders({ bale: [unavailable, accepted] })
    const slots = scriptSlots({ sms: 60_000 })
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const { status } = yield* sendMessage(yield* makeCustomer(), ROUTE, broadcast)
      assert.deepStrictEqual([...providers.channels()].sort(), ["bale", "eitaa"])
      yield* arriveAt(start, 2)
      assert.deepStrictEqual([...providers.channels()].sort(), ["bale", "bale", "eitaa"])
      assert.strictEqual((yield* status).status, "sending")
      yield* arriveAt(start, 60)
      const { status: now, successfulAttempts, completedAt } = yield* status
      assert.deepStrictEqual([now, successfulAttempts, completedAt], ["sent", 3, 60_000])
    }).pipe(Effect.provide(testProcess(Layer.merge(providers.layer, slots.layer))))
  })

  it.effect("gives up only the route whose account may not send in time", () => {
    const providers = scriptProviders()
    const slots = scriptSlots({ sms: 9e9 })
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const { status } = yield* sendMessage(yield* makeCustomer(), ROUTE, broadcast)
      yield* arriveAt(start, 900)
      const { status: now, attempts } = yield* status
      assert.strictEqual(now, "partial_failed")
      assert.deepStrictEqual(
        attempts
          .filter(({ errorCode }) => errorCode !== null)
          .map(({ sequence, errorCode }) => [sequence, errorCode]),
        [[3, "account_unavailable"]]
      )
    }).pipe(Effect.provide(testProcess(Layer.merge(providers.layer, slots.layer))))
  })

  it.effect("leaves no timer behind when it is complete", () => {
    const providers = scriptProviders({ bale: unreachable })
    return Effect.gen(function* () {
      yield* sendMessage(yield* makeCustomer(), ROUTE, broadcast)
      const timers = yield* (yield* SqlClient.SqlClient)`select 1 from timers`
      assert.strictEqual(timers.length, 0)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })
})
