import { Duration, Effect, Schedule } from "effect"
import { type Instant, SECOND_MILLIS } from "./Instant.ts"

/**
 * When the fibers that drive timers repeat, and how dead processes start again. How often something else is due, such as
 * a retry or a round, is in the file of its rule.
 */

/** Unless the operator sets others. */
export const defaultTimers = {
  /** Other processes take over a leased step so long after its process stopped renewing it. */
  leaseMillis: 30 * SECOND_MILLIS,
  /** Timers of one customer that a process works on at once. */
  timerConcurrency: 256,
  /** How long a stopping process waits for its unfinished work. */
  graceMillis: 15 * SECOND_MILLIS
}

/** After an error of the timers' loop: soon at first, about once a second during an outage, not all processes at once. */
export const afterErrors = Schedule.min([
  Schedule.exponential("100 millis"),
  Schedule.spaced("1 second")
]).pipe(Schedule.jittered)

/** How often a process renews the leases that it holds. */
export const leaseRenewalMillis = (leaseMillis: number) => leaseMillis / 3

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
export const RELEASED_TIMER_MILLIS = SECOND_MILLIS

/** A process whose event loop does not respond for so long is killed, and started again; 0: never. */
export const DEFAULT_HANG_MILLIS = 30 * SECOND_MILLIS
/** A busy process sometimes does not respond for almost this long. */
export const MIN_HANG_MILLIS = SECOND_MILLIS

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
