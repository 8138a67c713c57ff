import { assert, describe, it } from "@effect/vitest"
import { choosePrimary } from "../../../../src/layers/postgres/Primary.ts"

describe("of several hosts, Peyk follows", () => {
  it("the only one that accepts writes", () => {
    assert.strictEqual(choosePrimary([undefined, 3]), 1)
    assert.strictEqual(choosePrimary([undefined, undefined]), undefined)
  })

  it("the one that was promoted last, wherever it stands", () => {
    assert.strictEqual(choosePrimary([5, 4]), 0)
    assert.strictEqual(choosePrimary([4, 5], { index: 0, timeline: 4 }), 1)
  })

  it("none while only an older primary answers", () => {
    assert.strictEqual(choosePrimary([4, undefined], { index: 1, timeline: 5 }), undefined)
    assert.strictEqual(choosePrimary([0, undefined], { index: 1, timeline: 5 }), undefined)
  })

  it("the one in use, of two that are equal", () => {
    assert.strictEqual(choosePrimary([5, 5], { index: 1, timeline: 5 }), 1)
    assert.strictEqual(choosePrimary([0, 0], { index: 1, timeline: 0 }), 1)
  })
})
