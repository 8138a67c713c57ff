import { assert, describe, it } from "@effect/vitest"
import { addRecent, outageOf, type RecentCodes } from "../../../src/domain/guard/Outage.ts"

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

  it("ends when as many codes as usual are verified, although an attack of its channel goes on", () => {
    const out = { channel: "sms", since: 20 * 60_000 }
    const codes = (verified: number) => {
      let recent: ReadonlyArray<RecentCodes> = []
      // an hour in which none is verified, and twenty minutes in which some are
      for (let n = 0; n < 120; n++) {
        const isVerified = n >= 90 && (n * verified) % 30 < verified
        recent = addRecent(recent, n * 40_000, { channel: "sms", isVerified, weight: 1, expected: 0.8 })
      }
      return recent
    }
    assert.isNull(outageOf(out, codes(15), usual, 80 * 60_000))
    assert.deepStrictEqual(outageOf(out, codes(4), usual, 80 * 60_000), out)
  })

  it("of others is none where codes are verified as usual", () => {
    const elsewhere = { channel: "sms", since: 20 * 60_000 }
    const outageWith = (verified: number) =>
      outageOf(null, recentOf(20, verified, 60), usual, 20 * 60_000, elsewhere)
    assert.isNull(outageWith(20))
    assert.deepStrictEqual(outageWith(8), elsewhere)
  })

  it("lasts until codes are verified again", () => {
    const out = { channel: "sms", since: 0 }
    assert.deepStrictEqual(outageOf(out, recentOf(20, 1, 60), usual, 20 * 60_000), out)
    assert.isNull(outageOf(out, recentOf(20, 18, 60), usual, 20 * 60_000))
  })
})
