import { DateTime } from "effect"
import { DAY_MILLIS, type Instant } from "./Instant.ts"
import type { TimeSpan } from "./Paging.ts"
import { TEHRAN } from "./TimeZones.ts"

/** The calendar of most of the world, and that of Iran. */
export const calendars = ["gregorian", "jalali"] as const
export type Calendar = (typeof calendars)[number]

/** Intl has the calendar of Iran. */
const persian = new Intl.DateTimeFormat("en-u-ca-persian-nu-latn", {
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
  const parts = persian.formatToParts(at)
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
export const jalaliOf = (at: number): string =>
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

/** The first day of a month, counted from the beginning of the calendar, in UTC; null if it is out of range. */
const firstDay = (count: number, calendar: Calendar): number | null => {
  const [year, month] = [Math.floor(count / 12), (count % 12) + 1]
  return calendar === "jalali"
    ? fromJalali(year, month, 1)
    : DateTime.toEpochMillis(DateTime.makeUnsafe({ year, month, day: 1 }))
}

/** A day, given by its beginning in UTC, as it begins in a zone. */
const inZone = (day: number, timeZone: string): Instant =>
  DateTime.toEpochMillis(
    DateTime.makeZonedUnsafe(DateTime.formatIsoDateUtc(DateTime.makeUnsafe(day)), {
      timeZone,
      adjustForTimeZone: true
    })
  )

/** The days of a zone, by a calendar. */
export interface LocalCalendar {
  readonly calendar: Calendar
  readonly zone: string
}

export interface Month extends TimeSpan {
  /** `2026-11`, or `1405-09` */
  readonly id: string
}

const monthAt = (count: number, { calendar, zone }: LocalCalendar): Month | null => {
  const [first, next] = [firstDay(count, calendar), firstDay(count + 1, calendar)]
  if (first === null || next === null) return null
  const id = `${String(Math.floor(count / 12)).padStart(4, "0")}-${String((count % 12) + 1).padStart(2, "0")}`
  return { id, from: inZone(first, zone), to: inZone(next, zone) }
}

/** The date of an instant in a zone, in that calendar: `2026-11-24`, or `1405/09/03`. */
export const dateOf = (at: Instant, { calendar, zone }: LocalCalendar): string => {
  const local = DateTime.formatIsoZoned(DateTime.makeZonedUnsafe(at, { timeZone: zone })).slice(0, 10)
  return calendar === "gregorian"
    ? local
    : jalaliOf(DateTime.toEpochMillis(DateTime.makeUnsafe(`${local}T00:00:00Z`)))
}

/** The day of an instant in Tehran, by which figures are counted: `2026-11-24`. */
export const tehranDay = (at: Instant): string => dateOf(at, { calendar: "gregorian", zone: TEHRAN })

/** The month so many months before that of an instant. */
export const monthBefore = (at: Instant, ago: number, days: LocalCalendar): Month => {
  const [year = "", month = ""] = dateOf(at, days).split(/[-/]/)
  const found = monthAt(Number(year) * 12 + Number(month) - 1 - ago, days)
  return found ?? { id: "", from: at, to: at }
}

const WORDS = { en: "en-GB", fa: "fa-IR-u-nu-arabext" } as const

/** A month of either calendar in words: `November 2026`, `Azar 1405`, in Persian `آذر ۱۴۰۵`. */
export const monthInWords = (id: string, language: keyof typeof WORDS): string => {
  const calendar: Calendar = /^1[345]/.test(id) ? "jalali" : "gregorian"
  const month = monthNamed(id, { calendar, zone: "UTC" })
  if (month === null) return id
  const parts = new Intl.DateTimeFormat(WORDS[language], {
    calendar: calendar === "jalali" ? "persian" : "gregory",
    month: "long",
    year: "numeric",
    timeZone: "UTC"
  }).formatToParts(month.from)
  const part = (type: "month" | "year") => parts.find((each) => each.type === type)?.value ?? ""
  return `${part("month")} ${part("year")}`
}

const MONTH = /^(\d{4})-(\d\d)$/
/** Months of these years can have something in them. */
const YEARS: Readonly<Record<Calendar, readonly [first: number, last: number]>> = {
  gregorian: [1970, 2199],
  jalali: [1349, 1599]
}

/** The month of this name; null if there is none. */
export const monthNamed = (name: string, days: LocalCalendar): Month | null => {
  const [, year, month] = MONTH.exec(name) ?? []
  const [first, last] = YEARS[days.calendar]
  if (Number(year) < first || Number(year) > last || Number(month) < 1 || Number(month) > 12) return null
  return year === undefined ? null : monthAt(Number(year) * 12 + Number(month) - 1, days)
}
