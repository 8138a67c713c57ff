import { Result } from "effect"
import { NoNextChannel, VerificationEnded } from "../Errors.ts"
import type { Instant } from "../Instant.ts"
import { effectiveStatus, isTerminal, type Verification, wasCalled } from "./Verification.ts"
import { unchanged, type VerificationTransition } from "./VerificationMachine.ts"

export interface NextRequest {
  /** The sequence of the attempt that the caller looked at: nothing happens if there is a later one. */
  readonly fromSequence: number | undefined
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
const isNextInProgress = ({ nextStepAt, slotReserved }: Verification, now: Instant): boolean =>
  nextStepAt !== null && (slotReserved || nextStepAt <= now)

/** The wait for the next channel ends now. The caller leases the timer with this, and tries the channel. */
export const tryNext = (
  verification: Verification,
  { fromSequence, now }: NextRequest
): Result.Result<VerificationTransition, VerificationEnded | NoNextChannel> => {
  const status = effectiveStatus(verification, now)
  if (isTerminal(status)) return Result.fail(new VerificationEnded({ details: { status } }))
  if (hasLater(verification, fromSequence) || isNextInProgress(verification, now)) {
    return Result.succeed(unchanged(verification))
  }
  return verification.nextStepAt === null
    ? Result.fail(new NoNextChannel())
    : Result.succeed({
        next: { ...verification, revision: verification.revision + 1, nextStepAt: now },
        events: [],
        dueAt: "held"
      })
}
