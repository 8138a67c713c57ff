import { ProviderOutcome } from "../account/ProviderOutcome.ts"
import type { SkipReason } from "../account/Pace.ts"
import type { Instant } from "../Instant.ts"
import { recordAttempt } from "./StepCalls.ts"
import { answered, charged, statusAfter } from "./TransitionParts.ts"
import { type Attempt, type EventType, isTerminal, type Verification, wasCalled } from "./Verification.ts"
import { nextDueAt, unchanged, type VerificationTransition } from "./VerificationMachine.ts"

/** Why steps are skipped. */
export type SkipReasons = Readonly<Record<number, SkipReason>>

/** For a step of a send that fails without any attempt. */
const notCalled = (step: number, reason: SkipReason | undefined): Attempt => ({
  step,
  status: "failed",
  error_code: "account_unavailable",
  provider_error: null,
  provider_message_id: null,
  attempted_at: null,
  ...(reason !== undefined && { skip_reason: reason })
})

/** As long as no step was called, the skipped ones are kept with their reasons. */
const withSkipped = (
  attempts: ReadonlyArray<Attempt>,
  skipped: ReadonlyArray<number>,
  reasons: SkipReasons
): ReadonlyArray<Attempt> => {
  const added = skipped.filter((step) => attempts.every((attempt) => attempt.step !== step))
  return added.length === 0 || attempts.some(wasCalled)
    ? attempts
    : [...attempts, ...added.map((step) => notCalled(step, reasons[step]))].toSorted(
        (one, other) => one.step - other.step
      )
}

const notRepeated = ProviderOutcome.Unknown({
  providerError: "no answer, and the account could not send again in time"
})

/** The remaining step that goes first, and those that are skipped. */
export interface Choice {
  readonly step: number
  readonly skipped: ReadonlyArray<number>
  readonly reasons?: SkipReasons
}

const reordered = ({ remaining }: Verification, { step, skipped }: Choice): ReadonlyArray<number> => [
  step,
  ...remaining.filter((left) => left !== step && !skipped.includes(left))
]

/** Those of the steps that were still to come, with the reasons that are given. */
const skippedNow = (
  { remaining }: Verification,
  steps: ReadonlyArray<number>,
  reasons: SkipReasons
): Required<Pick<VerificationTransition, "skipped">> => ({
  skipped: remaining.flatMap((step) => {
    const reason = steps.includes(step) ? reasons[step] : undefined
    return reason === undefined ? [] : [{ step, reason }]
  })
})

const isOpenFor = ({ status, remaining }: Verification, step: number): boolean =>
  !isTerminal(status) && remaining.includes(step)

/**
 * A step other than the next one is tried, because its account may send. This is written before the call, so that a crash
 * counts against the right step.
 */
export const chooseStep = (verification: Verification, choice: Choice): VerificationTransition =>
  isOpenFor(verification, choice.step)
    ? {
        next: charged({
          ...verification,
          revision: verification.revision + 1,
          attempts: withSkipped(verification.attempts, choice.skipped, choice.reasons ?? {}),
          remaining: reordered(verification, choice),
          slotReserved: false
        }),
        events: [],
        dueAt: "held",
        ...skippedNow(verification, choice.skipped, choice.reasons ?? {})
      }
    : unchanged(verification)

/** The step is tried at a slot of its account that is reserved for it. */
export const awaitSlot = (
  verification: Verification,
  choice: Choice & { readonly at: Instant }
): VerificationTransition => {
  if (!isOpenFor(verification, choice.step)) return unchanged(verification)
  const next = answered(
    charged({
      ...verification,
      revision: verification.revision + 1,
      attempts: withSkipped(verification.attempts, choice.skipped, choice.reasons ?? {}),
      remaining: reordered(verification, choice),
      nextStepAt: choice.at,
      slotReserved: true
    })
  )
  const skipped = skippedNow(verification, choice.skipped, choice.reasons ?? {})
  return { next, events: [], dueAt: nextDueAt(next), ...skipped }
}

/** The lease ran out before the step was called: it is due at once, for the next process that leases it. */
export const releaseStep = (verification: Verification, step: number, now: Instant): VerificationTransition =>
  isOpenFor(verification, step)
    ? {
        next: answered({ ...verification, revision: verification.revision + 1 }),
        events: [],
        dueAt: now
      }
    : unchanged(verification)

/** No account of the remaining steps may send in time, or the one step to repeat cannot be repeated. */
export const skipRemaining = (
  verification: Verification,
  now: Instant,
  reasons: SkipReasons = {}
): VerificationTransition => {
  const { remaining, repeating } = verification
  const [first] = remaining
  if (isTerminal(verification.status) || first === undefined) return unchanged(verification)
  if (repeating) {
    const called = verification.attempts.find(({ step }) => step === first)?.attempted_at
    const call = { step: first, outcome: notRepeated, attemptedAt: called ?? now, finishedAt: now }
    return recordAttempt(verification, call)
  }
  const { route } = verification
  const isFailed = statusAfter(verification.attempts, false, now >= verification.expiresAt) === "failed"
  const attempts = isFailed
    ? withSkipped(verification.attempts, Array.from(route.keys()), reasons)
    : verification.attempts
  const status = isFailed ? "failed" : verification.status
  const next = answered(
    charged({
      ...verification,
      status,
      revision: verification.revision + 1,
      attempts,
      remaining: [],
      nextStepAt: null,
      slotReserved: false
    })
  )
  const events: ReadonlyArray<EventType> = isFailed ? ["verification.failed"] : []
  return { next, events, dueAt: nextDueAt(next), ...skippedNow(verification, remaining, reasons) }
}
