import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { exchange } from "../../../src/layers/network/HttpExchange.ts"
import { OriginConnections } from "../../../src/layers/network/OriginConnections.ts"
import { fakeFarEnd, type Received } from "../../support/fakes/FakeFarEnd.ts"
import { fakeProxy } from "../../support/FakeProxy.ts"

const TIMEOUT = "10 seconds"
const CONNECTIONS = 3

const closing = (make: () => OriginConnections) =>
  Effect.acquireRelease(Effect.sync(make), ({ dispatcher }) => Effect.promise(() => dispatcher.destroy()))

/** A far end behind a load balancer that can hang: its old connections stay open, and nothing comes of them. */
const balanced = Effect.gen(function* () {
  let hung = 0
  const fake = yield* fakeFarEnd(({ connection }) =>
    connection <= hung ? "silence" : { text: String(connection) }
  )
  return {
    fake,
    hangUpTo: (connection: number) => {
      hung = connection
    }
  }
})

const calling =
  (connections: OriginConnections, url: string) =>
  (path = "/") =>
    exchange(connections, {
      method: "POST",
      url: new URL(path, url),
      headers: {},
      body: "{}",
      timeoutMillis: 10_000,
      ignoresBody: false
    }).pipe(Effect.map(({ text }) => text))

const direct = closing(() => OriginConnections.direct({ connections: CONNECTIONS }))

/** As many calls at once as there are connections. */
const onEach = <E>(call: Effect.Effect<string, E>) =>
  Effect.all(
    Array.from({ length: CONNECTIONS }, () => call),
    { concurrency: "unbounded" }
  )

/** A call that gets no response. */
const lapse = Effect.fnUntraced(function* (
  call: Effect.Effect<string, unknown>,
  arrived: Effect.Effect<void>
) {
  const waiting = yield* Effect.forkChild(Effect.flip(call))
  yield* arrived
  yield* TestClock.adjust(TIMEOUT)
  return yield* Fiber.join(waiting)
})

const byConnection = (received: ReadonlyArray<Received>) => received.map(({ connection }) => connection)

describe("connections to an origin, once a call got no response in time", () => {
  it.effect("are no longer used: the next calls open new ones", () =>
    Effect.gen(function* () {
      const { fake, hangUpTo } = yield* balanced
      const call = calling(yield* direct, fake.url)
      assert.deepStrictEqual(yield* onEach(call()), ["1", "2", "3"])
      hangUpTo(CONNECTIONS)
      yield* lapse(call(), fake.arrived(4))
      assert.deepStrictEqual(yield* onEach(call()), ["4", "5", "6"])
    })
  )

  it.effect("are no longer used through a proxy either", () =>
    Effect.gen(function* () {
      const { fake, hangUpTo } = yield* balanced
      const proxy = yield* fakeProxy(fake.url)
      const options = { connections: CONNECTIONS, proxyTunnel: true }
      const call = calling(yield* closing(() => OriginConnections.throughProxy(proxy.url, options)), fake.url)
      yield* onEach(call())
      hangUpTo(CONNECTIONS)
      yield* lapse(call(), fake.arrived(4))
      assert.deepStrictEqual(yield* onEach(call()), ["4", "5", "6"])
    })
  )

  it.effect("still bring the responses of the calls that are in progress, and are closed then", () =>
    Effect.gen(function* () {
      const { fake, hangUpTo } = yield* balanced
      const call = calling(yield* direct, fake.url)
      yield* onEach(call())
      hangUpTo(CONNECTIONS)
      const slow = Promise.withResolvers<{ readonly text: string }>()
      const lapsing = yield* Effect.forkChild(Effect.flip(call("/lapses")))
      yield* fake.arrived(4)
      yield* TestClock.adjust("5 seconds")
      fake.script(() => slow.promise)
      const inProgress = yield* Effect.forkChild(call("/slow"))
      yield* fake.arrived(5)
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(lapsing)
      slow.resolve({ text: "late" })
      assert.strictEqual(yield* Fiber.join(inProgress), "late")
      yield* onEach(call())
      assert.deepStrictEqual(byConnection(fake.received).slice(5), [4, 5, 6])
    })
  )

  it.effect("make room for the calls that wait for one", () =>
    Effect.gen(function* () {
      const { fake, hangUpTo } = yield* balanced
      const call = calling(yield* direct, fake.url)
      yield* onEach(call())
      hangUpTo(CONNECTIONS)
      const lapsing = yield* Effect.forkChild(
        onEach(Effect.flip(call() as Effect.Effect<string, unknown>).pipe(Effect.as("")))
      )
      yield* fake.arrived(6)
      yield* TestClock.adjust("6 seconds")
      const waiting = yield* Effect.forkChild(onEach(call()))
      yield* TestClock.adjust("4 seconds")
      yield* Fiber.join(lapsing)
      assert.deepStrictEqual(yield* Fiber.join(waiting), ["4", "5", "6"])
    })
  )

  it.effect("are kept if they were opened after the call had started", () =>
    Effect.gen(function* () {
      const { fake, hangUpTo } = yield* balanced
      const call = calling(yield* direct, fake.url)
      yield* onEach(call())
      hangUpTo(CONNECTIONS)
      const first = yield* Effect.forkChild(Effect.flip(call()))
      yield* fake.arrived(4)
      yield* TestClock.adjust("5 seconds")
      const second = yield* Effect.forkChild(Effect.flip(call()))
      yield* fake.arrived(5)
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(first)
      assert.deepStrictEqual(yield* onEach(call()), ["4", "5", "6"])
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(second)
      assert.deepStrictEqual((yield* onEach(call())).toSorted(), ["4", "5", "6"])
    })
  )

  it.effect("to other origins are kept", () =>
    Effect.gen(function* () {
      const { fake, hangUpTo } = yield* balanced
      const other = yield* balanced
      const connections = yield* direct
      const call = calling(connections, fake.url)
      const callOther = calling(connections, other.fake.url)
      yield* onEach(callOther())
      yield* onEach(call())
      hangUpTo(CONNECTIONS)
      yield* lapse(call(), fake.arrived(4))
      assert.deepStrictEqual((yield* onEach(callOther())).toSorted(), ["1", "2", "3"])
    })
  )
})
