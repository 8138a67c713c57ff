import { Duration, Effect, Schedule } from "effect"
import { DAY_MILLIS, HOUR_MILLIS, type Instant, MINUTE_MILLIS } from "./Instant.ts"

/** When everything that repeats does so: the schedules of the fibers that drive timers, and the delays of due rows. Those of webhooks are in `Webhook.ts`. */

const SECOND = 1000

/** Unless the operator sets others. */
export const defaultTimers = {
  /** Other processes take over a leased step so long after its process stopped renewing it. */
  leaseMillis: 30 * SECOND,
  /** Timers of one customer that a process works on at once. */
  timerConcurrency: 256,
  /** How long a stopping process waits for its unfinished work. */
  graceMillis: 15 * SECOND
}

/** After an error of the timers' loop: soon at first, about once a second during an outage, not all processes at once. */
export const afterErrors = Schedule.min([
  Schedule.exponential("100 millis"),
  Schedule.spaced("1 second")
]).pipe(Schedule.jittered)

/** How often a process renews the leases that it holds. */
export const leaseRenewals = (leaseMillis: number) => Schedule.spaced(leaseMillis / 3)

/**
 * The timers' loop: until the next row is due (null: there is none), at most half a lease. The sleep can be woken early.
 * Nobody announces the timers of a process that died, so the loop looks for them that often.
 */
export const untilNextDue = (leaseMillis: number, sleepUntil: (instant: Instant) => Effect.Effect<void>) =>
  Schedule.fromStepWithMetadata(
    Effect.succeed(({ now, input: nextDueAt }: Schedule.InputMetadata<Instant | null>) => {
      const latest = now + leaseMillis / 2
      const until = Math.min(nextDueAt ?? latest, latest)
      const woken = until > now ? sleepUntil(until) : Effect.void
      return Effect.as(woken, [nextDueAt, Duration.zero] as [Instant | null, Duration.Duration])
    })
  )

/** How long a timer whose work failed before anything was sent stays unclaimed. */
export const RELEASED_TIMER_MILLIS = SECOND

/** A message whose provider is unavailable: the delay after each try. */
export const MESSAGE_RETRY_MILLIS = [2 * SECOND, 8 * SECOND]

/** A delivery report: how long after the attempt its provider is asked, until it knows. */
export const DELIVERY_REPORT_MILLIS = [
  10 * SECOND,
  MINUTE_MILLIS,
  5 * MINUTE_MILLIS,
  30 * MINUTE_MILLIS,
  2 * HOUR_MILLIS,
  12 * HOUR_MILLIS,
  24 * HOUR_MILLIS
]

/** A bot's updates: the longest poll, and the pause after each outcome. */
export const BOT_POLL_MILLIS = 20 * SECOND
export const BOT_PAUSE_MILLIS = {
  /** Short, as updates may come in a row. */
  polled: SECOND,
  failed: 15 * SECOND,
  /** Waiting alone does not lift a refusal. */
  refused: 5 * MINUTE_MILLIS,
  /** The platform posts updates. Some platforms forget the address, so it is registered again. */
  announced: DAY_MILLIS
}

/** Retention: from the beginning of a round to the next, and the longest turn, after which any process may go on. */
export const RETENTION_ROUND_MILLIS = HOUR_MILLIS
export const RETENTION_TURN_MILLIS = 30 * SECOND

const MIN_PAUSE_MILLIS = 10
const MIN_PAUSE_AFTER_WORK_MILLIS = 100
/** 2.5 times as fast at most: with a shorter pause, sends would wait. */
const MIN_PAUSE_IN_A_HURRY_MILLIS = 40
const PAUSE_PER_WORK = 4

/**
 * Retention: how long to leave the store alone after a batch that took `elapsed` ms and removed or erased `gone` rows. A
 * round that has gone on for `age` ms, longer than until the next, would fall further behind: it pauses less.
 */
export const retentionPauseMillis = (elapsed: number, gone: number, age: number): number => {
  const isLate = age >= RETENTION_ROUND_MILLIS
  const afterWork = isLate ? MIN_PAUSE_IN_A_HURRY_MILLIS : MIN_PAUSE_AFTER_WORK_MILLIS
  return Math.max(isLate ? elapsed : elapsed * PAUSE_PER_WORK, gone > 0 ? afterWork : MIN_PAUSE_MILLIS)
}

/** How often providers are asked what is left to spend. */
export const CREDIT_ROUND_MILLIS = 15 * MINUTE_MILLIS

/** Sums of activity: from the end of a round to the next, and the longest round. */
export const ACTIVITY_ROUND_MILLIS = HOUR_MILLIS
export const ACTIVITY_TURN_MILLIS = 10 * MINUTE_MILLIS

/** How long to leave the store alone after sums that took `elapsed` ms. */
export const activityPauseMillis = (elapsed: number): number => elapsed * PAUSE_PER_WORK

/** A process whose event loop does not respond for so long is killed, and started again; 0: never. */
export const DEFAULT_HANG_MILLIS = 30 * SECOND
/** A busy process sometimes does not respond for almost this long. */
export const MIN_HANG_MILLIS = SECOND

/** How a dead process is started again: soon at first, and later each time while it keeps dying. */
export interface Restarts {
  /** Deaths in a row, each less than a steady life after the start. */
  readonly inRow: number
}

export const noRestarts: Restarts = { inRow: 0 }

const STEADY_MILLIS = 30_000
const FIRST_PAUSE_MILLIS = 100
const LONGEST_PAUSE_MILLIS = 10_000

/** If no other process serves after this many deaths in a row, the supervisor exits so that its operator notices. */
export const MAX_RESTARTS_IN_ROW = 10

/** The state after a death, and how long to wait before the next start. */
export const afterDeath = (
  { inRow }: Restarts,
  livedMillis: number
): { readonly restarts: Restarts; readonly pauseMillis: number } => {
  const next = livedMillis >= STEADY_MILLIS ? 1 : inRow + 1
  return {
    restarts: { inRow: next },
    pauseMillis: Math.min(FIRST_PAUSE_MILLIS * 2 ** (next - 1), LONGEST_PAUSE_MILLIS)
  }
}
