import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type Begun, LinkedSet } from "../../../src/services/concurrency/LinkedSet.ts"

interface Work {
  readonly number: number
}

/** Where there are as many under way as a step says, the one at its place ends; otherwise one begins. */
const Steps = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 })))

describe("what is under way", () => {
  it.prop("is told in the order in which it began, without what is over", [Steps], ([steps]) => {
    const linkedSet = new LinkedSet<Work>()
    const expected: Array<Begun<Work>> = []
    for (const [number, place] of steps.entries()) {
      const [ending] = expected.splice(place, 1)
      if (ending === undefined) expected.push(linkedSet.begin({ number }))
      else assert.isTrue(linkedSet.end(ending))
      assert.strictEqual(linkedSet.size, expected.length)
      assert.deepStrictEqual(
        [...linkedSet],
        expected.map(({ value }) => value)
      )
    }
  })

  it("ends only once, and is left by what was about it", () => {
    const linkedSet = new LinkedSet<Work>()
    const [first, second, third] = [1, 2, 3].map((number) => linkedSet.begin({ number }))
    assert(first !== undefined && second !== undefined && third !== undefined)
    assert.isTrue(linkedSet.end(second))
    assert.isFalse(linkedSet.end(second))
    assert.deepStrictEqual(second, { value: null, before: null, after: null })
    assert.strictEqual(linkedSet.size, 2)
    assert.strictEqual(first.after, third)
    assert.strictEqual(third.before, first)
  })

  it("may be ended while it is told", () => {
    const linkedSet = new LinkedSet<Work>()
    const begun = new Map([1, 2, 3].map((number) => [number, linkedSet.begin({ number })]))
    const told: Array<number> = []
    for (const { number } of linkedSet) {
      told.push(number)
      const ending = begun.get(number)
      if (ending !== undefined) linkedSet.end(ending)
    }
    assert.deepStrictEqual(told, [1, 2, 3])
    assert.strictEqual(linkedSet.size, 0)
  })
})
