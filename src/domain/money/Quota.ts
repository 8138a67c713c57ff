import { DateTime } from "effect"
import type { Instant } from "../Instant.ts"

/** The free plan, unless the operator or the customer has another number; 0 switches it off. */
export const defaultQuota = {
  /** Accepted requests of a free customer in a calendar month (UTC). */
  freeMonthlyQuota: 300
}

const monthAround = (now: Instant) => {
  const start = DateTime.startOf(DateTime.makeUnsafe(now), "month")
  return {
    start: DateTime.formatIsoDateUtc(start),
    from: DateTime.toEpochMillis(start),
    end: DateTime.toEpochMillis(DateTime.add(start, { months: 1 }))
  }
}

/** Each send asks for the same one. */
let latestMonth = monthAround(0)

/** The calendar month, in UTC, in which a request is counted: its first day, and when the next month begins. */
export const monthOf = (now: Instant): { readonly start: string; readonly end: Instant } => {
  if (now < latestMonth.from || now >= latestMonth.end) latestMonth = monthAround(now)
  return latestMonth
}
