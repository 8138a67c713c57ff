import { assert, layer } from "@effect/vitest"
import { Array as Arr, Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { Channel } from "../../src/domain/Channel.ts"
import { ProviderOutcome } from "../../src/domain/ProviderOutcome.ts"
import { Management } from "../../src/services/Management.ts"
import { Messages } from "../../src/services/Messages.ts"
import type { SettingsShape } from "../../src/services/Settings.ts"
import { TimerRunner } from "../../src/services/TimerRunner.ts"
import { Verifications } from "../../src/services/Verifications.ts"
import { Workers } from "../../src/services/Workers.ts"
import {
  accepted,
  misconfigured,
  scriptProviders,
  throttled,
  unavailable,
  unreachable
} from "../support/ScriptedProviders.ts"
import { PHONE, summary } from "../support/SentMessages.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../support/TestGraph.ts"

const slowDown = ProviderOutcome.Throttled({ retryAfterMillis: null, providerError: "429" })
const unbounded = { concurrency: "unbounded" } as const

const messageTo = (customerId: number, channels: ReadonlyArray<Channel>) =>
  Effect.flatMap(Messages, ({ send }) =>
    send({ customerId, to: PHONE, message: "x", channels: channels.map((channel) => ({ channel })) })
  )

const codeTo = (customerId: number, channels: ReadonlyArray<Channel>) =>
  Effect.flatMap(Verifications, ({ send }) =>
    send({ customerId, phone: PHONE, channels: channels.map((channel) => ({ channel })) })
  )

/** A quarter of a second after the other, does what is due in each. */
const liveFor = Effect.fnUntraced(function* (seconds: number) {
  for (let quarter = 0; quarter < seconds * 4; quarter++) {
    yield* (yield* Workers).idle
    yield* (yield* TimerRunner).runDue
    yield* TestClock.adjust("250 millis")
  }
  yield* (yield* TimerRunner).runDue
})

const gapsOf = (times: ReadonlyArray<number>) =>
  times.toSorted((a, b) => a - b).flatMap((time, nth, all) => (nth === 0 ? [] : [time - (all[nth - 1] ?? 0)]))

const paced = (
  providers: ReturnType<typeof scriptProviders>,
  settings: Partial<SettingsShape> = { accountGapMillis: 1000 }
) => testProcess(providers.layer, settings)

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

layer(TestDatabase, { excludeTestServices: true })("an account rests", (it) => {
  const ended = Effect.gen(function* () {
    yield* (yield* Workers).idle
    yield* (yield* TimerRunner).runDue
  })

  it.effect("after five failures in a row that blame it, for a minute, then two, then four", () => {
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

  it.effect("never longer than the longest rest", () => {
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

  it.effect("not for refusals that blame the recipient, which end a row of failures", () => {
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

layer(TestDatabase, { excludeTestServices: true })("a shared account", (it) => {
  const shared = Effect.gen(function* () {
    const { connectAccount } = yield* Management
    const account = { channel: "bale", provider: "simulator", label: "Platform", settings: {} } as const
    yield* connectAccount({ ...account, customerId: null, isDefault: false })
  })
  const codeOverShared = (customerId: number) =>
    Effect.flatMap(Verifications, ({ send }) =>
      send({
        customerId,
        phone: PHONE,
        channels: [{ channel: "bale", sender: "shared" }, { channel: "sms" }]
      })
    )
  const sentOverBale = (providers: ReturnType<typeof scriptProviders>, from = 0) =>
    providers
      .channels()
      .slice(from)
      .filter((channel) => channel === "bale").length

  it.effect(
    "leaves room for others, however much one customer sends, and the rest goes to other channels",
    () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        yield* shared
        const [greedy, modest, third] = [
          yield* makeCustomer(["sms"]),
          yield* makeCustomer(["sms"]),
          yield* makeCustomer(["sms"])
        ]
        yield* Effect.forEach(Arr.range(1, 40), () => codeOverShared(greedy), { discard: true })
        assert.strictEqual(sentOverBale(providers), 6)
        assert.strictEqual(providers.deliveries.length, 40)
        const before = providers.deliveries.length
        yield* Effect.forEach(Arr.range(1, 10), () => codeOverShared(modest), { discard: true })
        assert.strictEqual(sentOverBale(providers, before), 4)
        const later = providers.deliveries.length
        yield* codeOverShared(third)
        assert.strictEqual(sentOverBale(providers, later), 1)
      }).pipe(Effect.provide(paced(providers, { accountRateBale: 12 })))
    }
  )

  it.effect("has a place for who comes after a burst, in the background if need be", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      yield* shared
      const [greedy, modest] = [yield* makeCustomer(["sms"]), yield* makeCustomer(["sms"])]
      const { send } = yield* Verifications
      const over = (customerId: number) =>
        send({ customerId, phone: PHONE, channels: [{ channel: "bale", sender: "shared" as const }] })
      yield* Effect.all(
        Arr.makeBy(8, () => over(greedy)),
        unbounded
      )
      const { status, verificationId: id } = yield* over(modest)
      assert.strictEqual(status, "queued")
      yield* liveFor(12)
      assert.strictEqual((yield* (yield* Verifications).status({ customerId: modest, id })).status, "queued")
    }).pipe(Effect.provide(paced(providers, { accountGapMillis: 1000, slotWaitMillis: 0 })))
  })

  it.effect("gives a customer its part again a minute later", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      yield* shared
      const customerId = yield* makeCustomer(["sms"])
      yield* Effect.forEach(Arr.range(1, 10), () => codeOverShared(customerId), { discard: true })
      yield* TestClock.adjust("61 seconds")
      const before = providers.deliveries.length
      yield* codeOverShared(customerId)
      assert.strictEqual(sentOverBale(providers, before), 1)
    }).pipe(Effect.provide(paced(providers, { accountRateBale: 4 })))
  })
})
