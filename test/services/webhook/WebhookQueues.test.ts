import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { type Admission, makeWebhookQueues } from "../../../src/services/webhook/WebhookQueues.ts"

const HANGS = "1 day"
const isAdmitted = (entered: Admission | number): entered is Admission => typeof entered !== "number"

/** Deliveries of customers to the endpoints of one process, and the requests that they have begun. */
const makeDeliveries = Effect.map(Clock.Clock, (clock) => {
  const queues = makeWebhookQueues(clock)
  const begun: Array<string> = []
  const enter = (customerId: number, lane: number) =>
    Effect.map(Clock.currentTimeMillis, (now) => queues.enter(customerId, lane, now))
  const deliver = (customerId: number, lane: number, request: Effect.Effect<void> = Effect.sleep(HANGS)) =>
    Effect.gen(function* () {
      const admission = yield* enter(customerId, lane)
      if (!isAdmitted(admission)) return admission
      const beginning = Effect.sync(() => begun.push(`${customerId}:${lane}`))
      return yield* Effect.ensuring(
        admission.withPermit(Effect.andThen(beginning, request)),
        Effect.sync(admission.leave)
      )
    })
  const deliverAll = (customerId: number, lane: number, count: number, request?: Effect.Effect<void>) =>
    Effect.forEach(Array.from({ length: count }), () =>
      Effect.forkChild(deliver(customerId, lane, request), { startImmediately: true })
    )
  return { begun, enter, deliver, deliverAll }
})

const countOf = (begun: ReadonlyArray<string>, name: string) => begun.filter((each) => each === name).length

describe("the deliveries that a process makes at once", () => {
  it.effect("are eight to one endpoint, and others are not counted with them", () =>
    Effect.gen(function* () {
      const { begun, deliverAll } = yield* makeDeliveries
      yield* deliverAll(7, 1, 12)
      yield* deliverAll(7, 2, 12)
      assert.deepStrictEqual([countOf(begun, "7:1"), countOf(begun, "7:2")], [8, 8])
    })
  )

  it.effect("are sixteen of one customer, and other customers are not counted with them", () =>
    Effect.gen(function* () {
      const { begun, deliverAll } = yield* makeDeliveries
      for (const customer of [1, 2]) for (const lane of [1, 2, 3]) yield* deliverAll(customer, lane, 8)
      assert.lengthOf(begun, 32)
      assert.deepStrictEqual([countOf(begun, "1:3"), countOf(begun, "2:3")], [0, 0])
    })
  )

  it.effect("begin in their order as others end", () =>
    Effect.gen(function* () {
      const { begun, deliverAll } = yield* makeDeliveries
      yield* deliverAll(7, 1, 40, Effect.sleep("10 millis"))
      assert.lengthOf(begun, 8)
      yield* TestClock.adjust("10 millis")
      assert.lengthOf(begun, 16)
      yield* TestClock.adjust("100 millis")
      assert.lengthOf(begun, 40)
    })
  )

  it.effect("to a healthy endpoint do not wait behind those to one that hangs", () =>
    Effect.gen(function* () {
      const { begun, deliverAll } = yield* makeDeliveries
      yield* deliverAll(7, 1, 40)
      const healthy = yield* deliverAll(7, 2, 8, Effect.void)
      for (const fiber of healthy) yield* Fiber.join(fiber)
      assert.strictEqual(countOf(begun, "7:2"), 8)
    })
  )

  it.effect("do not come to their turn within half a second if the endpoint hangs", () =>
    Effect.gen(function* () {
      const { begun, deliver, deliverAll } = yield* makeDeliveries
      yield* deliverAll(7, 1, 8)
      const ninth = yield* Effect.forkChild(deliver(7, 1), { startImmediately: true })
      yield* TestClock.adjust("500 millis")
      assert.deepStrictEqual(yield* Fiber.join(ninth), Option.none())
      assert.lengthOf(begun, 8)
    })
  )

  it.effect("wait in this process only as many as the endpoint takes in half a second", () =>
    Effect.gen(function* () {
      const { deliverAll, enter } = yield* makeDeliveries
      yield* deliverAll(7, 1, 8)
      yield* TestClock.adjust("1 second")
      const admitted: Array<Admission | number> = []
      for (let nth = 0; nth < 20; nth++) admitted.push(yield* enter(7, 1))
      assert.strictEqual(admitted.filter(isAdmitted).length, 4)
    })
  )

  it.effect(
    "make the rest come back, one after the other, and never later than in a quarter of an hour",
    () =>
      Effect.gen(function* () {
        const { deliverAll, enter } = yield* makeDeliveries
        yield* deliverAll(7, 1, 8)
        yield* TestClock.adjust("10 seconds")
        const now = yield* Clock.currentTimeMillis
        const times: Array<number> = []
        for (let nth = 0; nth < 10_000; nth++) {
          const entered = yield* enter(7, 1)
          if (!isAdmitted(entered)) times.push(entered - now)
        }
        assert.deepStrictEqual(times.slice(0, 2), [50, 1300])
        assert.strictEqual(times.at(-1), 15 * 60_000)
        assert.deepStrictEqual(
          times,
          times.toSorted((a, b) => a - b)
        )
      })
  )

  it.effect("that wait are turned away when the endpoint accepts nothing any more", () =>
    Effect.gen(function* () {
      const { begun, deliver, deliverAll, enter } = yield* makeDeliveries
      const last = yield* enter(7, 1)
      yield* deliverAll(7, 1, 8)
      const waiting = yield* Effect.forkChild(deliver(7, 1), { startImmediately: true })
      if (!isAdmitted(last)) return assert.fail("it was not admitted")
      last.turnOthersAway()
      assert.deepStrictEqual(yield* Fiber.join(waiting), Option.none())
      assert.lengthOf(begun, 8)
    })
  )
})
