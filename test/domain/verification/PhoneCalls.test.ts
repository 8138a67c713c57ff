import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, DateTime, Schema } from "effect"
import {
  type CallHours,
  defaultVoice,
  isCallHour,
  nightEndsAt,
  parseCallHours
} from "../../../src/domain/verification/PhoneCalls.ts"
import { DAY_MILLIS, HOUR_MILLIS, MINUTE_MILLIS } from "../../../src/domain/Instant.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const hoursOf = (text: string): CallHours => {
  const hours = parseCallHours(text)
  if (hours === null) throw new Error(`no hours: ${text}`)
  return hours
}

/** A time of Tehran's clocks. */
const tehran = (text: string): number => Date.parse(`${text}+03:30`)

const isOpenAt = (hours: string, time: string): boolean =>
  isCallHour(hoursOf(hours), tehran(`2026-11-26T${time}`))

describe("the hours of calls", () => {
  it("are 8 to 22 by default", () => {
    assert.deepStrictEqual(defaultVoice.callHours, hoursOf("08:00-22:00"))
  })

  it.each(["00:00-24:00", "08:00-22:00", "22:30-07:15", "00:00-00:01", "23:59-24:00", " 08:00 - 22:00 "])(
    "can be %j",
    (text) => {
      assert.isNotNull(parseCallHours(text))
    }
  )

  it.each([
    "",
    "8-22",
    "8:00-22:00",
    "08:00",
    "08:00-25:00",
    "24:00-08:00",
    "08:60-22:00",
    "08:00-24:01",
    "08:00-08:00",
    "00:00-00:00",
    "08:00-22:00 UTC",
    "08:00–22:00",
    "-08:00-22:00"
  ])("cannot be %j", (text) => {
    assert.isNull(parseCallHours(text))
  })

  it.each([
    ["08:00-22:00", "07:59:59.999", false],
    ["08:00-22:00", "08:00:00.000", true],
    ["08:00-22:00", "21:59:59.999", true],
    ["08:00-22:00", "22:00:00.000", false],
    ["08:00-22:00", "00:00:00.000", false],
    ["22:00-08:00", "21:59:59.999", false],
    ["22:00-08:00", "22:00:00.000", true],
    ["22:00-08:00", "00:00:00.000", true],
    ["22:00-08:00", "07:59:59.999", true],
    ["22:00-08:00", "08:00:00.000", false],
    ["08:00-24:00", "23:59:59.999", true],
    ["08:00-24:00", "00:00:00.000", false],
    ["00:00-24:00", "00:00:00.000", true],
    ["00:00-24:00", "23:59:59.999", true]
  ] as const)("%s at %s in Tehran: %s", (hours, time, isOpen) => {
    assert.strictEqual(isOpenAt(hours, time), isOpen)
  })

  it("are those of Tehran without summer time, also in July", () => {
    for (const day of ["2026-01-15", "2026-07-15", "1970-01-01"]) {
      const { callHours } = defaultVoice
      assert.isFalse(isCallHour(callHours, Date.parse(`${day}T04:29:59Z`)))
      assert.isTrue(isCallHour(callHours, Date.parse(`${day}T04:30:00Z`)))
      assert.isTrue(isCallHour(callHours, Date.parse(`${day}T18:29:59Z`)))
      assert.isFalse(isCallHour(callHours, Date.parse(`${day}T18:30:00Z`)))
    }
  })

  it.each([
    ["08:00-22:00", "2026-11-26T22:00:00", "2026-11-27T08:00:00"],
    ["08:00-22:00", "2026-11-26T23:59:59.999", "2026-11-27T08:00:00"],
    ["08:00-22:00", "2026-11-27T00:00:00", "2026-11-27T08:00:00"],
    ["08:00-22:00", "2026-11-27T07:59:59.999", "2026-11-27T08:00:00"],
    ["22:00-08:00", "2026-11-27T08:00:00", "2026-11-27T22:00:00"]
  ] as const)("%s: the night around %s ends at %s", (hours, at, end) => {
    assert.strictEqual(nightEndsAt(hoursOf(hours), tehran(at)), tehran(end))
  })

  const minutes = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 24 * 60 - 1 })))
  const anyHours = Arbitrary.all({ from: minutes, until: minutes }).pipe(
    Arbitrary.map(({ from, until }) => ({ from, until: from === until ? 24 * 60 : until }))
  )
  /** After the last summer time of Tehran. */
  const anyTime = Arbitrary.schema(
    Schema.Int.check(
      Schema.isBetween({ minimum: tehran("2023-01-01T00:00:00"), maximum: tehran("2090-01-01T00:00:00") })
    )
  )

  it.prop(
    "agree with the clock of Tehran in Node's own time zones",
    [anyHours, anyTime],
    ([hours, at]) => {
      const { hour, minute } = DateTime.toParts(DateTime.makeZonedUnsafe(at, { timeZone: "Asia/Tehran" }))
      const now = hour * 60 + minute
      const { from, until } = hours
      const isOpen = from < until ? from <= now && now < until : from <= now || now < until
      assert.strictEqual(isCallHour(hours, at), isOpen)
    },
    { arbitrary: { runs: propertyRuns(500) } }
  )

  it.prop(
    "end a night at their next beginning, within a day: closed until then, open from then on",
    [anyHours, anyTime],
    ([hours, at]) => {
      if (isCallHour(hours, at)) return
      const end = nightEndsAt(hours, at)
      assert.isTrue(end > at && end <= at + DAY_MILLIS)
      assert.isTrue(isCallHour(hours, end))
      assert.isFalse(isCallHour(hours, end - 1))
      for (let between = at; between < end; between += HOUR_MILLIS / 2 + MINUTE_MILLIS) {
        assert.isFalse(isCallHour(hours, between))
      }
    },
    { arbitrary: { runs: propertyRuns(500) } }
  )
})
