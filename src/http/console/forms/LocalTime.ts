import { DateTime, Option } from "effect"
import { DAY_MILLIS, type Instant } from "../../../domain/Instant.ts"
import { foldDigits, pasted, persianDigits } from "../../../domain/text/PastedText.ts"
import type { Locale } from "../frame/Locale.ts"

/** The days as everywhere else in the console: Intl has the calendar of Iran. */
const calendar = new Intl.DateTimeFormat("en-u-ca-persian-nu-latn", {
  timeZone: "UTC",
  year: "numeric",
  month: "numeric",
  day: "numeric"
})

/** Years from the Gregorian one in which a year of the calendar begins. */
const YEARS_APART = 621
/** The year begins on one of these days of March. */
const FIRST_DAYS = [19, 20, 21, 22]

/** `1405/9/3` */
const nameOf = (at: number): string => {
  const parts = calendar.formatToParts(at)
  const part = (type: "year" | "month" | "day") => parts.find((each) => each.type === type)?.value ?? ""
  return `${part("year")}/${part("month")}/${part("day")}`
}

const beginOf = (year: number): number | undefined =>
  FIRST_DAYS.map((day) =>
    DateTime.toEpochMillis(DateTime.makeUnsafe({ year: year + YEARS_APART, month: 3, day }))
  ).find((at) => nameOf(at) === `${year}/1/1`)

/** Six months have 31 days, the next five 30. */
const daysBefore = (month: number): number => (month <= 7 ? (month - 1) * 31 : 186 + (month - 7) * 30)

/** A day, given by its beginning in UTC, in the calendar of Iran: `1405/09/03`. */
const jalaliOf = (at: number): string =>
  nameOf(at)
    .split("/")
    .map((part) => part.padStart(2, "0"))
    .join("/")

/** The beginning of a day of the calendar of Iran, in UTC; null for a day that it does not have. */
export const fromJalali = (year: number, month: number, day: number): number | null => {
  const begin = beginOf(year)
  if (begin === undefined) return null
  const at = begin + (daysBefore(month) + day - 1) * DAY_MILLIS
  return nameOf(at) === `${year}/${month}/${day}` ? at : null
}

/** A month of the calendar of Iran, counted from the beginning of the calendar. */
const jalaliMonthOf = (at: Instant, zone: string): number => {
  const local = DateTime.formatIsoZoned(DateTime.makeZonedUnsafe(at, { timeZone: zone })).slice(0, 10)
  const [year = "", month = ""] = nameOf(
    DateTime.toEpochMillis(DateTime.makeUnsafe(`${local}T00:00:00Z`))
  ).split("/")
  return Number(year) * 12 + Number(month) - 1
}

/** The beginning of a month of the calendar of Iran, in a zone. */
const beginOfMonth = (count: number, timeZone: string): Instant => {
  const day = fromJalali(Math.floor(count / 12), (count % 12) + 1, 1) ?? 0
  return DateTime.toEpochMillis(
    DateTime.makeZonedUnsafe(DateTime.formatIsoDateUtc(DateTime.makeUnsafe(day)), {
      timeZone,
      adjustForTimeZone: true
    })
  )
}

/** The month of the calendar of Iran so many months before now: its name `1405-09`, and its time in a zone. */
export const jalaliMonth = (now: Instant, ago: number, zone: string) => {
  const count = jalaliMonthOf(now, zone) - ago
  const id = `${Math.floor(count / 12)}-${String((count % 12) + 1).padStart(2, "0")}`
  return { id, from: beginOfMonth(count, zone), to: beginOfMonth(count + 1, zone) }
}

const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?$/
/** `2026-11-24T14:30` */
const LOCAL_LENGTH = 16
/** `1405/9/3 14:30`; without a time it is the beginning of the day. */
const JALALI = /^(1[2-5]\d\d)[/-](\d{1,2})[/-](\d{1,2})(?:[T\s]+(\d{1,2}):(\d\d))?$/

const inZone = (text: string, timeZone: string): Instant | null =>
  Option.match(DateTime.makeZoned(text, { timeZone, adjustForTimeZone: true }), {
    onNone: () => null,
    onSome: DateTime.toEpochMillis
  })

const parseJalali = (text: string, zone: string): Instant | null => {
  const [, year, month, day, hour = "0", minute = "00"] = JALALI.exec(text) ?? []
  if (Number(hour) > 23 || Number(minute) > 59) return null
  const at = fromJalali(Number(year), Number(month), Number(day))
  if (at === null) return null
  const date = DateTime.formatIsoDateUtc(DateTime.makeUnsafe(at))
  return inZone(`${date}T${hour.padStart(2, "0")}:${minute}`, zone)
}

/**
 * The instant of a date and time field in the viewer's zone; null for any other text. Browsers send Gregorian dates; in
 * Persian, people type those of their own calendar.
 */
export const parseLocalTime = (given: string, zone: string): Instant | null => {
  const text = foldDigits(pasted(given))
  if (JALALI.test(text)) return parseJalali(text, zone)
  return LOCAL.test(text) ? inZone(text, zone) : null
}

/** An instant as a date and time field of the viewer's language has it: what `parseLocalTime` reads. */
export const formatLocalTime = (
  at: Instant,
  { language, zone }: Pick<Locale, "language" | "zone">
): string => {
  const local = DateTime.formatIsoZoned(DateTime.makeZonedUnsafe(at, { timeZone: zone })).slice(
    0,
    LOCAL_LENGTH
  )
  if (language === "en") return local
  const [date = "", time = ""] = local.split("T")
  const day = DateTime.toEpochMillis(DateTime.makeUnsafe(`${date}T00:00:00Z`))
  return persianDigits(`${jalaliOf(day)} ${time}`)
}
