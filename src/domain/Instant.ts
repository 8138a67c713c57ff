import { DateTime, Schema } from "effect"

/** An instant as milliseconds since the Unix epoch. */
export const Instant = Schema.Int
export type Instant = typeof Instant.Type

/** ISO 8601 in UTC, with milliseconds and `Z`. */
export const formatInstant = (instant: Instant): string => DateTime.formatIso(DateTime.makeUnsafe(instant))

export const formatNullableInstant = (instant: Instant | null): string | null =>
  instant === null ? null : formatInstant(instant)
