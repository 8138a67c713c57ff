import { DateTime, Schema } from "effect"

/** An instant as milliseconds since the Unix epoch. */
export const Instant = Schema.Int
export type Instant = typeof Instant.Type

export const SECOND_MILLIS = 1000
export const MINUTE_MILLIS = 60 * SECOND_MILLIS
export const HOUR_MILLIS = 60 * MINUTE_MILLIS
export const DAY_MILLIS = 24 * HOUR_MILLIS

const FIRST_INSTANT: Instant = -62_167_219_200_000
/** The end of the year 9999. */
export const LAST_INSTANT: Instant = 253_402_300_799_999

/** Whether ISO 8601 has this time: the years 0000 to 9999 in UTC. */
export const isInIsoYears = (instant: Instant): boolean => instant >= FIRST_INSTANT && instant <= LAST_INSTANT

/** ISO 8601 in UTC, with milliseconds and `Z`. */
export const formatInstant = (instant: Instant): string => DateTime.formatIso(DateTime.makeUnsafe(instant))

export const formatNullableInstant = (instant: Instant | null): string | null =>
  instant === null ? null : formatInstant(instant)
