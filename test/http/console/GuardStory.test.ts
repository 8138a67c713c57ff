import { describe, expect, it } from "vitest"
import type { GuardDay } from "../../../src/domain/guard/Alarm.ts"
import { makeLocale } from "../../../src/http/console/frame/Locale.ts"
import type { View } from "../../../src/http/console/frame/SignedRoutes.ts"
import { daysChart } from "../../../src/http/console/GuardStory.ts"

/** Half past midnight of 28 November, 7 Azar, in Tehran. */
const AFTER_MIDNIGHT = Date.UTC(2026, 10, 27, 21, 0)

const today: GuardDay = {
  day: "2026-11-28",
  codes: 5,
  verified: 0,
  flagged: 5,
  flaggedVerified: 0,
  flaggedSms: 5,
  flaggedCharges: 0,
  refused: 0,
  denied: 0
}

/** The rows of the chart's table: the day, and the codes that would be refused. */
const rows = (language: "en" | "fa") => {
  const view: View = Object.assign(Object.create(null), { locale: makeLocale(language, "UTC") })
  const saved = { mode: "record", unverifiedHour: null, smsPrice: null, version: 1 } as const
  const chart = daysChart({ mode: "record", saved, days: [today], now: AFTER_MIDNIGHT, open: 0 }, view)
  return String(chart)
    .split("<tr>")
    .slice(2)
    .map((row) =>
      row
        .replaceAll(/<[^>]*>/g, " ")
        .replaceAll(/\s+/g, " ")
        .trim()
    )
}

describe("the chart of the guard", () => {
  it.each([
    ["en", "30 Oct 0 0", "28 Nov 5 0"],
    ["fa", "۸ آبان ۰ ۰", "۷ آذر ۵ ۰"]
  ] as const)("has thirty days of Tehran, up to today, in %s", (language, first, last) => {
    const shown = rows(language)
    expect(shown).toHaveLength(30)
    expect([shown[0], shown.at(-1)]).toEqual([first, last])
  })
})
