import type { Instant } from "../Instant.ts"

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How long after the first try each of the others is made, at the earliest. */
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

/** So much later, at most, each try is made: what failed together does not come again together. */
const JITTER = 0.1

const MAX_RETRY_AFTER_MILLIS = DAY

/** An endpoint that has not taken anything for so long is given up. */
const GIVE_UP_AFTER_MILLIS = 5 * DAY

export interface FailedTry {
  /** When the first try of all was made. */
  readonly firstAt: Instant
  /** When this one was made. */
  readonly at: Instant
  /** When it was over. */
  readonly finishedAt: Instant
  /** What the receiver asked for. */
  readonly retryAfterMillis: number | null
}

/**
 * When a delivery that failed is tried again; null: never. Tries whose time passed meanwhile (every process was down, or
 * the receiver asked for patience) are left out, not made in a row.
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

/** Whether an endpoint whose every try has failed since then is to be given up. */
export const isGivenUp = (failingSince: Instant, now: Instant): boolean =>
  now - failingSince >= GIVE_UP_AFTER_MILLIS
