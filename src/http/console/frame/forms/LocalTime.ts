import { DateTime, Option } from "effect"
import type { Instant } from "../../../../domain/Instant.ts"

const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?$/

/** What a field of a date and time says, in the viewer's zone; null for anything else. */
export const parseLocalTime = (text: string, zone: string): Instant | null => {
  if (!LOCAL.test(text)) return null
  const made = DateTime.makeZoned(text, { timeZone: zone, adjustForTimeZone: true })
  return Option.match(made, { onNone: () => null, onSome: DateTime.toEpochMillis })
}
