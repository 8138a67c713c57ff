import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type Begun, UnderWay } from "../../src/services/concurrency/UnderWay.ts"

interface Work {
  readonly number: number
}

/** Where there are as many under way as a step says, the one at its place ends; otherwise one begins. */
const Steps = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 })))

describe("what is under way", () => {
  it.prop("is told in the order in which it began, without what is over", [Steps], ([steps]) => {
    const underWay = new UnderWay<Work>()
    const expected: Array<Begun<Work>> = []
    for (const [number, place] of steps.entries()) {
      const [ending] = expected.splice(place, 1)
      if (ending === undefined) expected.push(underWay.begin({ number }))
      else assert.isTrue(underWay.end(ending))
      assert.strictEqual(underWay.size, expected.length)
      assert.deepStrictEqual(
        [...underWay],
        expected.map(({ value }) => value)
      )
    }
  })

  it("ends only once, and is left by what was about it", () => {
    const underWay = new UnderWay<Work>()
    const [first, second, third] = [1, 2, 3].map((number) => underWay.begin({ number }))
    assert(first !== undefined && second !== undefined && third !== undefined)
    assert.isTrue(underWay.end(second))
    assert.isFalse(underWay.end(second))
    assert.deepStrictEqual(second, { value: null, before: null, after: null })
    assert.strictEqual(underWay.size, 2)
    assert.strictEqual(first.after, third)
    assert.strictEqual(third.before, first)
  })

  it("may be ended while it is told", () => {
    const underWay = new UnderWay<Work>()
    const begun = new Map([1, 2, 3].map((number) => [number, underWay.begin({ number })]))
    const told: Array<number> = []
    for (const { number } of underWay) {
      told.push(number)
      const ending = begun.get(number)
      if (ending !== undefined) underWay.end(ending)
    }
    assert.deepStrictEqual(told, [1, 2, 3])
    assert.strictEqual(underWay.size, 0)
  })
})
