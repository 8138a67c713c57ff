import { DateTime, Option, Result } from "effect"
import { InvalidDelay, ScheduleMustBeFuture, ScheduleTooFar } from "../Errors.ts"
import { type Instant, isInIsoYears, SECOND_MILLIS } from "../Instant.ts"

const unitMillis = {
  s: SECOND_MILLIS,
  m: 60 * SECOND_MILLIS,
  h: 3600 * SECOND_MILLIS,
  d: 86_400 * SECOND_MILLIS
}
const isUnit = (text: string): text is keyof typeof unitMillis => Object.hasOwn(unitMillis, text)

/** How far ahead a message can be scheduled. */
export const HORIZON_MILLIS = 30 * unitMillis.d

const DELAY = /^([1-9]\d*)([smhd])$/

/** `[1-9][0-9]*[smhd]` as milliseconds; Infinity if a number cannot hold it. */
const parseDelay = (text: string): Result.Result<number, InvalidDelay> => {
  const [, count = "", unit = ""] = DELAY.exec(text) ?? []
  return isUnit(unit) ? Result.succeed(Number(count) * unitMillis[unit]) : Result.fail(new InvalidDelay())
}

const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?(Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?$/

const isCalendarDay = (year: number, month: number, day: number): boolean =>
  month >= 1 &&
  month <= 12 &&
  day >= 1 &&
  Option.exists(
    DateTime.make({ year, month, day }),
    (date) => DateTime.getPartUtc(date, "month") === month && DateTime.getPartUtc(date, "day") === day
  )

const offsetMillis = (offset: string): number => {
  if (offset === "Z") return 0
  const digits = offset.slice(1).replace(":", "").padEnd(4, "0")
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2))
  return (offset.startsWith("-") ? -minutes : minutes) * unitMillis.m
}

const readDateTime = (text: string): Option.Option<Instant> => {
  const match = DATE_TIME.exec(text)
  if (match === null) return Option.none()
  const [, year, month, day, hour, minute, second = "0", fraction = "", offset] = match
  if (!isCalendarDay(Number(year), Number(month), Number(day))) return Option.none()
  const wallClock = DateTime.make({
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    millisecond: Number(fraction.slice(0, 3).padEnd(3, "0"))
  })
  if (offset !== undefined) {
    return Option.map(wallClock, (utc) => DateTime.toEpochMillis(utc) - offsetMillis(offset))
  }
  return wallClock.pipe(
    Option.flatMap((local) =>
      DateTime.makeZoned(local, { timeZone: "Asia/Tehran", adjustForTimeZone: true })
    ),
    Option.map(DateTime.toEpochMillis)
  )
}

/**
 * An ISO 8601 date-time as an instant, or none if it is invalid, or in no year of four digits in UTC. Without an offset
 * it is wall-clock time in Tehran, by the time-zone data of the runtime. Fractions count to the millisecond.
 */
export const parseDateTime = (text: string): Option.Option<Instant> =>
  Option.filter(readDateTime(text), isInIsoYears)

/** When to send a message. */
export interface ScheduleRequest {
  readonly sendAt?: Instant | undefined
  readonly delay?: string | undefined
}

export type ScheduleError = InvalidDelay | ScheduleMustBeFuture | ScheduleTooFar

/** The planned time; null: send at once. */
export const planSchedule = (
  { sendAt, delay }: ScheduleRequest,
  now: Instant
): Result.Result<Instant | null, ScheduleError> => {
  if (delay === undefined && sendAt === undefined) return Result.succeed(null)
  return Result.gen(function* () {
    const planned = delay === undefined ? sendAt : now + (yield* parseDelay(delay))
    if (planned === undefined) return null
    if (planned <= now) return yield* Result.fail(new ScheduleMustBeFuture())
    if (planned > now + HORIZON_MILLIS) return yield* Result.fail(new ScheduleTooFar())
    return planned
  })
}
