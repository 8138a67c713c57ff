import { Array as Arr } from "effect"
import { chargeInOrder } from "../money/Charging.ts"
import { type Delivery, reportRequest, withDelivery } from "../account/DeliveryReport.ts"
import type { Instant } from "../Instant.ts"
import { attemptResult, isUncertain, outcomeOfRepeat, ProviderOutcome } from "../account/ProviderOutcome.ts"
import type { Transition } from "../Transition.ts"
import { type Attempt, type EventType, firstAnswer, isTerminal, type Verification } from "./Verification.ts"

/** What is to be done about a verification whose timer is due. */
export type Action =
  /** Over the first of these whose account may send; `hasSlot`: a slot of the very first is reserved. */
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

/** "held": the lease goes on, because a provider is about to be called. */
export type VerificationTransition = Transition<Verification, EventType, Instant | null | "held">

/** When an active verification's timer is due: at its next step, else at its end. */
export const nextDueAt = ({ status, nextStepAt, expiresAt }: Verification): Instant | null =>
  isTerminal(status) ? null : Math.min(nextStepAt ?? expiresAt, expiresAt)

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

/** Whether this step is what is to be tried now. */
export const isStepDue = (verification: Verification, step: number, now: Instant): boolean =>
  verification.remaining[0] === step && decide(verification, now, false)._tag === "TryStep"

/**
 * A step that started later than this after its planned time (a process was down) counts its waiting time from its real
 * start: otherwise all channels whose time passed meanwhile would fire at once. Smaller delays do not add up.
 */
const MAX_LATENESS_MILLIS = 5000

const waitedUntil = ({ route, nextStepAt }: Verification, { step, attemptedAt, slotAt }: Call): Instant => {
  const planned = Math.max(nextStepAt ?? attemptedAt, slotAt ?? 0)
  const base = attemptedAt - planned > MAX_LATENESS_MILLIS ? attemptedAt : planned
  return base + (route[step]?.wait ?? 0) * 1000
}

/** One call to a provider, and what it came to. */
export interface Call {
  readonly step: number
  readonly outcome: ProviderOutcome
  readonly attemptedAt: Instant
  readonly finishedAt: Instant
  /** The account's slot that it was made at, if it had to wait for one. */
  readonly slotAt?: Instant | undefined
  /** Whether it was made to repeat one whose outcome was unknown; absent: if the verification is repeating one. */
  readonly isRepeat?: boolean
}

/**
 * The answer to a call that was taken for lost, while it is made once more: that it was accepted settles the step, anything
 * else says nothing about the repeat.
 */
const isOvertaken = ({ repeating }: Verification, { isRepeat, outcome }: Call): boolean =>
  repeating && isRepeat === false && outcome._tag !== "Accepted"

const toAttempt = (step: number, outcome: ProviderOutcome, attemptedAt: Instant): Attempt => ({
  step,
  ...attemptResult(outcome),
  attempted_at: attemptedAt
})

const isDefiniteFailure = (attempt: Attempt): boolean => attempt.status === "failed" && !isUncertain(attempt)

const attemptEvent = (attempt: Attempt): EventType => {
  if (attempt.status === "sent") return "verification.attempt_sent"
  return isUncertain(attempt) ? "verification.attempt_unknown" : "verification.attempt_failed"
}

/** For a step of a send that fails without any attempt. */
const notCalled = (step: number): Attempt => ({
  step,
  status: "failed",
  error_code: "account_unavailable",
  provider_error: null,
  provider_message_id: null,
  attempted_at: null
})

const unchanged = (verification: Verification): VerificationTransition => ({
  next: verification,
  events: [],
  dueAt: nextDueAt(verification)
})

/** The verification with what send answers: the first outcome decides, and nothing later changes it. */
const answered = (verification: Verification): Verification =>
  verification.answeredStep === null ? { ...verification, ...firstAnswer(verification) } : verification

