import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { AccountUnusable } from "../../../src/services/account/AccountSlots.ts"
import { CallLimiters, type PermitRequest } from "../../../src/services/provider/ProviderCalls.ts"
import { defaultSettings, Settings } from "../../../src/services/Settings.ts"
import { Workers } from "../../../src/services/concurrency/Workers.ts"
import { connectionWith, scriptConnections } from "../../support/ScriptedConnections.ts"

const settings = Layer.succeed(Settings, { ...defaultSettings, codeConnections: 2, messageConnections: 3 })

/** Account 1 and 2 call the same far end, 3 another, 4 none, and 5 is switched off. */
const connections = scriptConnections((accountId) =>
  accountId === 5
    ? new AccountUnusable({ message: "off" })
    : connectionWith(accountId === 4 ? {} : { origin: accountId === 3 ? "https://b" : "https://a" })
)

const limiters = CallLimiters.layer.pipe(
  Layer.provide([connections, settings]),
  Layer.provideMerge(Layer.provide(Workers.layer, settings))
)

const requestOf = (
  customerId: number,
  { accountId = 1, kind = "code" as PermitRequest["kind"], waitMillis = null as number | null } = {}
): PermitRequest => ({
  customerId,
  kind,
  waitMillis,
  waiting: (wait) => wait,
  account: {
    channel: "sms",
    account_id: accountId,
    descriptor: { type: "sms", provider: "smsir", credential_id: accountId, label: "a" }
  }
})

/** Calls that last until they are let go, and the customers of those that were begun. */
const makeCalls = Effect.gen(function* () {
  const { withPermit } = yield* CallLimiters
  const begun: Array<number> = []
  const ends: Array<Deferred.Deferred<void>> = []
  return {
    begun,
    endFirst: Effect.suspend(() => {
      const first = ends.shift()
      return Effect.andThen(
        first === undefined ? Effect.void : Deferred.succeed(first, undefined),
        TestClock.adjust(0)
      )
    }),
    call: (request: PermitRequest) => {
      const end = Deferred.makeUnsafe<void>()
      const work = Effect.suspend(() => {
        begun.push(request.customerId)
        ends.push(end)
        return Deferred.await(end)
      })
      return Effect.tap(Effect.forkChild(withPermit(request, work)), () => TestClock.adjust(0))
    }
  }
})

describe("places for calls to a provider", () => {
  it.effect("is shared: a customer's line holds up no other customer", () =>
    Effect.gen(function* () {
      const { begun, call, endFirst } = yield* makeCalls
      for (let n = 0; n < 20; n++) yield* call(requestOf(1))
      assert.deepStrictEqual(begun, [1, 1])
      // Over an account of its own, to the same host.
      yield* call(requestOf(2, { accountId: 2 }))
      assert.deepStrictEqual(begun, [1, 1, 2])
      yield* call(requestOf(3))
      assert.deepStrictEqual(begun, [1, 1, 2, 3])
      yield* call(requestOf(2))
      // The next place goes to who holds the fewest, though others wait longer.
      yield* endFirst
      yield* endFirst
      assert.deepStrictEqual(begun.slice(4), [1])
      yield* endFirst
      assert.deepStrictEqual(begun.slice(4), [1, 2])
    }).pipe(Effect.provide(limiters))
  )

  it.effect("is apart for codes and messages, and for each host", () =>
    Effect.gen(function* () {
      const { begun, call } = yield* makeCalls
      for (let n = 0; n < 20; n++) yield* call(requestOf(1, { kind: "text" }))
      assert.strictEqual(begun.length, 3)
      yield* call(requestOf(1))
      yield* call(requestOf(1, { accountId: 3, kind: "text" }))
      assert.strictEqual(begun.length, 5)
    }).pipe(Effect.provide(limiters))
  )

  it.effect("that is not there in time calls nothing, and takes no place", () =>
    Effect.gen(function* () {
      const { begun, call, endFirst } = yield* makeCalls
      yield* call(requestOf(1))
      yield* call(requestOf(1))
      const late = yield* call(requestOf(1, { waitMillis: 5000 }))
      const atOnce = yield* call(requestOf(1, { waitMillis: 0 }))
      assert.isTrue(Option.isNone(yield* Fiber.join(atOnce)))
      yield* TestClock.adjust("5 seconds")
      assert.isTrue(Option.isNone(yield* Fiber.join(late)))
      yield* endFirst
      assert.strictEqual(begun.length, 2)
      yield* call(requestOf(1))
      assert.strictEqual(begun.length, 3)
    }).pipe(Effect.provide(limiters))
  )

  it.effect("is waited for outside of this process's work, unlike the call itself", () =>
    Effect.gen(function* () {
      const { call, endFirst } = yield* makeCalls
      const { load, waitOutside } = yield* Workers
      for (let n = 0; n < 4; n++) yield* call({ ...requestOf(1), waiting: waitOutside("send") })
      assert.strictEqual(load.waiting.send, 2)
      yield* endFirst
      assert.strictEqual(load.waiting.send, 1)
    }).pipe(Effect.provide(limiters))
  )

  it.effect("is given back by a call that is interrupted, waiting or not", () =>
    Effect.gen(function* () {
      const { begun, call } = yield* makeCalls
      const first = yield* call(requestOf(1))
      const second = yield* call(requestOf(1))
      const third = yield* call(requestOf(1))
      yield* Fiber.interrupt(third)
      yield* Fiber.interrupt(first)
      yield* Fiber.interrupt(second)
      yield* call(requestOf(1))
      yield* call(requestOf(1))
      assert.strictEqual(begun.length, 4)
    }).pipe(Effect.provide(limiters))
  )

  it.effect("is not needed where nothing is called over a network", () =>
    Effect.gen(function* () {
      const { begun, call } = yield* makeCalls
      for (let n = 0; n < 10; n++) yield* call(requestOf(1, { accountId: n % 2 === 0 ? 4 : 5 }))
      assert.strictEqual(begun.length, 10)
    }).pipe(Effect.provide(limiters))
  )
})
