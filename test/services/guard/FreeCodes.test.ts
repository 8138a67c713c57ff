import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { BUDGET_WINDOW_MILLIS, FREE_CODES } from "../../../src/domain/guard/CodeBudget.ts"
import type { Segment } from "../../../src/domain/guard/Segments.ts"
import { CodeBudgets, FreeCodes, GatheredGrants } from "../../../src/services/guard/CodeBudgets.ts"

const CUSTOMER = 7
const START = 1_700_000_000_000
const segment = (key: string): Segment => ({ kind: "prefix", key })

/** How many free codes a segment gets. */
const takeAll = (free: FreeCodes, of: Segment, now: number): number => {
  let taken = 0
  while (free.hasLeft(free.find(CUSTOMER, of, now))) {
    free.take(free.find(CUSTOMER, of, now))
    taken += 1
  }
  return taken
}

describe("free codes", () => {
  it("are three for each segment", () => {
    const free = new FreeCodes(START)
    assert.strictEqual(takeAll(free, segment("+98912000"), START), FREE_CODES)
    assert.strictEqual(takeAll(free, segment("+98912001"), START), FREE_CODES)
    assert.strictEqual(takeAll(free, segment("+98912000"), START), 0)
  })

  it("are counted for each customer and each kind of segment", () => {
    const free = new FreeCodes(START)
    takeAll(free, segment("one"), START)
    assert.isTrue(free.hasLeft(free.find(CUSTOMER + 1, segment("one"), START)))
    assert.isTrue(free.hasLeft(free.find(CUSTOMER, { kind: "network", key: "one" }, START)))
  })

  it("are there again in the next hour, if some were left", () => {
    const free = new FreeCodes(START)
    free.take(free.find(CUSTOMER, segment("some"), START))
    assert.strictEqual(takeAll(free, segment("some"), START + BUDGET_WINDOW_MILLIS), FREE_CODES)
  })

  it("are not there again once all were taken, nor once they were spent", () => {
    const free = new FreeCodes(START)
    takeAll(free, segment("all"), START)
    free.spend(free.find(CUSTOMER, segment("spent"), START))
    for (const now of [START, START + BUDGET_WINDOW_MILLIS, START + 5 * BUDGET_WINDOW_MILLIS]) {
      assert.strictEqual(takeAll(free, segment("all"), now), 0)
      assert.strictEqual(takeAll(free, segment("spent"), now), 0)
    }
  })

  it("can be given back", () => {
    const free = new FreeCodes(START)
    free.take(free.find(CUSTOMER, segment("back"), START))
    free.giveBack(free.find(CUSTOMER, segment("back"), START))
    free.giveBack(free.find(CUSTOMER, segment("back"), START))
    assert.strictEqual(takeAll(free, segment("back"), START), FREE_CODES)
  })

  it("are none for a segment whose place another has, until the other's hour is over", () => {
    const free = new FreeCodes(START)
    const keys = Array.from({ length: 3000 }, (_, n) => `+98912${String(n).padStart(5, "0")}`)
    const places = keys.map((key) => free.find(CUSTOMER, segment(key), START))
    const without = keys.filter((_, n) => places[n] === -1)
    assert.isAbove(without.length, 0)
    assert.isBelow(without.length, 100)
    for (const key of without) {
      assert.isFalse(free.hasLeft(free.find(CUSTOMER, segment(key), START)))
      assert.isTrue(free.hasLeft(free.find(CUSTOMER, segment(key), START + BUDGET_WINDOW_MILLIS)))
    }
  })

  it.effect("take no memory in a process that sends no code", () =>
    Effect.gen(function* () {
      const grants = Layer.succeed(GatheredGrants, { request: () => {}, flush: () => {} })
      const before = process.memoryUsage().arrayBuffers
      const budgets = yield* CodeBudgets.pipe(Effect.provide(Layer.provide(CodeBudgets.layer, grants)))
      assert.isBelow(process.memoryUsage().arrayBuffers - before, 1_000_000)
      const use = { customerId: CUSTOMER, segments: [segment("first")], budget: null }
      assert.deepStrictEqual(budgets.takeAtHand(use, START).empty, [])
      assert.isAbove(process.memoryUsage().arrayBuffers - before, 1_000_000)
    })
  )
})
