import { DateTime } from "effect"
import { DAY_MILLIS } from "../Instant.ts"

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
