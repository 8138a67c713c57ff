import { DateTime, Schema } from "effect"

/** An instant as milliseconds since the Unix epoch. */
export const Instant = Schema.Int
export type Instant = typeof Instant.Type

export const MINUTE_MILLIS = 60_000
export const HOUR_MILLIS = 60 * MINUTE_MILLIS
export const DAY_MILLIS = 24 * HOUR_MILLIS

/** ISO 8601 in UTC, with milliseconds and `Z`. */
export const formatInstant = (instant: Instant): string => DateTime.formatIso(DateTime.makeUnsafe(instant))

export const formatNullableInstant = (instant: Instant | null): string | null =>
  instant === null ? null : formatInstant(instant)
