import type { Instant } from "../Instant.ts"
import {
  WEBHOOK_GIVE_UP_MILLIS,
  WEBHOOK_JITTER,
  WEBHOOK_MAX_RETRY_AFTER_MILLIS,
  WEBHOOK_TRY_MILLIS
} from "../Schedules.ts"

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
  const offset = WEBHOOK_TRY_MILLIS.find((after) => after > at - firstAt)
  if (offset === undefined) return null
  const planned = firstAt + offset + Math.floor(offset * WEBHOOK_JITTER * random)
  const asked = finishedAt + Math.min(Math.max(0, retryAfterMillis ?? 0), WEBHOOK_MAX_RETRY_AFTER_MILLIS)
  return Math.max(planned, asked)
}

/** Whether to give up an endpoint whose every try has failed since then. */
export const isGivenUp = (failingSince: Instant, now: Instant): boolean =>
  now - failingSince >= WEBHOOK_GIVE_UP_MILLIS
