import type { Instant } from "../Instant.ts"
import { canBeAskedAgain, type SkipReason } from "../account/Pace.ts"
import { chargeInOrder } from "../money/Charging.ts"
import {
  type AttemptErrorCode,
  attemptResult,
  type Delivery,
  isUncertain,
  outcomeOfRepeat,
  ProviderOutcome,
  reportRequest,
  withDelivery
} from "../ProviderOutcome.ts"
import {
  type Attempt,
  type EventType,
  firstResponse,
  isKeptToAskFor,
  isTerminal,
  stepsInTurn,
  type Verification,
  wasCalled,
  nextDueAt
} from "./Verification.ts"
import { unchanged, type VerificationTransition } from "./VerificationMachine.ts"

const isDefiniteFailure = (attempt: Attempt): boolean => attempt.status === "failed" && !isUncertain(attempt)

/** The verification with the response of its send: the first outcome decides it, and nothing later changes it. */
const answered = (verification: Verification): Verification =>
  verification.answeredStep === null ? { ...verification, ...firstResponse(verification) } : verification

/** The verification with its cost so far, and the most that its remaining steps can still cost. */
export const charged = (verification: Verification): Verification => {
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

/** Failed when no channel is left and each definitely failed; not after the end, when readers see it expired. */
const statusAfter = (
  attempts: ReadonlyArray<Attempt>,
  hasNext: boolean,
  isOver: boolean
): "queued" | "failed" => (!hasNext && !isOver && attempts.every(isDefiniteFailure) ? "failed" : "queued")

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

/** As long as no step was called, the skipped ones are kept with their reasons; afterwards only those to ask for. */
const withSkipped = (
  attempts: ReadonlyArray<Attempt>,
  skipped: ReadonlyArray<number>,
  reasons: SkipReasons
): ReadonlyArray<Attempt> => {
  const added = skipped
    .filter((step) => attempts.every((attempt) => attempt.step !== step))
    .map((step) => notCalled(step, reasons[step]))
  if (added.length === 0) return attempts
  return attempts.some(wasCalled)
    ? [...attempts, ...added.filter(isKeptToAskFor)]
    : [...attempts, ...added].toSorted((one, other) => one.step - other.step)
}

/** Of a send that has failed: its calls; the skipped steps, if it had none. */
const atFailure = (attempts: ReadonlyArray<Attempt>): ReadonlyArray<Attempt> =>
  attempts.some(wasCalled) ? attempts.filter(wasCalled) : attempts

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
  const isFailed = statusAfter(verification.attempts, false, now >= verification.expiresAt) === "failed"
  const skipped = isFailed
    ? stepsInTurn(verification.route)
    : remaining.filter((step) => canBeAskedAgain(reasons[step]))
  const all = withSkipped(verification.attempts, skipped, reasons)
  const attempts = isFailed ? atFailure(all) : all
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

/**
 * A step that started later than this after its planned time (a process was down) counts its waiting time from its real
 * start: otherwise all channels whose time passed meanwhile would fire at once. Smaller delays do not add up.
 */
export const MAX_LATENESS_MILLIS = 5000

const waitedUntil = (
  { route, nextStepAt }: Verification,
  { step, attemptedAt, slotAt }: StepCall
): Instant => {
  const planned = Math.max(nextStepAt ?? attemptedAt, slotAt ?? 0)
  const base = attemptedAt - planned > MAX_LATENESS_MILLIS ? attemptedAt : planned
  return base + (route[step]?.wait ?? 0) * 1000
}

/** One call to a provider, and its outcome. */
export interface StepCall {
  readonly step: number
  readonly outcome: ProviderOutcome
  readonly attemptedAt: Instant
  readonly finishedAt: Instant
  /** The account's slot at which it was made, if it had to wait for one. */
  readonly slotAt?: Instant | undefined
  /** Whether it repeats a call with an unknown outcome; absent: as the verification says. */
  readonly isRepeat?: boolean
}

/**
 * The late answer to a call that was taken for lost and is being repeated. An acceptance settles the step; anything else
 * says nothing about the repeat.
 */
const isOvertaken = ({ repeating }: Verification, { isRepeat, outcome }: StepCall): boolean =>
  repeating && isRepeat === false && outcome._tag !== "Accepted"

const toAttempt = (step: number, outcome: ProviderOutcome, attemptedAt: Instant): Attempt => ({
  step,
  ...attemptResult(outcome),
  attempted_at: attemptedAt
})

const attemptEvent = (attempt: Attempt): EventType => {
  if (attempt.status === "sent") return "verification.attempt_sent"
  return isUncertain(attempt) ? "verification.attempt_unknown" : "verification.attempt_failed"
}

/** Failures that are neither the recipient's, nor may have delivered the code: another account can do better. */
const standbyErrors: ReadonlyArray<AttemptErrorCode | null> = [
  "provider_rejected",
  "provider_misconfigured",
  "provider_rate_limited",
  "provider_unavailable"
]

/** The first step of those that stand in for each other with this one. */
const firstOfGroup = (route: Verification["route"], step: number): number =>
  route[step]?.standby === true ? firstOfGroup(route, step - 1) : step

/** The other steps of its channel that an attempt made needless: none, if it failed in a way that another account mends. */
const needlessAfter = (
  route: Verification["route"],
  { step, error_code }: Pick<Attempt, "step" | "error_code">
): ReadonlyArray<number> => {
  if (standbyErrors.includes(error_code)) return []
  const group = firstOfGroup(route, step)
  return [...route.keys()].filter((each) => each !== step && firstOfGroup(route, each) === group)
}

/** The standby steps that were not needed after an attempt. Those before it were skipped. */
export const standbyNotNeeded = (
  route: Verification["route"],
  attempt: Pick<Attempt, "step" | "error_code">
): ReadonlyArray<number> => needlessAfter(route, attempt).filter((each) => each > attempt.step)

/** The steps left after an attempt, with other accounts of its channel if its failure allows them. */
const remainingAfter = ({ route, remaining }: Verification, attempt: Attempt) => {
  const needless = needlessAfter(route, attempt)
  return remaining.filter((left) => left !== attempt.step && !needless.includes(left))
}

/** An attempt that ends after its verification did is kept in the history. It changes and costs nothing else. */
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

/** If the provider de-duplicates, a call with an unknown outcome is repeated once, while that is still of use. */
const mayRepeat = ({ route, status, repeating, expiresAt }: Verification, call: StepCall): boolean =>
  call.outcome._tag === "Unknown" &&
  !repeating &&
  route[call.step]?.deduplicates === true &&
  !isTerminal(status) &&
  call.finishedAt < expiresAt

/**
 * The calls with this one, in place of an earlier one at the same step: one whose call is repeated. Once a step was
 * called, those that were skipped are no part of the history: only those to ask for are kept.
 */
const withAttempt = (attempts: ReadonlyArray<Attempt>, attempt: Attempt): ReadonlyArray<Attempt> => [
  ...attempts.filter(
    (earlier) => (wasCalled(earlier) || isKeptToAskFor(earlier)) && earlier.step !== attempt.step
  ),
  attempt
]

/** The first attempt makes a verification active. */
const queuedEvents = ({ status }: Verification, next: Verification): ReadonlyArray<EventType> =>
  status === "pending" && next.status === "queued" ? ["verification.queued"] : []

/** The attempt counts as failed until its repeat says otherwise: there may never be one. */
const repeatStep = (verification: Verification, attempt: Attempt, call: StepCall): VerificationTransition => {
  const { step, finishedAt } = call
  const next = answered({
    ...verification,
    status: "queued",
    revision: verification.revision + 1,
    attempts: withAttempt(verification.attempts, attempt),
    remaining: [step, ...verification.remaining.filter((left) => left !== step)],
    nextStepAt: finishedAt,
    slotReserved: false,
    repeating: true
  })
  const events = [...queuedEvents(verification, next), attemptEvent(attempt)]
  return { next, events, dueAt: nextDueAt(next) }
}

/** A provider answered (or did not): the attempt is recorded, and the route goes on, waits or ends. */
export const recordAttempt = (verification: Verification, call: StepCall): VerificationTransition => {
  const { step, attemptedAt, finishedAt } = call
  const { repeating } = verification
  if (!verification.remaining.includes(step) || isOvertaken(verification, call))
    return unchanged(verification)
  const outcome = repeating ? outcomeOfRepeat(call.outcome) : call.outcome
  const attempt = toAttempt(step, outcome, attemptedAt)
  if (mayRepeat(verification, call)) return repeatStep(verification, attempt, call)
  // An unknown outcome is announced once, not again when the repeat's outcome is unknown too.
  const announced = repeating && isUncertain(attempt) ? [] : [attemptEvent(attempt)]
  const report = reportRequest(verification.route, attempt, finishedAt)
  const attempts = withAttempt(verification.attempts, attempt)
  if (isTerminal(verification.status))
    return { ...recordLate(verification, step, attempts), events: announced, ...report }
  const remaining = remainingAfter(verification, attempt)
  const hasNext = remaining.length > 0
  const status = statusAfter(attempts, hasNext, finishedAt >= verification.expiresAt)
  const nextStepAt = attempt.status === "sent" ? waitedUntil(verification, call) : finishedAt
  const next = answered(
    charged({
      ...verification,
      status,
      revision: verification.revision + 1,
      attempts: status === "failed" ? atFailure(attempts) : attempts,
      remaining,
      slotReserved: false,
      repeating: false,
      // A step that would come after the end never comes.
      nextStepAt: hasNext && nextStepAt < verification.expiresAt ? nextStepAt : null
    })
  )
  const failed: ReadonlyArray<EventType> = status === "failed" ? ["verification.failed"] : []
  const events = [...queuedEvents(verification, next), ...announced, ...failed]
  return { next, events, dueAt: nextDueAt(next), ...report }
}

/** A provider reports whether a step that it accepted was delivered. */
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
