import type { Instant } from "../Instant.ts"

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The earliest time of each further try after the first. */
export const TRY_AFTER_MILLIS = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR
]

/** The largest random delay of a try, so that events that failed together do not return together. */
const JITTER = 0.1

const MAX_RETRY_AFTER_MILLIS = DAY

/** Peyk gives up an endpoint that accepted nothing for this long. */
const GIVE_UP_AFTER_MILLIS = 5 * DAY

export interface FailedTry {
  /** When the very first try was made. */
  readonly firstAt: Instant
  /** When this one was made. */
  readonly at: Instant
  /** When it ended. */
  readonly finishedAt: Instant
  /** The wait that the receiver asked for. */
  readonly retryAfterMillis: number | null
}

/**
 * When a failed delivery is tried again; null: never. Tries whose time has passed meanwhile (every process was down, or
 * the receiver asked for a wait) are skipped, not made in a row.
 *
 * @param random at least 0, less than 1
 */
export const nextTryAt = (
  { firstAt, at, finishedAt, retryAfterMillis }: FailedTry,
  random: number
): Instant | null => {
  const offset = TRY_AFTER_MILLIS.find((after) => after > at - firstAt)
  if (offset === undefined) return null
  const planned = firstAt + offset + Math.floor(offset * JITTER * random)
  const asked = finishedAt + Math.min(Math.max(0, retryAfterMillis ?? 0), MAX_RETRY_AFTER_MILLIS)
  return Math.max(planned, asked)
}

/** Whether to give up an endpoint whose every try has failed since then. */
export const isGivenUp = (failingSince: Instant, now: Instant): boolean =>
  now - failingSince >= GIVE_UP_AFTER_MILLIS
