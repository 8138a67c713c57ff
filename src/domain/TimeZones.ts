import { type Array as Arr, DateTime } from "effect"
import { DAY_MILLIS, type Instant } from "./Instant.ts"
import type { TimeSpan } from "./Paging.ts"

/** Peyk's users are in Iran. */
export const TEHRAN = "Asia/Tehran"

const MAX_LENGTH = 64

export const isTimeZone = (zone: string): boolean => {
  if (zone.length > MAX_LENGTH) return false
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}

const inZone = (at: Instant, timeZone: string): DateTime.Zoned => DateTime.makeZonedUnsafe(at, { timeZone })

/** The beginning of the day so many days before. */
export const startOfDay = (at: Instant, timeZone: string, daysBefore = 0): Instant =>
  DateTime.toEpochMillis(
    DateTime.startOf(DateTime.subtract(inZone(at, timeZone), { days: daysBefore }), "day")
  )

/** The beginnings of the days of this time; the first may begin before it. */
export const daysOf = ({ from, to }: TimeSpan, timeZone: string): Arr.NonEmptyReadonlyArray<Instant> => {
  const days: Arr.NonEmptyArray<Instant> = [startOfDay(from, timeZone)]
  // A day has 23 to 25 hours.
  for (let next = startOfDay(days[0] + 1.5 * DAY_MILLIS, timeZone); next < to;) {
    days.push(next)
    next = startOfDay(next + 1.5 * DAY_MILLIS, timeZone)
  }
  return days
}

const offsetAt = (at: Instant, timeZone: string): number => DateTime.zonedOffset(inZone(at, timeZone))

/** A time in which the zone's clocks are not changed. */
interface OffsetSpan {
  readonly from: Instant
  /** In milliseconds, east of Greenwich. */
  readonly offset: number
}

/** The offsets of a zone in this time, found in steps of so many milliseconds. */
export const offsetsOf = (
  { from, to }: TimeSpan,
  timeZone: string,
  stepMillis: number
): Arr.NonEmptyReadonlyArray<OffsetSpan> => {
  const found: Arr.NonEmptyArray<OffsetSpan> = [{ from, offset: offsetAt(from, timeZone) }]
  let offset = found[0].offset
  for (let day = from; day < to; day += DAY_MILLIS) {
    const end = Math.min(day + DAY_MILLIS, to)
    if (offsetAt(end, timeZone) === offset) continue
    let at = day
    while (at < end && offsetAt(at, timeZone) === offset) at += stepMillis
    offset = offsetAt(at, timeZone)
    found.push({ from: at, offset })
  }
  return found
}
