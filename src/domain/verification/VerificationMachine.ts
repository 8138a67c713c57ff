import { Array as Arr, Result } from "effect"
import { withoutHold } from "../money/Charging.ts"
import { VerificationEnded } from "../Errors.ts"
import type { Instant } from "../Instant.ts"
import type { Transition } from "../Transition.ts"
import type { SkipReason } from "../account/Pace.ts"
import {
  effectiveStatus,
  type EventType,
  isTerminal,
  nextDueAt,
  type Verification,
  type VerificationStatus,
  wasCalled
} from "./Verification.ts"

/** The work for a verification whose timer is due. */
export type Action =
  /** Try the first of these steps whose account may send; `hasSlot`: a slot is reserved for the very first. */
  | {
      readonly _tag: "TryStep"
      readonly steps: Arr.NonEmptyReadonlyArray<number>
      readonly hasSlot: boolean
    }
  /** A process took this step and never came back: its outcome is unknown. */
  | { readonly _tag: "AbandonStep"; readonly step: number }
  | { readonly _tag: "Expire" }
  | { readonly _tag: "Sleep"; readonly until: Instant }
  | { readonly _tag: "Nothing" }

/** "held": the lease continues, because a provider is about to be called. */
export interface VerificationTransition extends Transition<Verification, EventType, Instant | null | "held"> {
  /** The steps that it skips for good, each because its account could not send. */
  readonly skipped?: ReadonlyArray<{ readonly step: number; readonly reason: SkipReason }>
}

/** @param wasAbandoned another process had leased this timer, and its lease ran out */
export const decide = (verification: Verification, now: Instant, wasAbandoned: boolean): Action => {
  const dueAt = nextDueAt(verification)
  if (dueAt === null) return { _tag: "Nothing" }
  if (now < dueAt) return { _tag: "Sleep", until: dueAt }
  const { remaining, nextStepAt, slotReserved, repeating, expiresAt } = verification
  const isStepDue = nextStepAt !== null && nextStepAt <= now
  if (isStepDue && wasAbandoned) return { _tag: "AbandonStep", step: remaining[0] ?? 0 }
  if (now >= expiresAt || !Arr.isReadonlyArrayNonEmpty(remaining)) return { _tag: "Expire" }
  return { _tag: "TryStep", steps: repeating ? [remaining[0]] : remaining, hasSlot: slotReserved }
}

/** Whether this step is to be tried now. */
export const isStepDue = (verification: Verification, step: number, now: Instant): boolean =>
  verification.remaining[0] === step && decide(verification, now, false)._tag === "TryStep"

export const unchanged = (verification: Verification): VerificationTransition => ({
  next: verification,
  events: [],
  dueAt: nextDueAt(verification)
})

/** The verification ends: no channel is tried any more, and what was held for them is released. */
const end = (verification: Verification, status: "expired" | "canceled"): VerificationTransition => ({
  next: withoutHold({
    ...verification,
    status,
    revision: verification.revision + 1,
    attempts: verification.attempts.filter(wasCalled),
    nextStepAt: null,
    slotReserved: false
  }),
  events: [`verification.${status}`],
  dueAt: null
})

/** The end of validity came while it was active. */
export const expire = (verification: Verification): VerificationTransition =>
  isTerminal(verification.status) ? unchanged(verification) : end(verification, "expired")

/**
 * The customer does not need the code any more. A call under way is still recorded. Canceling again changes nothing; what
 * has ended otherwise, or has expired unnoticed, stays as it is.
 */
export const cancel = (
  verification: Verification,
  now: Instant
): Result.Result<VerificationTransition, VerificationEnded> => {
  const status = effectiveStatus(verification, now)
  if (status === "canceled") return Result.succeed(unchanged(verification))
  return isTerminal(status)
    ? Result.fail(new VerificationEnded({ details: { status } }))
    : Result.succeed(end(verification, "canceled"))
}

/** The result for a code that was entered. What a code changes is in `layers/postgres/batching/CompareBatchSql.ts`. */
export type VerifyReason =
  | "ok"
  | "invalid_code"
  | "expired"
  | "locked"
  | "failed"
  | "already_verified"
  | "canceled"

const REASON_BY_STATUS: Record<VerificationStatus, VerifyReason> = {
  pending: "invalid_code",
  queued: "invalid_code",
  verified: "already_verified",
  failed: "failed",
  locked: "locked",
  expired: "expired",
  canceled: "canceled"
}

/** The result for a code that was not compared, because the verification was not active; or that was compared and is wrong. */
export const reasonWithoutMatch = (verification: Verification, now: Instant): VerifyReason =>
  REASON_BY_STATUS[effectiveStatus(verification, now)]

/** The codes that may still be entered after so many wrong ones, while the verification is active. */
export const triesLeft = (wrongCodes: number, maxWrongCodes: number): number =>
  Math.max(1, maxWrongCodes - wrongCodes)
