import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Channel } from "../../../src/domain/routing/Channel.ts"
import { CallLimiters } from "../../../src/services/provider/ProviderCalls.ts"
import { Accounts } from "../../../src/services/account/Accounts.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { codeTo } from "../../support/PacedAccounts.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

const LOOK_MILLIS = 2500

/** Calls over these channels wait: for a place until the channel leaves the set, and at most as long as they may. */
const crowdedLimiters = (crowded: Set<Channel>, waits: Array<number>) => {
  const mayCall = (channel: Channel, waitMillis: number): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      if (!crowded.has(channel)) return Effect.succeed(true)
      if (waitMillis <= 0) return Effect.succeed(false)
      return Effect.andThen(Effect.sleep(LOOK_MILLIS), mayCall(channel, waitMillis - LOOK_MILLIS))
    })
  return Layer.succeed(
    CallLimiters,
    CallLimiters.of({
      withPermit: ({ account: { channel }, waitMillis }, call) => {
        if (crowded.has(channel)) waits.push(waitMillis ?? 0)
        return Effect.flatMap(mayCall(channel, waitMillis ?? 0), (may) =>
          may ? Effect.asSome(call) : Effect.succeedNone
        )
      }
    })
  )
}

const setUp = (...channels: ReadonlyArray<Channel>) => {
  const crowded = new Set(channels)
  const waits: Array<number> = []
  const providers = scriptProviders()
  /** Until it waits for a place, and then for as long as it does. */
  const waitOut = <A, E>(fiber: Fiber.Fiber<A, E>) => {
    const before = waits.length
    return Effect.yieldNow.pipe(
      Effect.repeat({ until: () => waits.length > before }),
      Effect.andThen(Effect.suspend(() => TestClock.adjust(waits[before] ?? 0))),
      Effect.andThen(Fiber.join(fiber))
    )
  }
  const limiters = crowdedLimiters(crowded, waits)
  return { crowded, waits, providers, waitOut, process: testProcess(Layer.merge(providers.layer, limiters)) }
}

