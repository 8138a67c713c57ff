import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type Link, LinkedSet } from "../../../src/services/concurrency/Collections.ts"

interface Work {
  readonly number: number
}

/** A step removes the value at its place, if there are that many, and otherwise adds one. */
const Steps = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 })))

describe("a linked set", () => {
  it.prop(
    "lists its values in the order of their additions, without the removed ones",
    [Steps],
    ([steps]) => {
      const linkedSet = new LinkedSet<Work>()
      const expected: Array<Link<Work>> = []
      for (const [number, place] of steps.entries()) {
        const [removed] = expected.splice(place, 1)
        if (removed === undefined) expected.push(linkedSet.add({ number }))
        else assert.isTrue(linkedSet.remove(removed))
        assert.strictEqual(linkedSet.size, expected.length)
        assert.deepStrictEqual(
          [...linkedSet],
          expected.map(({ value }) => value)
        )
      }
    }
  )

  it("removes a value only once, and its link drops its neighbours", () => {
    const linkedSet = new LinkedSet<Work>()
    const [first, second, third] = [1, 2, 3].map((number) => linkedSet.add({ number }))
    assert(first !== undefined && second !== undefined && third !== undefined)
    assert.isTrue(linkedSet.remove(second))
    assert.isFalse(linkedSet.remove(second))
    assert.deepStrictEqual(second, { value: null, before: null, after: null })
    assert.strictEqual(linkedSet.size, 2)
    assert.strictEqual(first.after, third)
    assert.strictEqual(third.before, first)
  })

  it("lets the current value be removed during an iteration", () => {
    const linkedSet = new LinkedSet<Work>()
    const links = new Map([1, 2, 3].map((number) => [number, linkedSet.add({ number })]))
    const listed: Array<number> = []
    for (const { number } of linkedSet) {
      listed.push(number)
      const removed = links.get(number)
      if (removed !== undefined) linkedSet.remove(removed)
    }
    assert.deepStrictEqual(listed, [1, 2, 3])
    assert.strictEqual(linkedSet.size, 0)
  })
})
