import { assert, layer } from "@effect/vitest"
import { Array as Arr, Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { Workers } from "../../../src/services/concurrency/Workers.ts"
import { codeTo, gapsOf, liveFor, messageTo, paced } from "../../support/PacedAccounts.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer } from "../../support/TestGraph.ts"

const unbounded = { concurrency: "unbounded" } as const

layer(TestDatabase, { excludeTestServices: true })("an account's gap", (it) => {
  it.effect("is kept between messages that are sent at once, and each is sent at its own slot", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"])
      yield* Effect.all(
        Arr.makeBy(8, () => messageTo(customerId, ["bale"])),
        unbounded
      )
      yield* liveFor(12)
      assert.strictEqual(providers.deliveries.length, 8)
      assert.isTrue(gapsOf(providers.deliveries.map(({ at }) => at)).every((gap) => gap >= 1000))
    }).pipe(Effect.provide(paced(providers)))
  })

  it.effect("is kept by what comes late: slots that have passed are not used all at once", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"])
      yield* Effect.all(
        Arr.makeBy(5, () => messageTo(customerId, ["bale"])),
        unbounded
      )
      yield* (yield* Workers).idle
      yield* TestClock.adjust("5 minutes")
      yield* liveFor(8)
      assert.strictEqual(providers.deliveries.length, 5)
      assert.isTrue(gapsOf(providers.deliveries.map(({ at }) => at)).every((gap) => gap >= 1000))
    }).pipe(Effect.provide(paced(providers)))
  })

  it.effect("far behind leaves codes a place before the messages that wait", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"])
      yield* Effect.all(
        Arr.makeBy(60, () => messageTo(customerId, ["bale"])),
        unbounded
      )
      yield* (yield* Workers).idle
      const { status, verificationId: id } = yield* codeTo(customerId, ["bale"])
      assert.strictEqual(status, "queued")
      yield* liveFor(10)
      assert.strictEqual((yield* (yield* Verifications).status({ customerId, id })).status, "queued")
    }).pipe(Effect.provide(paced(providers)))
  })

  it.effect("makes a code wait within its request, if it is short", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"])
      const start = yield* Clock.currentTimeMillis
      yield* codeTo(customerId, ["bale"])
      const second = yield* Effect.forkChild(codeTo(customerId, ["bale"]))
      yield* TestClock.adjust(1).pipe(Effect.repeat({ until: () => providers.deliveries.length === 2 }))
      const { status } = yield* Fiber.join(second)
      assert.strictEqual(status, "queued")
      const elapsed = (providers.deliveries[1]?.at ?? 0) - start
      assert.isAtLeast(elapsed, 1000)
    }).pipe(Effect.provide(paced(providers)))
  })

  it.effect("lets a later channel go first when the slot is far away, and comes back to the first", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "sms"])
      yield* codeTo(customerId, ["bale"])
      const { verificationId: id } = yield* codeTo(customerId, ["bale", "sms"])
      assert.deepStrictEqual(providers.channels(), ["bale", "sms"])
      yield* TestClock.adjust("60 seconds")
      yield* (yield* TimerRunner).runDue
      const { attempts } = yield* (yield* Verifications).status({ customerId, id })
      assert.deepStrictEqual(
        attempts.map(({ sequence, transitionReason }) => [sequence, transitionReason]),
        [
          [2, "timed_out"],
          [1, null]
        ]
      )
    }).pipe(Effect.provide(paced(providers, { accountGapMillis: 10_000, accountRateSms: 0 })))
  })

  it.effect("further away than a request waits has the code sent at its slot, in the background", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"])
      yield* codeTo(customerId, ["bale"])
      const { verificationId: id, status } = yield* codeTo(customerId, ["bale"])
      assert.strictEqual(status, "queued")
      const statusOf = Effect.flatMap(Verifications, (verifications) =>
        verifications.status({ customerId, id })
      )
      assert.strictEqual((yield* statusOf).status, "pending")
      yield* liveFor(11)
      assert.strictEqual((yield* statusOf).status, "queued")
      const [first, second] = providers.deliveries
      assert.strictEqual(first?.at, 0)
      assert.isAtLeast(second?.at ?? 0, 10_000)
    }).pipe(Effect.provide(paced(providers, { accountGapMillis: 10_000 })))
  })

  it.effect(
    "further away than a code can wait skips the step, and with none left the verification fails",
    () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const customerId = yield* makeCustomer(["bale"])
        yield* codeTo(customerId, ["bale"])
        const { status, currentAttemptChannel } = yield* codeTo(customerId, ["bale"])
        assert.deepStrictEqual([status, currentAttemptChannel.provider], ["failed", "bale"])
        assert.strictEqual(providers.deliveries.length, 1)
      }).pipe(Effect.provide(paced(providers, { accountGapMillis: 40_000 })))
    }
  )
})

layer(TestDatabase, { excludeTestServices: true })("an account's rate", (it) => {
  it.effect("is never passed in any minute, and what waits is sent when it may be", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"])
      yield* Effect.all(
        Arr.makeBy(12, () => messageTo(customerId, ["bale"])),
        unbounded
      )
      yield* liveFor(130)
      const times = providers.deliveries.map(({ at }) => at).toSorted((a, b) => a - b)
      assert.strictEqual(times.length, 12)
      for (const time of times) {
        const inMinute = times.filter((other) => other >= time && other < time + 60_000)
        assert.isAtMost(inMinute.length, 5)
      }
    }).pipe(Effect.provide(paced(providers, { accountRateBale: 5 })))
  })

  it.effect("reached skips the step of a code, without an attempt", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "sms"])
      yield* codeTo(customerId, ["bale"])
      const { verificationId: id } = yield* codeTo(customerId, ["bale", "sms"])
      yield* TestClock.adjust("2 minutes")
      yield* (yield* TimerRunner).runDue
      const { attempts } = yield* (yield* Verifications).status({ customerId, id })
      assert.deepStrictEqual(
        attempts.map(({ sequence }) => sequence),
        [2]
      )
    }).pipe(Effect.provide(paced(providers, { accountRateBale: 1 })))
  })

  it.effect("reached lets a message fail over at once", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "sms"])
      yield* messageTo(customerId, ["bale"])
      yield* (yield* Workers).idle
      yield* messageTo(customerId, ["bale", "sms"])
      yield* (yield* Workers).idle
      assert.deepStrictEqual(providers.channels(), ["bale", "sms"])
    }).pipe(Effect.provide(paced(providers, { accountRateBale: 1 })))
  })
})
