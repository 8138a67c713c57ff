import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Option, Schema } from "effect"
import { formatInstant } from "../../../src/domain/Instant.ts"
import { parseDateTime } from "../../../src/domain/message/Schedule.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const MINUTE = 60_000
const DAY = 86_400_000

/** A wall clock as the instant at which one in UTC shows the same. */
type WallClock = number

const wallClockText = (clock: WallClock): string => formatInstant(clock).slice(0, 19)

const tehran = new Intl.DateTimeFormat("en-US-u-ca-gregory-nu-latn", {
  timeZone: "Asia/Tehran",
  hourCycle: "h23",
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  minute: "numeric",
  second: "numeric"
})

/** The time of a clock in Tehran, by Intl's time-zone data; to the second. */
const wallClockIn = (instant: number): WallClock => {
  const parts = new Map(tehran.formatToParts(instant).map(({ type, value }) => [type, Number(value)]))
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? Number.NaN
  return Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"))
}

/** The first instant at which a clock in Tehran shows this; one that it skips counts by the offset before. */
const tehranInstant = (clock: WallClock): number => {
  const candidates = [clock - DAY, clock + DAY].map((near) => clock - (wallClockIn(near) - near))
  const shown = candidates.filter((instant) => wallClockIn(instant) === clock)
  return shown.length === 0 ? (candidates[0] ?? Number.NaN) : Math.min(...shown)
}

const changeDays = Array.from({ length: 45 * 365 }, (_, index) => Date.UTC(1980, 0, 1) + index * DAY).filter(
  (day) => wallClockIn(day) - day !== wallClockIn(day + DAY) - (day + DAY)
)

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const seconds = (from: number, to: number) =>
  Arbitrary.schema(between(from / 1_000, to / 1_000)).pipe(Arbitrary.map((second) => second * 1_000))

const anyTime = seconds(Date.UTC(1940, 0, 1), Date.UTC(2099, 11, 31))

const aroundChange = Arbitrary.all([
  Arbitrary.schema(between(0, changeDays.length - 1)),
  seconds(-3 * 60 * MINUTE, DAY + 3 * 60 * MINUTE)
]).pipe(Arbitrary.map(([index, after]): WallClock => (changeDays[index] ?? 0) + after))

const offset = Schema.Struct({
  sign: Schema.Literals(["+", "-"]),
  hours: between(0, 23),
  minutes: between(0, 59),
  form: Schema.Literals(["+hh:mm", "+hhmm", "+hh"])
})

const two = (value: number): string => String(value).padStart(2, "0")

const offsetText = ({ sign, hours, minutes, form }: typeof offset.Type): string => {
  if (form === "+hh") return sign + two(hours)
  return `${sign}${two(hours)}${form === "+hh:mm" ? ":" : ""}${two(minutes)}`
}

const offsetMillis = ({ sign, hours, minutes, form }: typeof offset.Type): number =>
  (sign === "-" ? -1 : 1) * (hours * 60 + (form === "+hh" ? 0 : minutes)) * MINUTE

const parsed = (text: string): number | null => Option.getOrNull(parseDateTime(text))
const at = (text: string): number => Date.parse(text)

const runs = { arbitrary: { runs: propertyRuns(1_000) } }

describe("a date-time without an offset", () => {
  it.prop(
    "is what a clock in Tehran shows",
    [anyTime],
    ([clock]) => {
      assert.strictEqual(parsed(wallClockText(clock)), tehranInstant(clock))
    },
    runs
  )

  it.prop(
    "is what a clock in Tehran shows first, around the changes of summer time that were",
    [aroundChange],
    ([clock]) => {
      assert.strictEqual(parsed(wallClockText(clock)), tehranInstant(clock))
    },
    { arbitrary: { runs: propertyRuns(3_000) } }
  )

  it("meets many changes of the clock in these tests", () => {
    assert.isAbove(changeDays.length, 50)
  })

  it.each([
    ["2026-12-01T10:00", "2026-12-01T06:30:00.000Z"],
    ["2021-07-01T10:00", "2021-07-01T05:30:00.000Z"],
    ["2022-07-01T10:00", "2022-07-01T05:30:00.000Z"],
    ["2023-07-01T10:00", "2023-07-01T06:30:00.000Z"],
    ["2021-03-21T23:59:59.999", "2021-03-21T20:29:59.999Z"],
    ["2021-03-22T01:00", "2021-03-21T20:30:00.000Z"],
    ["2021-09-21T22:59:59.999", "2021-09-21T18:29:59.999Z"],
    ["2021-09-22T00:00", "2021-09-21T20:30:00.000Z"]
  ])("that is %s is %s", (text, instant) => {
    assert.strictEqual(parsed(text), at(instant))
  })

  it("counts on from the hour before where the clock skipped it", () => {
    assert.strictEqual(parsed("2021-03-22T00:30"), at("2021-03-21T21:00:00.000Z"))
  })

  it("is the first of two where the clock showed it twice", () => {
    assert.strictEqual(parsed("2021-09-21T23:30"), at("2021-09-21T19:00:00.000Z"))
  })
})

