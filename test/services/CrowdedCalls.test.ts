import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import type { Channel } from "../../src/domain/Channel.ts"
import { CallRooms } from "../../src/services/CallRooms.ts"
import { Management } from "../../src/services/Management.ts"
import { TimerRunner } from "../../src/services/TimerRunner.ts"
import { Verifications } from "../../src/services/Verifications.ts"
import { codeTo } from "../support/PacedAccounts.ts"
import { scriptProviders } from "../support/ScriptedProviders.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../support/TestGraph.ts"

/** No place for calls over these channels, for as long as they are in the set. */
const crowdedRooms = (crowded: Set<Channel>) =>
  Layer.succeed(
    CallRooms,
    CallRooms.of({
      withPlace: ({ account, waitMillis }, call) =>
        Effect.suspend(() =>
          crowded.has(account.channel)
            ? Effect.as(Effect.sleep(waitMillis ?? 0), Option.none())
            : Effect.asSome(call)
        )
    })
  )

const setUp = (...channels: ReadonlyArray<Channel>) => {
  const crowded = new Set(channels)
  const providers = scriptProviders()
  return { crowded, providers, process: testProcess(Layer.merge(providers.layer, crowdedRooms(crowded))) }
}

/** What waits in real time is given the clock's as well. */
const finished = <A, E>(fiber: Fiber.Fiber<A, E>) =>
  TestClock.adjust(250).pipe(
    Effect.repeat({ until: () => fiber.pollUnsafe() !== undefined }),
    Effect.andThen(Fiber.join(fiber))
  )

layer(TestDatabase, { excludeTestServices: true })(
  "a code for whose call there is no place in time",
  (it) => {
    it.effect("goes over a later channel first, and comes back to the first", () => {
      const { crowded, providers, process } = setUp("bale")
      return Effect.gen(function* () {
        const customerId = yield* makeCustomer(["bale", "sms"])
        const sending = yield* Effect.forkChild(codeTo(customerId, ["bale", "sms"]))
        const { status, verificationId: id } = yield* finished(sending)
        assert.strictEqual(status, "queued")
        assert.deepStrictEqual(providers.channels(), ["sms"])
        crowded.clear()
        yield* TestClock.adjust("62 seconds")
        yield* (yield* TimerRunner).runDue
        assert.deepStrictEqual(providers.channels(), ["sms", "bale"])
        const { attempts } = yield* (yield* Verifications).status({ customerId, id })
        assert.strictEqual(attempts.length, 2)
      }).pipe(Effect.provide(process))
    })

    it.effect("and that has no other channel is sent in the background, when there is a place", () => {
      const { crowded, providers, process } = setUp("bale")
      return Effect.gen(function* () {
        const customerId = yield* makeCustomer(["bale"])
        const sending = yield* Effect.forkChild(codeTo(customerId, ["bale"]))
        const { status } = yield* finished(sending)
        assert.strictEqual(status, "queued")
        assert.isAtLeast(yield* Clock.currentTimeMillis, 5000)
        crowded.clear()
        yield* (yield* TimerRunner).runDue
        assert.deepStrictEqual(providers.channels(), ["bale"])
      }).pipe(Effect.provide(process))
    })

    it.effect("within half a minute more is not sent, and its account neither failed nor rests", () => {
      const { providers, process } = setUp("bale")
      return Effect.gen(function* () {
        const customerId = yield* makeCustomer(["bale"])
        const sending = yield* Effect.forkChild(codeTo(customerId, ["bale"]))
        const { verificationId: id } = yield* finished(sending)
        yield* finished(yield* Effect.forkChild((yield* TimerRunner).runDue))
        assert.strictEqual((yield* (yield* Verifications).status({ customerId, id })).status, "failed")
        assert.deepStrictEqual(providers.channels(), [])
        const [account] = yield* (yield* Management).listAccounts(customerId)
        assert.deepStrictEqual([account?.failures, account?.coolingUntil], [0, null])
      }).pipe(Effect.provide(process))
    })
  }
)
