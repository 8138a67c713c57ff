import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { exchange, type HttpCall } from "../../../src/layers/network/HttpExchange.ts"
import { OriginConnections } from "../../../src/layers/network/OriginConnections.ts"
import { fakeFarEnd, type Answer } from "../../support/fakes/FakeFarEnd.ts"
import { nextTurn } from "../../support/NextTurn.ts"

const TIMEOUT_MILLIS = 3_600_000

const setUp = Effect.gen(function* () {
  const fake = yield* fakeFarEnd(() => ({ text: "fine" }))
  const connections = yield* Effect.acquireRelease(
    Effect.sync(() => OriginConnections.direct({ connections: 1 })),
    ({ dispatcher }) => Effect.promise(() => dispatcher.destroy())
  )
  const call = (path: string, changes: Partial<HttpCall> = {}) =>
    exchange(connections, {
      method: "POST",
      url: new URL(path, fake.url),
      headers: {},
      body: "{}",
      timeoutMillis: TIMEOUT_MILLIS,
      ignoresBody: false,
      ...changes
    })
  return { fake, call }
})

/** Lets a second pass at a time until it is over. */
const withTime = <A, E>(fiber: Fiber.Fiber<A, E>): Effect.Effect<A, E> =>
  Effect.suspend(() =>
    fiber.pollUnsafe() === undefined
      ? Effect.andThen(Effect.andThen(TestClock.adjust("1 second"), nextTurn), withTime(fiber))
      : Fiber.join(fiber)
  )

/** Done when the head of the next response is there. */
const headArrived = Effect.callback<void>((resume) => {
  const onHead = () => {
    unsubscribe("undici:request:headers", onHead)
    resume(Effect.void)
  }
  subscribe("undici:request:headers", onHead)
})

/** A far end whose first answer waits, while a second call waits for the only connection. */
const occupied = Effect.gen(function* () {
  const { fake, call } = yield* setUp
  const answer = Promise.withResolvers<Answer>()
  fake.script(() => answer.promise)
  const first = yield* Effect.forkChild(call("/first"))
  yield* fake.arrived(1)
  return { fake, call, first, free: Effect.sync(() => answer.resolve({ text: "first" })) }
})

const paths = (fake: { readonly received: ReadonlyArray<{ readonly path: string }> }) =>
  fake.received.map(({ path }) => path)

describe("a call over connections that are all in use", () => {
  it.effect("fails after half its time-out, and never leaves", () =>
    Effect.gen(function* () {
      const { fake, call, first, free } = yield* occupied
      const waiting = yield* Effect.forkChild(Effect.flip(call("/second", { timeoutMillis: 1000 })))
      yield* TestClock.adjust("500 millis")
      assert.deepStrictEqual(yield* Fiber.join(waiting), {
        hasStarted: false,
        reason: "no connection in time"
      })
      yield* free
      assert.strictEqual((yield* Fiber.join(first)).text, "first")
      yield* call("/third")
      assert.deepStrictEqual(paths(fake), ["/first", "/third"])
    })
  )

  it.effect("never leaves if nobody waits for it any more", () =>
    Effect.gen(function* () {
      const { fake, call, first, free } = yield* occupied
      const waiting = yield* Effect.forkChild(call("/second"))
      yield* nextTurn
      yield* Fiber.interrupt(waiting)
      yield* free
      yield* Fiber.join(first)
      yield* call("/third")
      assert.deepStrictEqual(paths(fake), ["/first", "/third"])
    })
  )
})

describe("a call whose response nobody reads", () => {
  it.effect("is over a second after the head, even if the body does not end", () =>
    Effect.gen(function* () {
      const { fake, call } = yield* setUp
      fake.script("stall")
      const { status, text } = yield* withTime(yield* Effect.forkChild(call("/", { ignoresBody: true })))
      assert.strictEqual(status, 200)
      assert.isTrue('{"status":'.startsWith(text), "what had come by then, and no more")
    })
  )

  it.effect("succeeds if its time ends after the head", () =>
    Effect.gen(function* () {
      const { fake, call } = yield* setUp
      fake.script("stall")
      const calling = yield* Effect.forkChild(call("/", { ignoresBody: true, timeoutMillis: 800 }))
      yield* headArrived
      yield* TestClock.adjust("800 millis")
      assert.strictEqual((yield* Fiber.join(calling)).status, 200)
    })
  )

  it.effect("succeeds if the connection breaks after the head", () =>
    Effect.gen(function* () {
      const { fake, call } = yield* setUp
      fake.script("cut")
      assert.strictEqual((yield* call("/", { ignoresBody: true })).status, 200)
    })
  )

  it.effect("keeps no more than the first 2 KB of the body", () =>
    Effect.gen(function* () {
      const { fake, call } = yield* setUp
      fake.script({ json: "x".repeat(100_000) })
      const { text } = yield* call("/", { ignoresBody: true })
      assert.strictEqual(text, `"${"x".repeat(2047)}`.slice(0, text.length))
      assert.isAtMost(text.length, 2048)
      assert.isAtLeast(text.length, 1)
    })
  )

  it.effect("keeps its connection, since a short body is read to its end", () =>
    Effect.gen(function* () {
      const { fake, call } = yield* setUp
      const { text } = yield* call("/", { ignoresBody: true })
      yield* call("/", { ignoresBody: true })
      assert.strictEqual(text, "fine")
      assert.deepStrictEqual(
        fake.received.map(({ connection }) => connection),
        [1, 1]
      )
    })
  )
})

/** The clock of the test, which also counts who sleeps. */
const countingClock = Effect.map(Clock.Clock, (clock) => {
  const sleeps = { begun: 0, ended: 0 }
  const ended = Effect.sync(() => void (sleeps.ended += 1))
  const sleep: typeof clock.sleep = (duration) =>
    Effect.suspend(() => {
      sleeps.begun += 1
      return Effect.ensuring(clock.sleep(duration), ended)
    })
  return { clock: { ...clock, sleep }, sleeps }
})

describe("a call that fails before it begins", () => {
  it.effect("leaves no time-out behind", () =>
    Effect.gen(function* () {
      const { clock, sleeps } = yield* countingClock
      const connections = OriginConnections.direct({})
      yield* Effect.promise(() => connections.dispatcher.destroy())
      const failure = yield* exchange(connections, {
        method: "GET",
        url: new URL("http://127.0.0.1:9"),
        headers: {},
        body: undefined,
        timeoutMillis: TIMEOUT_MILLIS,
        ignoresBody: false
      }).pipe(Effect.flip, Effect.provideService(Clock.Clock, clock))
      yield* nextTurn
      assert.isFalse(failure.hasStarted)
      assert.deepStrictEqual(sleeps, { begun: 1, ended: 1 })
    })
  )
})

describe("a call that is interrupted", () => {
  it.effect("breaks its connection, so that the far end notices", () =>
    Effect.gen(function* () {
      const { fake, call } = yield* setUp
      fake.script("silence")
      const calling = yield* Effect.forkChild(call("/"))
      yield* fake.arrived(1)
      yield* Fiber.interrupt(calling)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(calling)))
      yield* call("/")
      assert.deepStrictEqual(
        fake.received.map(({ connection }) => connection),
        [1, 2]
      )
    })
  )
})