/** The verification with what its route can still come to cost. */
const charged = (verification: Verification): Verification => {
  const { attempts, route, remaining, nextStepAt, status } = verification
  const succeeded = attempts.flatMap((attempt) =>
    attempt.status === "sent" ? (route[attempt.step] ?? []) : []
  )
  const isOpen = !isTerminal(status) && nextStepAt !== null
  return {
    ...verification,
    ...chargeInOrder(succeeded, isOpen ? remaining.flatMap((step) => route[step] ?? []) : [])
  }
}

/** Once terminal, an attempt that was under way is still written to the history, and changes (and costs) nothing else. */
const recordLate = (
  verification: Verification,
  step: number,
  attempts: ReadonlyArray<Attempt>
): Omit<VerificationTransition, "events"> => ({
  next: answered({
    ...verification,
    revision: verification.revision + 1,
    attempts,
    remaining: verification.remaining.filter((left) => left !== step),
    nextStepAt: null,
    slotReserved: false,
    repeating: false
  }),
  dueAt: null
})

/** Failed when no channel is left and each definitely failed; but not after the end, when readers see it expired. */
const statusAfter = (
  attempts: ReadonlyArray<Attempt>,
  hasNext: boolean,
  isOver: boolean
): "queued" | "failed" => (!hasNext && !isOver && attempts.every(isDefiniteFailure) ? "failed" : "queued")

/** To a provider that de-duplicates a call whose outcome is unknown is made once more, if that is still of use. */
const mayRepeat = ({ route, status, repeating, expiresAt }: Verification, call: Call): boolean =>
  call.outcome._tag === "Unknown" &&
  !repeating &&
  route[call.step]?.deduplicates === true &&
  !isTerminal(status) &&
  call.finishedAt < expiresAt

/** The attempts with this one, in place of an earlier one at the same step: one whose call is repeated. */
const withAttempt = (attempts: ReadonlyArray<Attempt>, attempt: Attempt): ReadonlyArray<Attempt> => [
  ...attempts.filter(({ step }) => step !== attempt.step),
  attempt
]

/** The first attempt makes a verification active. */
const queuedEvents = ({ status }: Verification, next: Verification): ReadonlyArray<EventType> =>
  status === "pending" && next.status === "queued" ? ["verification.queued"] : []

/** The attempt counts as failed until its repeat says otherwise: there may never be one. */
const repeatStep = (verification: Verification, attempt: Attempt, call: Call): VerificationTransition => {
  const { step, finishedAt } = call
  const next = answered({
    ...verification,
    status: "queued",
    revision: verification.revision + 1,
    attempts: [...verification.attempts, attempt],
    remaining: [step, ...verification.remaining.filter((left) => left !== step)],
    nextStepAt: finishedAt,
    slotReserved: false,
    repeating: true
  })
  const events = [...queuedEvents(verification, next), attemptEvent(attempt)]
  return { next, events, dueAt: nextDueAt(next) }
}

/** A provider answered (or did not): the attempt is recorded, and the route goes on, waits or ends. */
export const recordAttempt = (verification: Verification, call: Call): VerificationTransition => {
  const { step, attemptedAt, finishedAt } = call
  const { repeating } = verification
  if (!verification.remaining.includes(step) || isOvertaken(verification, call))
    return unchanged(verification)
  const outcome = repeating ? outcomeOfRepeat(call.outcome) : call.outcome
  const attempt = toAttempt(step, outcome, attemptedAt)
  if (mayRepeat(verification, call)) return repeatStep(verification, attempt, call)
  // That an outcome is unknown is announced once, and not again when that of the repeat is unknown too.
  const told = repeating && isUncertain(attempt) ? [] : [attemptEvent(attempt)]
  const report = reportRequest(verification.route, attempt, finishedAt)
  const attempts = withAttempt(verification.attempts, attempt)
  if (isTerminal(verification.status))
    return { ...recordLate(verification, step, attempts), events: told, ...report }
  const remaining = verification.remaining.filter((left) => left !== step)
  const hasNext = remaining.length > 0
  const status = statusAfter(attempts, hasNext, finishedAt >= verification.expiresAt)
  const nextStepAt = attempt.status === "sent" ? waitedUntil(verification, call) : finishedAt
  const next = answered(
    charged({
      ...verification,
      status,
      revision: verification.revision + 1,
      attempts,
      remaining,
      slotReserved: false,
      repeating: false,
      // A step that would come after the end never comes.
      nextStepAt: hasNext && nextStepAt < verification.expiresAt ? nextStepAt : null
    })
  )
  const failed: ReadonlyArray<EventType> = status === "failed" ? ["verification.failed"] : []
  const events = [...queuedEvents(verification, next), ...told, ...failed]
  return { next, events, dueAt: nextDueAt(next), ...report }
}

