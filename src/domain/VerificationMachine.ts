import type { Instant } from "./Instant.ts"
import { attemptResult, type ProviderOutcome } from "./ProviderOutcome.ts"
import type { Transition } from "./Transition.ts"
import { type Attempt, type EventType, isTerminal, type Verification } from "./Verification.ts"

/** What is to be done about a verification whose timer is due. */
export type Action =
  | { readonly _tag: "TryStep"; readonly step: number }
  /** A process took this step and never came back: its outcome is unknown. */
  | { readonly _tag: "AbandonStep"; readonly step: number }
  | { readonly _tag: "Expire" }
  | { readonly _tag: "Sleep"; readonly until: Instant }
  | { readonly _tag: "Nothing" }

export type VerificationTransition = Transition<Verification, EventType>

/** When an active verification's timer is due: at its next step, else at its end. */
export const nextDueAt = ({ status, nextStepAt, expiresAt }: Verification): Instant | null =>
  isTerminal(status) ? null : Math.min(nextStepAt ?? expiresAt, expiresAt)

/** @param wasAbandoned another process had leased this timer, and its lease ran out */
export const decide = (verification: Verification, now: Instant, wasAbandoned: boolean): Action => {
  const dueAt = nextDueAt(verification)
  if (dueAt === null) return { _tag: "Nothing" }
  if (now < dueAt) return { _tag: "Sleep", until: dueAt }
  const { nextStep, nextStepAt, expiresAt } = verification
  if (nextStepAt !== null && nextStepAt <= now && wasAbandoned) return { _tag: "AbandonStep", step: nextStep }
  if (now >= expiresAt) return { _tag: "Expire" }
  return { _tag: "TryStep", step: nextStep }
}

/**
 * A step that started later than this after its planned time (a process was down) counts its waiting time from its real
 * start: otherwise all channels whose time passed meanwhile would fire at once. Smaller delays do not add up.
 */
const MAX_LATENESS_MILLIS = 5000

const waitedUntil = (verification: Verification, attemptedAt: Instant): Instant => {
  const planned = verification.nextStepAt ?? attemptedAt
  const base = attemptedAt - planned > MAX_LATENESS_MILLIS ? attemptedAt : planned
  return base + (verification.route[verification.nextStep]?.wait ?? 0) * 1000
}

const toAttempt = (step: number, outcome: ProviderOutcome, attemptedAt: Instant): Attempt => ({
  step,
  ...attemptResult(outcome),
  attempted_at: attemptedAt
})

const isDefiniteFailure = ({ status, error_code }: Attempt): boolean =>
  status === "failed" && error_code !== "provider_outcome_unknown"

const attemptEvent = ({ status }: Attempt): EventType =>
  status === "sent" ? "verification.attempt_sent" : "verification.attempt_failed"

const unchanged = (verification: Verification): VerificationTransition => ({
  next: verification,
  events: [],
  dueAt: nextDueAt(verification)
})

/** Once terminal, an attempt that was under way is still written to the history, and changes nothing else. */
const recordLate = (verification: Verification, attempt: Attempt): VerificationTransition => ({
  next: {
    ...verification,
    revision: verification.revision + 1,
    attempts: [...verification.attempts, attempt],
    nextStep: attempt.step + 1,
    nextStepAt: null
  },
  events: [attemptEvent(attempt)],
  dueAt: null
})

/** Failed when no channel is left and each definitely failed; but not after the end, when readers see it expired. */
const statusAfter = (
  attempts: ReadonlyArray<Attempt>,
  hasNext: boolean,
  isOver: boolean
): "queued" | "failed" => (!hasNext && !isOver && attempts.every(isDefiniteFailure) ? "failed" : "queued")

/** A provider answered (or did not): the attempt is recorded, and the route goes on, waits or ends. */
export const recordAttempt = (
  verification: Verification,
  result: {
    readonly step: number
    readonly outcome: ProviderOutcome
    readonly attemptedAt: Instant
    readonly finishedAt: Instant
  }
): VerificationTransition => {
  const { step, outcome, attemptedAt, finishedAt } = result
  if (step < verification.nextStep) return unchanged(verification)
  const attempt = toAttempt(step, outcome, attemptedAt)
  if (isTerminal(verification.status)) return recordLate(verification, attempt)
  const attempts = [...verification.attempts, attempt]
  const hasNext = step + 1 < verification.route.length
  const status = statusAfter(attempts, hasNext, finishedAt >= verification.expiresAt)
  const nextStepAt = attempt.status === "sent" ? waitedUntil(verification, attemptedAt) : finishedAt
  const next: Verification = {
    ...verification,
    status,
    revision: verification.revision + 1,
    attempts,
    nextStep: step + 1,
    // A step that would come after the end never comes.
    nextStepAt: hasNext && nextStepAt < verification.expiresAt ? nextStepAt : null
  }
  const queued: ReadonlyArray<EventType> =
    verification.status === "pending" && status === "queued" ? ["verification.queued"] : []
  const failed: ReadonlyArray<EventType> = status === "failed" ? ["verification.failed"] : []
  return { next, events: [...queued, attemptEvent(attempt), ...failed], dueAt: nextDueAt(next) }
}

/** The end of validity came while it was active. */
export const expire = (verification: Verification): VerificationTransition =>
  isTerminal(verification.status)
    ? unchanged(verification)
    : {
        next: {
          ...verification,
          status: "expired",
          revision: verification.revision + 1,
          nextStepAt: null
        },
        events: ["verification.expired"],
        dueAt: null
      }

/** Whether some channel may still have to send the code, so that its encrypted copy has to stay. */
export const mayStillSend = ({ status, nextStepAt }: Verification): boolean =>
  !isTerminal(status) && nextStepAt !== null
