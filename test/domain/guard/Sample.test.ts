import { assert, describe, it } from "@effect/vitest"
import { SLICES, slicesOf, weightIn } from "../../../src/domain/guard/Conversion.ts"

describe("a sample of codes", () => {
  it("comes from slices that cover the whole time without a gap", () => {
    const slices = slicesOf({ from: 1000, until: 31_007 })
    assert.lengthOf(slices, SLICES)
    assert.deepStrictEqual([slices[0]?.from, slices.at(-1)?.until], [1000, 31_007])
    for (const [n, { from }] of slices.entries()) if (n > 0) assert.strictEqual(from, slices[n - 1]?.until)
  })

  it("counts each code once where all of a slice were read", () => {
    assert.strictEqual(weightIn({ from: 0, until: 1000 }, [1, 2, 3], 4), 1)
    assert.strictEqual(weightIn({ from: 0, until: 1000 }, [], 4), 1)
  })

  it("counts each for those after it, as if they came as fast as the ones that were read", () => {
    assert.strictEqual(weightIn({ from: 0, until: 1000 }, [0, 50, 75, 100], 4), 10)
  })

  it("does not believe that a burst went on and on", () => {
    assert.strictEqual(weightIn({ from: 0, until: 1_000_000 }, [0, 0, 0, 0], 4), 100)
  })
})
