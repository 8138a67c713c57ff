import { assert, layer } from "@effect/vitest"
import { Array as Arr, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Messages } from "../../../src/services/message/Messages.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Workers } from "../../../src/services/concurrency/Workers.ts"
import { liveFor, messageTo, paced, slowDown } from "../../support/PacedAccounts.ts"
import {
  accepted,
  misconfigured,
  scriptProviders,
  throttled,
  unavailable,
  unreachable
} from "../../support/ScriptedProviders.ts"
import { summary } from "../../support/SentMessages.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer } from "../../support/TestGraph.ts"

const unbounded = { concurrency: "unbounded" } as const

layer(TestDatabase, { excludeTestServices: true })("an account is in a cooldown", (it) => {
  const ended = Effect.gen(function* () {
    yield* (yield* Workers).idle
    yield* (yield* TimerRunner).runDue
  })

  it.effect("after five failures in a row that it caused, for a minute, then two, then four", () => {
    const providers = scriptProviders({ bale: misconfigured })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "sms"])
      const calls = () => providers.channels().filter((channel) => channel === "bale").length
      const send = Effect.andThen(messageTo(customerId, ["bale", "sms"]), ended)
      for (let n = 0; n < 7; n++) yield* send
      assert.strictEqual(calls(), 5)
      for (const [seconds, expected] of [
        [59, 5],
        [1, 6],
        [119, 6],
        [1, 7],
        [239, 7],
        [1, 8]
      ] as const) {
        yield* TestClock.adjust(seconds * 1000)
        yield* send
        assert.strictEqual(calls(), expected)
      }
    }).pipe(Effect.provide(paced(providers, {})))
  })

  it.effect("never longer than the longest cooldown", () => {
    const providers = scriptProviders({ bale: misconfigured })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "sms"])
      const send = Effect.andThen(messageTo(customerId, ["bale", "sms"]), ended)
      for (let n = 0; n < 20; n++) {
        yield* send
        yield* TestClock.adjust("15 minutes")
      }
      assert.strictEqual(providers.channels().filter((channel) => channel === "bale").length, 20)
    }).pipe(Effect.provide(paced(providers, {})))
  })

  it.effect("at once when the provider says slow down, for as long as it asks", () => {
    const providers = scriptProviders({ bale: [throttled, accepted] })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "sms"])
      yield* Effect.andThen(messageTo(customerId, ["bale", "sms"]), ended)
      yield* TestClock.adjust("59 seconds")
      yield* Effect.andThen(messageTo(customerId, ["bale", "sms"]), ended)
      yield* TestClock.adjust("1 second")
      yield* Effect.andThen(messageTo(customerId, ["bale", "sms"]), ended)
      assert.deepStrictEqual(providers.channels(), ["bale", "sms", "sms", "bale"])
    }).pipe(Effect.provide(paced(providers, {})))
  })

  it.effect("once for many answers at the same time that say slow down", () => {
    const providers = scriptProviders({ bale: Effect.as(Effect.yieldNow, slowDown) })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "sms"])
      yield* Effect.all(
        Arr.makeBy(5, () => messageTo(customerId, ["bale", "sms"])),
        unbounded
      )
      yield* ended
      const before = providers.channels().filter((channel) => channel === "bale").length
      yield* TestClock.adjust("60 seconds")
      yield* Effect.andThen(messageTo(customerId, ["bale", "sms"]), ended)
      assert.strictEqual(providers.channels().filter((channel) => channel === "bale").length, before + 1)
    }).pipe(Effect.provide(paced(providers, {})))
  })

  it.effect("not for refusals that the recipient caused, which end a row of failures", () => {
    const four = Arr.makeBy(4, () => misconfigured)
    const providers = scriptProviders({ bale: [...four, unreachable, ...four, unreachable] })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "sms"])
      for (let n = 0; n < 12; n++) yield* Effect.andThen(messageTo(customerId, ["bale", "sms"]), ended)
      assert.strictEqual(providers.channels().filter((channel) => channel === "bale").length, 12)
    }).pipe(Effect.provide(paced(providers, {})))
  })

  it.effect("so that a message with no other route waits for it", () => {
    const providers = scriptProviders({ bale: [throttled, accepted] })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "sms"])
      yield* Effect.andThen(messageTo(customerId, ["bale", "sms"]), ended)
      const { messageId: id } = yield* messageTo(customerId, ["bale"])
      yield* ended
      const statusOf = Effect.flatMap(Messages, ({ status }) => status({ customerId, id }))
      assert.strictEqual((yield* statusOf).status, "queued")
      yield* TestClock.adjust("60 seconds")
      yield* ended
      assert.deepStrictEqual(summary((yield* statusOf).attempts), [[1, "sent", null]])
    }).pipe(Effect.provide(paced(providers, {})))
  })

  it.effect("and what had a slot reserved meanwhile waits for its end", () => {
    const providers = scriptProviders({ bale: [accepted, throttled, accepted] })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"])
      yield* Effect.all(
        Arr.makeBy(3, () => messageTo(customerId, ["bale"])),
        unbounded
      )
      yield* liveFor(70)
      const times = providers.deliveries.map(({ at }) => at)
      assert.strictEqual(times.length, 3)
      assert.isAtLeast((times[2] ?? 0) - (times[1] ?? 0), 60_000)
    }).pipe(Effect.provide(paced(providers)))
  })

  it.effect("when its provider is down, too: retries are failures", () => {
    const providers = scriptProviders({ bale: unavailable })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "sms"])
      for (let n = 0; n < 3; n++) {
        yield* messageTo(customerId, ["bale", "sms"])
        yield* liveFor(11)
      }
      assert.strictEqual(providers.channels().filter((channel) => channel === "bale").length, 5)
      assert.strictEqual(providers.channels().filter((channel) => channel === "sms").length, 3)
    }).pipe(Effect.provide(paced(providers, {})))
  })
})
