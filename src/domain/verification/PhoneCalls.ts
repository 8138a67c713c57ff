import { type Instant, MINUTE_MILLIS } from "../Instant.ts"
import { startOfDay, TEHRAN } from "../TimeZones.ts"

/**
 * The hours in which a route may call people, in minutes of the day in Tehran. The end is exclusive. An end before the
 * start is on the next day.
 */
export interface CallHours {
  readonly from: number
  readonly until: number
}

/** From 8 in the morning to 10 in the evening. */
export const defaultVoice: {
  /** Calls to one phone in an hour, of all customers; 0: no limit. */
  readonly callPhoneHourLimit: number
  readonly callHours: CallHours
} = { callPhoneHourLimit: 2, callHours: { from: 8 * 60, until: 22 * 60 } }

const DAY_MINUTES = 24 * 60

const HOURS = /^\s*(\d{2}):([0-5]\d)\s*-\s*(\d{2}):([0-5]\d)\s*$/

/** Reads hours such as `08:00-22:00`; `00:00-24:00` is always. Null: it has none, or begins where it ends. */
export const parseCallHours = (text: string): CallHours | null => {
  const found = HOURS.exec(text)
  if (found === null) return null
  const [fromHour = 0, fromMinute = 0, untilHour = 0, untilMinute = 0] = found.slice(1).map(Number)
  const from = fromHour * 60 + fromMinute
  const until = untilHour * 60 + untilMinute
  return from < DAY_MINUTES && until <= DAY_MINUTES && from !== until ? { from, until } : null
}

const minuteOfDay = (at: Instant): number => Math.floor((at - startOfDay(at, TEHRAN)) / MINUTE_MILLIS)

export const isCallHour = ({ from, until }: CallHours, at: Instant): boolean => {
  const minute = minuteOfDay(at)
  return from < until ? minute >= from && minute < until : minute >= from || minute < until
}

/** When the night around this time ends, and routes may call again. */
export const nightEndsAt = ({ from }: CallHours, at: Instant): Instant => {
  const minutes = (from - minuteOfDay(at) + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES
  return (Math.floor(at / MINUTE_MILLIS) + minutes) * MINUTE_MILLIS
}
