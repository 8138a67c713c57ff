import { assert, describe, it } from "@effect/vitest"
import { addRecent, outageOf, type RecentCodes } from "../../../src/domain/guard/round/Outage.ts"

describe("an outage", () => {
  const usual = { codesPerHour: 60, conversion: 0.8 }
  const recentOf = (count: number, verified: number, seconds: number) => {
    let recent: ReadonlyArray<RecentCodes> = []
    for (let n = 0; n < count; n++) {
      recent = addRecent(recent, n * seconds * 1000, {
        channel: "sms",
        isVerified: n < verified,
        weight: 1,
        expected: 0.8
      })
    }
    return recent
  }

  it("is not what many codes at once are", () => {
    assert.isNull(outageOf(null, recentOf(200, 2, 3), usual, 600_000))
    assert.isNotNull(outageOf(null, recentOf(20, 1, 60), usual, 20 * 60_000))
  })

  it("is not what a few codes are, by chance", () => {
    assert.isNull(outageOf(null, recentOf(8, 0, 60), usual, 8 * 60_000))
    assert.isNotNull(outageOf(null, recentOf(10, 0, 60), usual, 10 * 60_000))
  })

  it("was none where far more codes come than users ask for", () => {
    const out = { channel: "sms", since: 0 }
    assert.isNull(outageOf(out, recentOf(100, 0, 3), usual, 300_000))
  })

  it("lasts until codes are verified again", () => {
    const out = { channel: "sms", since: 0 }
    assert.deepStrictEqual(outageOf(out, recentOf(20, 1, 60), usual, 20 * 60_000), out)
    assert.isNull(outageOf(out, recentOf(20, 18, 60), usual, 20 * 60_000))
  })
})
