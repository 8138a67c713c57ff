import { DateTime, Option } from "effect"
import { fromJalali, jalaliOf } from "../../../domain/Calendar.ts"
import { DAY_MILLIS, type Instant } from "../../../domain/Instant.ts"
import { foldDigits, pasted, persianDigits } from "../../../domain/text/PastedText.ts"
import type { Locale } from "../frame/Locale.ts"

/** `2026-11-24 14:30`; without a time it is a whole day. */
const GREGORIAN = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T\s]+(\d{1,2}:\d\d(?::\d\d(?:\.\d{1,3})?)?))?$/
/** `1405/9/3 14:30` */
const JALALI = /^(1[2-5]\d\d)[/-](\d{1,2})[/-](\d{1,2})(?:[T\s]+(\d{1,2}:\d\d))?$/
const TIME = /^(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?$/
/** `2026-11-24T14:30` */
const LOCAL_LENGTH = 16

const inZone = (text: string, timeZone: string): Instant | null =>
  Option.match(DateTime.makeZoned(text, { timeZone, adjustForTimeZone: true }), {
    onNone: () => null,
    onSome: DateTime.toEpochMillis
  })

/** A day of either calendar, and a time of it. */
interface LocalTime {
  /** The day, by its beginning in UTC. */
  readonly day: Instant
  /** Null: the whole day. */
  readonly time: string | null
}

const gregorianDay = (year: number, month: number, day: number): Instant | null => {
  const at = DateTime.make({ year, month, day })
  if (Option.isNone(at)) return null
  const text = DateTime.formatIsoDateUtc(at.value)
  return text === `${year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`
    ? DateTime.toEpochMillis(at.value)
    : null
}

const readLocalTime = (given: string): LocalTime | null => {
  const text = foldDigits(pasted(given))
  const jalali = JALALI.exec(text)
  const [, year, month, date, time = null] = jalali ?? GREGORIAN.exec(text) ?? []
  const read = jalali === null ? gregorianDay : fromJalali
  const day = year === undefined ? null : read(Number(year), Number(month), Number(date))
  return day === null || (time !== null && !TIME.test(time)) ? null : { day, time }
}

/**
 * The instant of a date and time field in the viewer's zone; null for any other text. It is of either calendar: people
 * share addresses, and type the days that they know. A day without a time is its beginning; as the end of a time it is
 * its end, so that the day counts.
 */
export const parseLocalTime = (
  given: string,
  zone: string,
  edge: "begin" | "end" = "begin"
): Instant | null => {
  const found = readLocalTime(given)
  if (found === null) return null
  const { day, time } = found
  const date = DateTime.formatIsoDateUtc(
    DateTime.makeUnsafe(time === null && edge === "end" ? day + DAY_MILLIS : day)
  )
  return inZone(`${date}T${(time ?? "00:00").padStart(5, "0")}`, zone)
}

/** A day by its beginning in UTC, as people of a language write it. */
const dayText = (day: Instant, { language }: Pick<Locale, "language">): string =>
  language === "fa" ? persianDigits(jalaliOf(day)) : DateTime.formatIsoDateUtc(DateTime.makeUnsafe(day))

/** What somebody typed in a date and time field, in the calendar of the page; what is no time stays as it is. */
export const shownLocalTime = (given: string, locale: Pick<Locale, "language">): string => {
  const found = readLocalTime(given)
  if (found === null) return given
  const time = found.time === null ? "" : ` ${found.time.padStart(5, "0")}`
  return `${dayText(found.day, locale)}${locale.language === "fa" ? persianDigits(time) : time}`
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
  return shownLocalTime(local.replace("T", " "), { language })
}