/** A provider has told what became of a step that it had accepted. */
export const recordDelivery = (
  verification: Verification,
  step: number,
  delivery: Delivery
): VerificationTransition => {
  const attempts = withDelivery(verification.attempts, step, delivery)
  return attempts === verification.attempts
    ? unchanged(verification)
    : {
        next: { ...verification, revision: verification.revision + 1, attempts },
        events: [`verification.attempt_${delivery.status}`],
        dueAt: "held"
      }
}

const notRepeated = ProviderOutcome.Unknown({
  providerError: "no answer, and the account could not send again in time"
})

/** Which of the steps that are left goes first, and which are skipped. */
export interface Choice {
  readonly step: number
  readonly skipped: ReadonlyArray<number>
}

const reordered = ({ remaining }: Verification, { step, skipped }: Choice): ReadonlyArray<number> => [
  step,
  ...remaining.filter((left) => left !== step && !skipped.includes(left))
]

const isOpenFor = ({ status, remaining }: Verification, step: number): boolean =>
  !isTerminal(status) && remaining.includes(step)

/**
 * Another step than the next is tried, because its account may send: to be written before the call, so that a crash is
 * put down to the right step.
 */
export const chooseStep = (verification: Verification, choice: Choice): VerificationTransition =>
  isOpenFor(verification, choice.step)
    ? {
        next: charged({
          ...verification,
          revision: verification.revision + 1,
          remaining: reordered(verification, choice),
          slotReserved: false
        }),
        events: [],
        dueAt: "held"
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
      remaining: reordered(verification, choice),
      nextStepAt: choice.at,
      slotReserved: true
    })
  )
  return { next, events: [], dueAt: nextDueAt(next) }
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

/** No account of the steps that are left may send in time; or the one step that was to be repeated may not be. */
export const skipRemaining = (verification: Verification, now: Instant): VerificationTransition => {
  const { remaining, repeating } = verification
  const [first] = remaining
  if (isTerminal(verification.status) || first === undefined) return unchanged(verification)
  if (repeating) {
    const called = verification.attempts.find(({ step }) => step === first)?.attempted_at
    const call = { step: first, outcome: notRepeated, attemptedAt: called ?? now, finishedAt: now }
    return recordAttempt(verification, call)
  }
  const { attempts, route } = verification
  const isFailed = statusAfter(attempts, false, now >= verification.expiresAt) === "failed"
  const status = isFailed ? "failed" : verification.status
  const next = answered(
    charged({
      ...verification,
      status,
      revision: verification.revision + 1,
      attempts: isFailed && attempts.length === 0 ? route.map((_, index) => notCalled(index)) : attempts,
      remaining: [],
      nextStepAt: null,
      slotReserved: false
    })
  )
  return { next, events: isFailed ? ["verification.failed"] : [], dueAt: nextDueAt(next) }
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
          nextStepAt: null,
          slotReserved: false,
          held: 0
        },
        events: ["verification.expired"],
        dueAt: null
      }

/** Whether some channel may still have to send the code, so that its encrypted copy has to stay. */
export const mayStillSend = ({ status, nextStepAt }: Verification): boolean =>
  !isTerminal(status) && nextStepAt !== null
