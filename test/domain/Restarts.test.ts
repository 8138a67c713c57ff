import { assert, describe, it } from "@effect/vitest"
import { afterDeath, noRestarts } from "../../src/domain/Schedules.ts"

const HOUR = 3_600_000

/** The pauses after so many deaths, each after a life of so many milliseconds. */
const pausesAfter = (lives: ReadonlyArray<number>) => {
  let restarts = noRestarts
  return lives.map((lived) => {
    const next = afterDeath(restarts, lived)
    restarts = next.restarts
    return next.pauseMillis
  })
}

describe("restarts", () => {
  it("come sooner after the first death than after the next", () => {
    assert.deepStrictEqual(pausesAfter([0, 0, 0, 0]), [100, 200, 400, 800])
  })

  it("come every ten seconds at last", () => {
    assert.deepStrictEqual(pausesAfter(Array.from({ length: 12 }, () => 0)).slice(-2), [10_000, 10_000])
  })

  it("begin again after a steady life", () => {
    assert.deepStrictEqual(pausesAfter([0, 0, HOUR, 0]), [100, 200, 100, 200])
    assert.strictEqual(afterDeath({ inRow: 7 }, HOUR).restarts.inRow, 1)
  })
})