layer(TestDatabase, { excludeTestServices: true })(
  "a code for whose call there is no place in time",
  (it) => {
    it.effect("goes over a later channel first, and comes back to the first", () => {
      const { crowded, providers, waitOut, process } = setUp("bale")
      return Effect.gen(function* () {
        const customerId = yield* makeCustomer(["bale", "sms"])
        const sending = yield* Effect.forkChild(codeTo(customerId, ["bale", "sms"]))
        const { status, verificationId: id } = yield* waitOut(sending)
        assert.strictEqual(status, "queued")
        assert.deepStrictEqual(providers.channels(), ["sms"])
        crowded.clear()
        yield* TestClock.adjust("60 seconds")
        yield* (yield* TimerRunner).runDue
        assert.deepStrictEqual(providers.channels(), ["sms", "bale"])
        const { attempts } = yield* (yield* Verifications).status({ customerId, id })
        assert.strictEqual(attempts.length, 2)
      }).pipe(Effect.provide(process))
    })

    it.effect("and that has no other channel is sent in the background, when there is a place", () => {
      const { crowded, providers, waitOut, process } = setUp("bale")
      return Effect.gen(function* () {
        const customerId = yield* makeCustomer(["bale"])
        const sending = yield* Effect.forkChild(codeTo(customerId, ["bale"]))
        const { status } = yield* waitOut(sending)
        assert.strictEqual(status, "queued")
        assert.strictEqual(yield* Clock.currentTimeMillis, 5000)
        crowded.clear()
        yield* (yield* TimerRunner).runDue
        assert.deepStrictEqual(providers.channels(), ["bale"])
      }).pipe(Effect.provide(process))
    })

    it.effect(
      "within half a minute more is not sent, and its account neither failed nor begins a cooldown",
      () => {
        const { providers, waitOut, process } = setUp("bale")
        return Effect.gen(function* () {
          const customerId = yield* makeCustomer(["bale"])
          const sending = yield* Effect.forkChild(codeTo(customerId, ["bale"]))
          const { verificationId: id } = yield* waitOut(sending)
          yield* waitOut(yield* Effect.forkChild((yield* TimerRunner).runDue))
          assert.strictEqual((yield* (yield* Verifications).status({ customerId, id })).status, "failed")
          assert.deepStrictEqual(providers.channels(), [])
          const { items } = yield* (yield* Accounts).list(customerId, { limit: 1, after: null })
          const [account] = items
          assert.deepStrictEqual([account?.failures, account?.coolingUntil], [0, null])
        }).pipe(Effect.provide(process))
      }
    )

    /** The fallback to sms is due, and waits so long for a place; `meanwhile` happens. */
    const fallBack = <E, R>(
      { crowded, waits }: ReturnType<typeof setUp>,
      waitedMillis: number,
      meanwhile: Effect.Effect<unknown, E, R>
    ) =>
      Effect.gen(function* () {
        const before = waits.length
        const running = yield* Effect.forkChild((yield* TimerRunner).runDue)
        yield* Effect.repeat(Effect.yieldNow, { until: () => waits.length > before })
        yield* meanwhile
        yield* TestClock.adjust(waitedMillis - LOOK_MILLIS)
        crowded.clear()
        yield* TestClock.adjust(LOOK_MILLIS)
        yield* Fiber.join(running)
      })

    it.effect("is not sent once it was verified while it waited", () => {
      const crowd = setUp("sms")
      const { providers, process } = crowd
      return Effect.gen(function* () {
        const customerId = yield* makeCustomer(["bale", "sms"])
        const { verificationId: id } = yield* codeTo(customerId, ["bale", "sms"])
        yield* TestClock.adjust("60 seconds")
        const code = providers.deliveries[0]?.code ?? ""
        yield* fallBack(
          crowd,
          10_000,
          Effect.flatMap(Verifications, ({ verify }) => verify({ customerId, id, code }))
        )
        assert.deepStrictEqual(providers.channels(), ["bale"])
        const { status, attempts } = yield* (yield* Verifications).status({ customerId, id })
        assert.deepStrictEqual([status, attempts.length], ["verified", 1])
      }).pipe(Effect.provide(process))
    })

    it.effect("is not sent once it expired while it waited", () => {
      const crowd = setUp("sms")
      const { providers, process } = crowd
      return Effect.gen(function* () {
        const customerId = yield* makeCustomer(["bale", "sms"])
        const { verificationId: id } = yield* codeTo(customerId, ["bale", "sms"])
        // As after an outage: it is valid for 10 seconds more.
        yield* TestClock.adjust("290 seconds")
        yield* fallBack(crowd, 15_000, Effect.void)
        yield* (yield* TimerRunner).runDue
        assert.deepStrictEqual(providers.channels(), ["bale"])
        assert.strictEqual((yield* (yield* Verifications).status({ customerId, id })).status, "expired")
      }).pipe(Effect.provide(process))
    })

    it.effect("is sent over no other channel either once it expired while it waited", () => {
      const crowd = setUp("sms")
      const { providers, process } = crowd
      return Effect.gen(function* () {
        const customerId = yield* makeCustomer(["bale", "sms", "eitaa"])
        const { verificationId: id } = yield* codeTo(customerId, ["bale", "sms", "eitaa"])
        yield* TestClock.adjust("290 seconds")
        yield* crowd.waitOut(yield* Effect.forkChild((yield* TimerRunner).runDue))
        yield* (yield* TimerRunner).runDue
        assert.deepStrictEqual(providers.channels(), ["bale"])
        assert.strictEqual((yield* (yield* Verifications).status({ customerId, id })).status, "expired")
      }).pipe(Effect.provide(process))
    })

    it.effect("is sent once there is a place, if it is still waited for", () => {
      const crowd = setUp("sms")
      const { providers, process } = crowd
      return Effect.gen(function* () {
        const customerId = yield* makeCustomer(["bale", "sms"])
        yield* codeTo(customerId, ["bale", "sms"])
        yield* TestClock.adjust("60 seconds")
        yield* fallBack(crowd, 10_000, Effect.void)
        assert.deepStrictEqual(providers.channels(), ["bale", "sms"])
      }).pipe(Effect.provide(process))
    })
  }
)
