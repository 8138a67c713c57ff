import { Result } from "effect"
import { InvalidChannel, NoNextChannel, VerificationEnded } from "../Errors.ts"
import type { Instant } from "../Instant.ts"
import { charged } from "./Step.ts"
import { effectiveStatus, isTerminal, stepsToAskFor, type Verification, wasCalled } from "./Verification.ts"
import { unchanged, type VerificationTransition } from "./VerificationMachine.ts"

interface NextRequest {
  /** The sequence of the attempt that the caller looked at: nothing happens if there is a later one. */
  readonly fromSequence?: number | undefined
  /** The channel that is asked for; absent: the next one of the route. */
  readonly channel?: string | undefined
  readonly now: Instant
}

/** Attempts are in the order in which they were made. A step that was skipped at first may come after a later one. */
const hasLater = (verification: Verification, sequence: number | undefined): boolean => {
  if (sequence === undefined) return false
  const attempts = verification.attempts.filter(wasCalled)
  const seen = attempts.findIndex(({ step }) => step + 1 === sequence)
  return seen === -1 ? attempts.some(({ step }) => step >= sequence) : seen < attempts.length - 1
}

/** The next step is being called, is due, or waits for a slot of its account that is reserved for it. */
export const isNextInProgress = ({ nextStepAt, slotReserved }: Verification, now: Instant): boolean =>
  nextStepAt !== null && (slotReserved || nextStepAt <= now)

const tryNow = (verification: Verification, now: Instant): VerificationTransition => ({
  next: { ...verification, revision: verification.revision + 1, nextStepAt: now },
  events: [],
  dueAt: "held"
})

/** These steps go first. The others stay behind them, if they were still to come. */
const tryAsked = (
  verification: Verification,
  steps: ReadonlyArray<number>,
  now: Instant
): VerificationTransition => {
  const { remaining, nextStepAt } = verification
  if (nextStepAt !== null && steps.every((step, place) => remaining[place] === step)) {
    return tryNow(verification, now)
  }
  const others = nextStepAt === null ? [] : remaining.filter((step) => !steps.includes(step))
  const { next, ...transition } = tryNow({ ...verification, remaining: [...steps, ...others] }, now)
  return { ...transition, next: charged(next) }
}

/**
 * The wait for the next channel ends now. The caller leases the timer with this, and tries the channel: that which is
 * asked for, else the next one. What it costs above the present hold is held with it.
 */
export const tryNext = (
  verification: Verification,
  { fromSequence, channel, now }: NextRequest
): Result.Result<VerificationTransition, VerificationEnded | NoNextChannel | InvalidChannel> => {
  const status = effectiveStatus(verification, now)
  if (isTerminal(status)) return Result.fail(new VerificationEnded({ details: { status } }))
  const asked = verification.route.find((step) => step.channel === channel)?.channel
  if (channel !== undefined && asked === undefined) {
    return Result.fail(new InvalidChannel({ details: { channel } }))
  }
  if (hasLater(verification, fromSequence) || isNextInProgress(verification, now)) {
    return Result.succeed(unchanged(verification))
  }
  if (asked !== undefined) {
    const steps = stepsToAskFor(verification, asked)
    return steps.length === 0
      ? Result.fail(new InvalidChannel({ details: { channel: asked } }))
      : Result.succeed(tryAsked(verification, steps, now))
  }
  return verification.nextStepAt === null
    ? Result.fail(new NoNextChannel())
    : Result.succeed(tryNow(verification, now))
}