describe("a date-time with an offset", () => {
  it.prop(
    "is the wall clock less the offset",
    [anyTime, offset],
    ([clock, given]) => {
      const expected = clock - offsetMillis(given)
      assert.strictEqual(parsed(wallClockText(clock) + offsetText(given)), expected)
    },
    runs
  )

  it.prop(
    "is the same instant in Tehran's offset as in UTC",
    [anyTime],
    ([clock]) => {
      const inTehran = wallClockText(clock + 210 * MINUTE)
      assert.strictEqual(parsed(`${inTehran}+03:30`), parsed(`${wallClockText(clock)}Z`))
    },
    runs
  )

  it.each([
    ["2026-12-01T10:00:00+03:30", "2026-12-01T06:30:00.000Z"],
    ["2026-12-01T10:00:00-0800", "2026-12-01T18:00:00.000Z"],
    ["2026-12-01T10:00:00+05", "2026-12-01T05:00:00.000Z"],
    ["2026-12-01T10:00:00Z", "2026-12-01T10:00:00.000Z"],
    ["2026-12-01T10:00Z", "2026-12-01T10:00:00.000Z"],
    ["2026-12-01T00:00-23:59", "2026-12-01T23:59:00.000Z"],
    ["2024-02-29T23:59:59.999+00:00", "2024-02-29T23:59:59.999Z"],
    ["2021-03-22T00:30+03:30", "2021-03-21T21:00:00.000Z"]
  ])("that is %s is %s", (text, instant) => {
    assert.strictEqual(parsed(text), at(instant))
  })
})

describe("a fraction of a second", () => {
  it.prop(
    "counts to the millisecond, with one to nine digits, after a point or a comma",
    [
      anyTime,
      Arbitrary.array(Arbitrary.schema(between(0, 9)), { minLength: 1, maxLength: 9 }),
      Arbitrary.schema(Schema.Literals([".", ","]))
    ],
    ([clock, digits, mark]) => {
      const fraction = digits.join("")
      const millis = Math.floor(Number(`0.${fraction}`) * 1_000 + 1e-7)
      assert.strictEqual(parsed(`${wallClockText(clock)}${mark}${fraction}Z`), clock + millis)
    },
    runs
  )

  it("does not round up", () => {
    assert.strictEqual(parsed("2026-12-31T23:59:59.999999999Z"), at("2026-12-31T23:59:59.999Z"))
  })
})

const dayParts = Schema.Struct({ year: between(1900, 2199), month: between(0, 13), day: between(0, 32) })

const daysIn = (year: number, month: number): number => {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0
}

describe("a day", () => {
  it.prop(
    "is one exactly when the calendar has it",
    [dayParts],
    ([{ year, month, day }]) => {
      const text = `${year}-${two(month)}-${two(day)}T12:00Z`
      const exists = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
      assert.strictEqual(parsed(text), exists ? Date.UTC(year, month - 1, day, 12) : null)
    },
    runs
  )

  it.each(["2024-02-29", "2000-02-29", "2026-12-31", "2026-04-30"])("may be %s", (day) => {
    assert.isNotNull(parsed(`${day}T10:00`))
  })

  it.each(["2023-02-29", "2100-02-29", "2026-04-31", "2026-13-01", "2026-00-10", "2026-10-00", "2026-01-32"])(
    "is none when it is %s",
    (day) => {
      assert.isNull(parsed(`${day}T10:00`))
    }
  )
})

describe("a year", () => {
  it.each(["9999-12-31T23:59:59-00:01", "0000-01-01T00:00+00:01", "0000-01-01T00:00"])(
    "of UTC that has no four digits makes %s no date-time",
    (text) => {
      assert.isNull(parsed(text))
    }
  )

  it("can be 9999", () => {
    assert.strictEqual(parsed("9999-12-31T23:59:59.999Z"), at("9999-12-31T23:59:59.999Z"))
  })
})

describe("a text", () => {
  it.each([
    "",
    "2026-12-01",
    "10:00",
    "2026-12-01T",
    "2026-12-01T10",
    "2026-12-01 10:00",
    "2026-12-01t10:00z",
    "2026-12-01T24:00",
    "2026-12-01T24:00:00Z",
    "2026-12-01T25:00",
    "2026-12-01T10:60",
    "2026-12-01T10:00:60",
    "2026-12-01T10:00:60Z",
    "2026-12-01T1:00",
    "2026-12-01T10:0",
    "2026-1-01T10:00",
    "26-12-01T10:00",
    "2026-12-01T10:00.5",
    "2026-12-01T10:00:00.",
    "2026-12-01T10:00:00.1234567890",
    "2026-12-01T10:00 Z",
    "2026-12-01T10:00+3:30",
    "2026-12-01T10:00+24:00",
    "2026-12-01T10:00+03:60",
    "2026-12-01T10:00+03:",
    "2026-12-01T10:00ZZ",
    "2026-12-01T10:00Z+03:30",
    "2026-12-01T10:00[Asia/Tehran]",
    " 2026-12-01T10:00",
    "2026-12-01T10:00\n",
    "2026-12-01T10:00:00Z\n",
    "+002026-12-01T10:00",
    "-2026-12-01T10:00",
    "12026-12-01T10:00",
    "۲۰۲۶-۱۲-۰۱T۱۰:۰۰",
    "1405-09-10T10:00:61",
    "tomorrow",
    "1796000000",
    "Tue, 01 Dec 2026 10:00:00 GMT"
  ])("is no date-time when it is %j", (text) => {
    assert.isNull(parsed(text))
  })

  it.prop(
    "is a whole number of milliseconds or no date-time",
    [Schema.String],
    ([text]) => {
      const instant = parsed(text)
      if (instant !== null) assert.isTrue(Number.isSafeInteger(instant))
    },
    runs
  )
})
