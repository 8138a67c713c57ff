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
const crowdedRooms = (crowded: Set<Channel>, waits: Array<number>) =>
  Layer.succeed(
    CallRooms,
    CallRooms.of({
      withPlace: ({ account, waitMillis }, call) =>
        Effect.suspend(() => {
          if (!crowded.has(account.channel)) return Effect.asSome(call)
          waits.push(waitMillis ?? 0)
          return Effect.as(Effect.sleep(waitMillis ?? 0), Option.none())
        })
    })
  )

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
  const rooms = crowdedRooms(crowded, waits)
  return { crowded, providers, waitOut, process: testProcess(Layer.merge(providers.layer, rooms)) }
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

    it.effect("within half a minute more is not sent, and its account neither failed nor rests", () => {
      const { providers, waitOut, process } = setUp("bale")
      return Effect.gen(function* () {
        const customerId = yield* makeCustomer(["bale"])
        const sending = yield* Effect.forkChild(codeTo(customerId, ["bale"]))
        const { verificationId: id } = yield* waitOut(sending)
        yield* waitOut(yield* Effect.forkChild((yield* TimerRunner).runDue))
        assert.strictEqual((yield* (yield* Verifications).status({ customerId, id })).status, "failed")
        assert.deepStrictEqual(providers.channels(), [])
        const [account] = yield* (yield* Management).listAccounts(customerId)
        assert.deepStrictEqual([account?.failures, account?.coolingUntil], [0, null])
      }).pipe(Effect.provide(process))
    })
  }
)
