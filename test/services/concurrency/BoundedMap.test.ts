import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { BoundedMap } from "../../../src/services/concurrency/Collections.ts"

const Step = Schema.Struct({
  isRead: Schema.Boolean,
  key: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 }))
})
const Steps = Schema.Array(Step).check(Schema.isMaxLength(200))
const Capacity = Schema.Int.check(Schema.isBetween({ minimum: 2, maximum: 20 }))

const keysOf = (map: BoundedMap<number, string>) => [...map].map(([key]) => key)

describe("a bounded map", () => {
  it.prop(
    "never has more entries than its capacity, and always has the last half of those used",
    [Steps, Capacity],
    ([steps, capacity]) => {
      const map = new BoundedMap<number, string>(capacity)
      const used: Array<number> = []
      for (const { isRead, key } of steps) {
        if (!isRead) map.set(key, `value ${key}`)
        if (map.get(key) !== undefined) used.unshift(key)
        const keys = keysOf(map)
        expect(keys.length).toBeLessThanOrEqual(capacity)
        expect(new Set(keys).size).toBe(keys.length)
      }
      const last = [...new Set(used)].slice(0, Math.ceil(capacity / 2))
      for (const key of last) expect(map.get(key)).toBe(`value ${key}`)
    }
  )

  it("keeps an entry that is used between others", () => {
    const map = new BoundedMap<number, string>(10)
    map.set(0, "used")
    for (let key = 1; key < 100; key += 1) {
      map.set(key, "once")
      expect(map.get(0)).toBe("used")
    }
  })

  it("has one value for a key, the last", () => {
    const map = new BoundedMap<number, string>(4)
    map.set(1, "old")
    map.set(2, "other")
    map.set(1, "new")
    expect([...map].toSorted()).toEqual([
      [1, "new"],
      [2, "other"]
    ])
  })

  it("forgets what is deleted, recent or older", () => {
    const map = new BoundedMap<number, string>(4)
    for (const key of [1, 2, 3]) map.set(key, "value")
    for (const key of [1, 3]) map.delete(key)
    expect(keysOf(map)).toEqual([2])
    map.clear()
    expect(keysOf(map)).toEqual([])
  })
})
