import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { fromJalali } from "../../../src/domain/Calendar.ts"

const iso = (year: number, month: number, day: number) => {
  const at = fromJalali(year, month, day)
  return at === null ? null : DateTime.formatIsoDateUtc(DateTime.makeUnsafe(at))
}

describe("a date of the calendar of Iran", () => {
  it("is the same day in the Gregorian calendar", () => {
    assert.strictEqual(iso(1405, 9, 3), "2026-11-24")
    assert.strictEqual(iso(1405, 1, 1), "2026-03-21")
    assert.strictEqual(iso(1403, 12, 30), "2025-03-20")
  })

  it("is none if its month or year does not have that day", () => {
    assert.isNull(iso(1404, 12, 30))
    assert.isNull(iso(1405, 7, 31))
    assert.isNull(iso(1405, 13, 1))
    assert.isNull(iso(1405, 1, 0))
  })
})
