import { DateTime, Option } from "effect"
import type { Instant } from "../../../../domain/Instant.ts"

const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?$/

/** The instant of a date and time field in the viewer's zone; null for any other text. */
export const parseLocalTime = (text: string, zone: string): Instant | null => {
  if (!LOCAL.test(text)) return null
  const made = DateTime.makeZoned(text, { timeZone: zone, adjustForTimeZone: true })
  return Option.match(made, { onNone: () => null, onSome: DateTime.toEpochMillis })
}
