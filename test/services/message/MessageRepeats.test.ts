import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { accepted, scriptProviders, unavailable, unknown } from "../../support/ScriptedProviders.ts"
import { scriptSlots } from "../../support/ScriptedSlots.ts"
import { arriveAt, sendMessage, settle, summary } from "../../support/SentMessages.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { runDue, testProcess } from "../../support/TestGraph.ts"
import {
  customerWithRepeats,
  eventsOf,
  leaseToTheDead,
  timersOf,
  UNKNOWN
} from "../../support/RepeatableAccounts.ts"

layer(TestDatabase, { excludeTestServices: true })("a message whose answer was lost", (it) => {
  it.effect("is sent again at once with the same id, and is one attempt", () => {
    const providers = scriptProviders({ bale: [unknown, accepted] })
    return Effect.gen(function* () {
      const { id, status } = yield* sendMessage(yield* customerWithRepeats(["bale"]), ["bale", "sms"])
      yield* settle
      assert.deepStrictEqual(
        providers.deliveries.map(({ attemptId, channel, at }) => [attemptId, channel, at]),
        [
          [`${id}-1`, "bale", 0],
          [`${id}-1`, "bale", 0]
        ]
      )
      const { status: now, attempts } = yield* status
      assert.strictEqual(now, "sent")
      assert.deepStrictEqual(summary(attempts), [[1, "sent", null]])
      assert.strictEqual(yield* timersOf(id), 0)
      assert.deepStrictEqual(
        (yield* eventsOf(id)).map(({ type }) => type),
        ["message.queued", "message.sending", "message.sent"]
      )
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("twice fails over, and the first route stays unknown", () => {
    const providers = scriptProviders({ bale: unknown })
    return Effect.gen(function* () {
      const { status } = yield* sendMessage(yield* customerWithRepeats(["bale"]), ["bale", "sms"])
      yield* settle
      assert.deepStrictEqual(providers.channels(), ["bale", "bale", "sms"])
      assert.deepStrictEqual(summary((yield* status).attempts), [
        [1, "failed", UNKNOWN],
        [2, "sent", null]
      ])
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("is not retried like an unavailable one when its repeat finds the provider unavailable", () => {
    const providers = scriptProviders({ bale: [unknown, unavailable] })
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const { status } = yield* sendMessage(yield* customerWithRepeats(["bale"]), ["bale"])
      yield* settle
      yield* arriveAt(start, 60)
      assert.lengthOf(providers.deliveries, 2)
      assert.deepStrictEqual(summary((yield* status).attempts), [[1, "failed", UNKNOWN]])
      assert.strictEqual((yield* status).status, "failed")
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("after retries of an unavailable provider is sent once more, and then no more", () => {
    const providers = scriptProviders({ bale: [unavailable, unavailable, unknown, unavailable] })
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      yield* sendMessage(yield* customerWithRepeats(["bale"]), ["bale"])
      for (const seconds of [2, 10, 11, 20, 60]) yield* arriveAt(start, seconds)
      assert.deepStrictEqual(
        providers.deliveries.map(({ at }) => (at - start) / 1000),
        [0, 2, 10, 10]
      )
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("of a broadcast is repeated on its own route, once, next to the others", () => {
    const providers = scriptProviders({ bale: [unknown, accepted], eitaa: unknown })
    return Effect.gen(function* () {
      const customerId = yield* customerWithRepeats(["bale"])
      const { status } = yield* sendMessage(customerId, ["bale", "eitaa", "sms"], { strategy: "broadcast" })
      yield* settle
      assert.deepStrictEqual(providers.channels().sort(), ["bale", "bale", "eitaa", "sms"])
      const { status: now, attempts } = yield* status
      assert.strictEqual(now, "partial_failed")
      assert.deepStrictEqual(summary(attempts), [
        [1, "sent", null],
        [2, "failed", UNKNOWN],
        [3, "sent", null]
      ])
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("by an account in a cooldown then goes on to a route whose account may send", () => {
    const slots = scriptSlots()
    const lostAndResting = Effect.sync(() => {
      slots.freeAt.bale = 9e9
      return unknown
    })
    const providers = scriptProviders({ bale: lostAndResting })
    return Effect.gen(function* () {
      const { status } = yield* sendMessage(yield* customerWithRepeats(["bale"]), ["bale", "sms"])
      yield* settle
      assert.deepStrictEqual(providers.channels(), ["bale", "sms"])
      assert.deepStrictEqual(summary((yield* status).attempts), [
        [1, "failed", UNKNOWN],
        [2, "sent", null]
      ])
    }).pipe(Effect.provide(testProcess(Layer.merge(providers.layer, slots.layer))))
  })

  it.effect("with its process is sent again once the lease has run out, and then given up", () => {
    const providers = scriptProviders({ bale: Effect.never })
    return Effect.gen(function* () {
      const customerId = yield* customerWithRepeats(["bale"])
      const sql = yield* SqlClient.SqlClient
      const { id, status } = yield* sendMessage(customerId, ["bale", "sms"], { delay: "1m" })
      const begin = Effect.gen(function* () {
        const calls = providers.deliveries.length
        const running = yield* Effect.forkChild(runDue)
        yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => providers.deliveries.length > calls }))
        yield* Fiber.interrupt(running)
        yield* leaseToTheDead(id, yield* Clock.currentTimeMillis)
      })
      yield* TestClock.adjust("1 minute")
      yield* begin
      yield* TestClock.adjust("30 seconds")
      yield* begin
      yield* TestClock.adjust("30 seconds")
      yield* runDue
      assert.deepStrictEqual(providers.channels(), ["bale", "bale", "sms"])
      assert.strictEqual(new Set(providers.deliveries.map(({ attemptId }) => attemptId)).size, 2)
      assert.deepStrictEqual(summary((yield* status).attempts), [
        [1, "failed", UNKNOWN],
        [2, "sent", null]
      ])
      const [row] = yield* sql<{ readonly tries: number }>`
        select (attempts -> 0 ->> 'tries')::int as tries from messages where id = ${id}::uuid`
      assert.strictEqual(row?.tries, 2)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })
})
