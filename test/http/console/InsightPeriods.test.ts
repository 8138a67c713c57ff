import { assert, describe, it } from "@effect/vitest"
import { SLOT_MILLIS } from "../../../src/domain/Activity.ts"
import { DAY_MILLIS, formatInstant, HOUR_MILLIS } from "../../../src/domain/Instant.ts"
import type { TimeSpan } from "../../../src/domain/Paging.ts"
import { bucketsOf, readPeriod } from "../../../src/http/console/activity/InsightPeriods.ts"
import { monthText } from "../../../src/http/console/parts/Periods.ts"
import { type Language, makeLocale } from "../../../src/http/console/frame/Locale.ts"

/** 14:10 in Tehran, on the 6th of Azar 1405. */
const NOW = Date.UTC(2026, 10, 27, 10, 40)

const read = (query: string, language: Language = "fa", zone = "Asia/Tehran") =>
  readPeriod({ query: new URLSearchParams(query), locale: makeLocale(language, zone) }, NOW)

const text = ({ from, to }: TimeSpan) => [from, to].map((at) => formatInstant(at).slice(0, 16))

describe("the period of insights", () => {
  it("is of seven days of Tehran, next to the seven before up to the same half hour", () => {
    const { data, previous, preset, problems } = read("")
    assert.deepStrictEqual(problems, [])
    assert.strictEqual(preset, "7d")
    assert.deepStrictEqual(text(data), ["2026-11-20T20:30", "2026-11-27T11:00"])
    assert.deepStrictEqual(text(previous), ["2026-11-13T20:30", "2026-11-20T11:00"])
  })

  it("compares today with yesterday at the same time", () => {
    const { data, previous } = read("period=today")
    assert.deepStrictEqual(text(data), ["2026-11-26T20:30", "2026-11-27T11:00"])
    assert.deepStrictEqual(text(previous), ["2026-11-25T20:30", "2026-11-26T11:00"])
  })

  it("has the month of the page's calendar", () => {
    assert.deepStrictEqual(text(read("period=month").data)[0], "2026-11-21T20:30")
    assert.deepStrictEqual(text(read("period=month").previous)[0], "2026-10-22T20:30")
    assert.deepStrictEqual(text(read("period=month", "en").data)[0], "2026-10-31T20:30")
    // wherever somebody is, days are those of Tehran
    assert.deepStrictEqual(text(read("period=month", "en", "UTC").data)[0], "2026-10-31T20:30")
    assert.strictEqual(monthText(read("period=month").data.from, { language: "fa" }), "آذر ۱۴۰۵")
    assert.strictEqual(monthText(NOW, { language: "en" }), "November 2026")
  })

  it("has yesterday and the month before, each next to the one before it", () => {
    assert.deepStrictEqual(text(read("period=yesterday").data), ["2026-11-25T20:30", "2026-11-26T20:30"])
    assert.deepStrictEqual(text(read("period=yesterday").previous), ["2026-11-24T20:30", "2026-11-25T20:30"])
    assert.deepStrictEqual(text(read("period=last-month").data), ["2026-10-22T20:30", "2026-11-21T20:30"])
    assert.deepStrictEqual(text(read("period=last-month").previous), ["2026-09-22T20:30", "2026-10-22T20:30"])
    assert.deepStrictEqual(text(read("period=last-month", "en").data), [
      "2026-09-30T20:30",
      "2026-10-31T20:30"
    ])
    assert.deepStrictEqual(text(read("period=30d", "en", "UTC").data), [
      "2026-10-28T20:30",
      "2026-11-27T11:00"
    ])
  })

  it("is a free range, next to the time before of the same length", () => {
    const { data, previous, preset } = read("period=today&from=۱۴۰۵/۰۹/۰۱&to=۱۴۰۵/۰۹/۰۳")
    assert.isNull(preset)
    // the last day counts as a whole
    assert.deepStrictEqual(text(data), ["2026-11-21T20:30", "2026-11-24T20:30"])
    assert.deepStrictEqual(text(previous), ["2026-11-18T20:30", "2026-11-21T20:30"])
    const typed = read("from=2026-11-22&to=2026-11-24 12:30", "en")
    assert.deepStrictEqual(text(typed.data), ["2026-11-21T20:30", "2026-11-24T09:00"])
  })

  it("compares a free range that does not end at midnight with the same hours of the day before it", () => {
    const days = read("from=2026-11-22&to=2026-11-24 12:30", "en")
    assert.deepStrictEqual(text(days.previous), ["2026-11-18T20:30", "2026-11-21T09:00"])
    const hours = read("from=2026-11-24 09:00&to=2026-11-24 12:30", "en")
    assert.deepStrictEqual(text(hours.previous), ["2026-11-24T02:00", "2026-11-24T05:30"])
  })

  it("is refused if it is too long, ends before it begins, or is unknown", () => {
    for (const query of [
      "period=year",
      "from=2026-01-01T00:00",
      "from=2026-11-03T00:00&to=2026-11-01T00:00",
      "from=yesterday"
    ])
      assert.lengthOf(read(query, "en").problems, 1, query)
  })

  it("has a point for each hour of two days, and for each day of more", () => {
    const day = { from: NOW - (NOW % SLOT_MILLIS) - 10 * HOUR_MILLIS, to: NOW }
    assert.strictEqual(bucketsOf(day, "Asia/Tehran").unit, "hour")
    assert.lengthOf(bucketsOf(day, "Asia/Tehran").begins, 11)
    const { unit, begins } = bucketsOf({ from: NOW - 6.6 * DAY_MILLIS, to: NOW }, "Asia/Tehran")
    assert.strictEqual(unit, "day")
    assert.lengthOf(begins, 8)
    assert.strictEqual(begins[0], NOW - 6.6 * DAY_MILLIS)
  })
})
