import { assert, describe, it } from "@effect/vitest"
import { makeWebhookQueues, type Place } from "../../../src/services/webhook/WebhookQueues.ts"

const isPlace = (entered: Place | number): entered is Place => typeof entered !== "number"

const enterAll = (queues: ReturnType<typeof makeWebhookQueues>, endpoint: number, count: number, now = 0) => {
  const entered = Array.from({ length: count }, () => queues.enter(7, endpoint, now))
  return {
    places: entered.filter(isPlace),
    waits: entered.filter((each) => typeof each === "number")
  }
}

describe("the deliveries that a process makes at once", () => {
  it("are eight to one endpoint, and others are not counted with them", () => {
    const queues = makeWebhookQueues()
    assert.deepStrictEqual(
      [1, 2].map((endpoint) => enterAll(queues, endpoint, 20).places.length),
      [8, 8]
    )
  })

  it("are sixteen of one customer, and other customers are not counted with them", () => {
    const queues = makeWebhookQueues()
    const of = (customerId: number) =>
      [1, 2, 3]
        .flatMap((lane) => Array.from({ length: 8 }, () => queues.enter(customerId, lane, 0)))
        .filter(isPlace)
    assert.deepStrictEqual([of(1).length, of(2).length], [16, 16])
  })

  it("make the rest wait, one after the other, and never for longer than a quarter of an hour", () => {
    const { waits } = enterAll(makeWebhookQueues(), 1, 100_000)
    assert.strictEqual(waits[0], 50)
    assert.deepStrictEqual(
      waits,
      waits.toSorted((a, b) => a - b)
    )
    assert.isAtMost(waits.at(-1) ?? Number.NaN, 15 * 60_000)
  })

  it("leave their place to the next", () => {
    const queues = makeWebhookQueues()
    const { places } = enterAll(queues, 1, 8)
    assert.isFalse(isPlace(queues.enter(7, 1, 0)))
    places[0]?.leave(100)
    assert.isTrue(isPlace(queues.enter(7, 1, 0)))
  })

  it("to an endpoint that is slow make the rest wait longer", () => {
    const gapAfter = (millis: number) => {
      const queues = makeWebhookQueues()
      const { places } = enterAll(queues, 1, 8)
      places[0]?.leave(millis)
      const { waits } = enterAll(queues, 1, 3)
      return (waits[1] ?? Number.NaN) - (waits[0] ?? Number.NaN)
    }
    assert.deepStrictEqual([gapAfter(80), gapAfter(8000)], [10, 1000])
  })
})
