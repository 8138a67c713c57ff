import { type Cause, Clock, Effect, Option, Redacted } from "effect"
import type { SkipReason } from "../../domain/account/Pace.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { LeasedTimer } from "../../domain/Timer.ts"
import { accountAt, isCall, stepText } from "../../domain/routing/Route.ts"
import { type Choice, chooseStep, type SkipReasons, skipRemaining } from "../../domain/verification/Step.ts"
import { expiresInSeconds, type Verification } from "../../domain/verification/Verification.ts"
import { isStepDue } from "../../domain/verification/VerificationMachine.ts"
import { AccountSlots, type Slot, type Start } from "../account/AccountSlots.ts"
import { PhoneCalls } from "./PhoneCalls.ts"
import { CallLimiters, ProviderCalls, type Waiting } from "../provider/ProviderCalls.ts"
import { Providers } from "../provider/Providers.ts"
import { Settings } from "../Settings.ts"
import { Timers } from "../timer/Timers.ts"
import { stateOf, VerificationMetrics, VerificationWrites } from "./VerificationWrites.ts"
import { VerificationStore } from "./VerificationStore.ts"

/** How long a try waits for others. */
interface TryWaits {
  /** For an account's slot, at most. */
  readonly waitMillis: number
  /** For a free connection to the provider, at most. */
  readonly permitMillis: number
  /** Wraps each wait: for the account's slot, for a free connection, for the provider's response. */
  readonly waiting: Waiting
  /** True if a request waits for this try: longer waits then continue in the background. */
  readonly isAwaited: boolean
}

/** One try of a verification's steps, under the lease of its timer. */
export interface StepTry {
  readonly timer: LeasedTimer
  readonly code: string
  readonly waits: TryWaits
  /** Handles a failure before anything was sent. */
  readonly releaseForRetry: (cause: Cause.Cause<never>) => Effect.Effect<never>
}

/** A step whose account has a slot. */
interface ChosenStep {
  readonly step: number
  readonly slot: Start
  /** When the verification was last read or written. */
  readonly seenAt: Instant
}

/** Either a step to call, or the end of the try. */
type Chosen =
  | { readonly verification: Verification; readonly chosen: ChosenStep; readonly left: Steps }
  | { readonly verification: Verification; readonly chosen: null }

type Steps = ReadonlyArray<number>

/**
 * Steps that cannot be called now: `skipped` for good, with their reasons, or `queued` for the background, because they
 * got no permit to call their provider in time of the request.
 */
interface Passed {
  readonly skipped: Steps
  readonly reasons: SkipReasons
  readonly queued: Steps
}

const NONE_PASSED: Passed = { skipped: [], reasons: {}, queued: [] }

const skipping = (passed: Passed, steps: Steps, reasonOf: (step: number) => SkipReason): Passed =>
  steps.length === 0
    ? passed
    : {
        ...passed,
        skipped: [...passed.skipped, ...steps],
        reasons: { ...passed.reasons, ...Object.fromEntries(steps.map((step) => [step, reasonOf(step)])) }
      }

/** Why the account of one of these steps could not give a slot. */
const reasonIn =
  ({ reasons }: Slot, steps: Steps) =>
  (step: number): SkipReason =>
    reasons?.[steps.indexOf(step)] ?? "gap"

/** The step whose account gave a slot, and the steps before it that were skipped; null if no account gave one. */
const choiceOf = (slot: Slot, steps: Steps) => {
  if (slot._tag === "FreeAt") return null
  const step = steps[slot.index]
  if (step === undefined) throw new Error("a slot was taken of an account not asked for")
  const skipped = slot.blocked.filter((index) => index < slot.index).flatMap((index) => steps[index] ?? [])
  return { step, skipped, at: slot.at, hasStart: slot.hasStart }
}

const isClosed = (): SkipReason => "hours"

/** A code that waited longer than this before its call may have been verified, or have expired, meanwhile. */
const MAX_UNSEEN_MILLIS = 1000

/** The call that sends the code over a step. */
const makeSendCode = Effect.map(
  Providers,
  (providers) => (verification: Verification, step: number, code: string) => {
    const { id, customerId, phone, expiresAt } = verification
    const account = accountAt(verification, step)
    const text = stepText(account, verification, code, expiresInSeconds(verification))
    return providers.sendCode({
      attemptId: `${id}-${step + 1}`,
      customerId,
      step: account,
      phone,
      code: Redacted.make(code),
      text: Redacted.make(text),
      expiresAt
    })
  }
)

/** The steps that call, at a time at which their route may not. Nothing is read for a route without calls. */
const makeClosed = Effect.map(PhoneCalls, (phoneCalls) => {
  const none: Steps = []
  return (verification: Verification, steps: Steps, now: Instant): Effect.Effect<Steps> => {
    const calls = steps.filter((step) => isCall(accountAt(verification, step)))
    if (calls.length === 0) return Effect.succeed(none)
    return Effect.map(phoneCalls.isOpen(verification, now), (isOpen) => (isOpen ? none : calls))
  }
})

/** Steps to choose one from. */
interface Choosing {
  readonly verification: Verification
  readonly steps: Steps
  readonly stepTry: StepTry
  readonly passed: Passed
}

/** Chooses the step to call: the first one whose account may send now or within the wait. */
const makeChoose = Effect.gen(function* () {
  const closedOf = yield* makeClosed
  const { slotHorizonMillis } = yield* Settings
  const clock = yield* Clock.Clock
  const slots = yield* AccountSlots
  const { write, queue } = yield* VerificationWrites

  /** No step can be called now: one that got no permit in time of the request is left to the background. */
  const callNone = (
    verification: Verification,
    { queued, skipped, reasons }: Passed,
    now: Instant
  ): Effect.Effect<Verification> => {
    const [step] = queued
    return step === undefined
      ? stateOf(write(verification, (current) => skipRemaining(current, now, reasons)))
      : queue(verification, { step, skipped, reasons, at: now })
  }

  const takeSlot = (verification: Verification, steps: Steps) => {
    const now = clock.currentTimeMillisUnsafe()
    const taken = slots.take({
      customerId: verification.customerId,
      kind: "code",
      accounts: steps.map((step) => accountAt(verification, step)),
      now,
      until: Math.min(now + slotHorizonMillis, verification.expiresAt - 1),
      waitsForBlocked: false
    })
    return Effect.mapEager(taken, (slot) => ({ now, slot, choice: choiceOf(slot, steps) }))
  }

  const ended = Effect.map((verification: Verification): Chosen => ({ verification, chosen: null }))

  /** The first of the remaining steps goes as it is. Another one is written first. */
  const goFirst = (
    { verification, stepTry: { timer } }: Choosing,
    slot: Choice & Start,
    now: Instant,
    left: Steps
  ): Effect.Effect<Chosen> => {
    const { step } = slot
    if (step === verification.remaining[0]) {
      return Effect.succeed({ verification, chosen: { step, slot, seenAt: now }, left })
    }
    return Effect.map(
      write(verification, (current) => chooseStep(current, slot), timer),
      ({ written, state }): Chosen =>
        written
          ? { verification: state, chosen: { step, slot, seenAt: clock.currentTimeMillisUnsafe() }, left }
          : { verification: state, chosen: null }
    )
  }

  const chooseOpen = (choosing: Choosing, closed: Steps, seenAt: Instant): Effect.Effect<Chosen> => {
    const { verification, steps, passed, stepTry } = choosing
    const { waitMillis, waiting } = stepTry.waits
    const open = closed.length === 0 ? steps : steps.filter((step) => !closed.includes(step))
    if (open.length === 0) return ended(callNone(verification, skipping(passed, closed, isClosed), seenAt))
    return Effect.matchCauseEffectEager(takeSlot(verification, open), {
      onFailure: stepTry.releaseForRetry,
      onSuccess: ({ now, slot, choice }) => {
        const reasonOf = reasonIn(slot, open)
        if (choice === null) {
          const all = passed.queued.length > 0 ? passed : skipping(passed, open, reasonOf)
          return ended(callNone(verification, skipping(all, closed, isClosed), now))
        }
        const { step, at, hasStart } = choice
        const before = closed.filter((other) => steps.indexOf(other) < steps.indexOf(step))
        const { skipped, reasons } = skipping(skipping(passed, choice.skipped, reasonOf), before, isClosed)
        const chosen = { step, at, hasStart, skipped, reasons }
        if (at > now + waitMillis) return ended(queue(verification, chosen))
        const left = steps.filter((other) => !choice.skipped.includes(other) && !before.includes(other))
        return at > now
          ? Effect.flatMap(waiting(Effect.sleep(at - now)), () => goFirst(choosing, chosen, now, left))
          : goFirst(choosing, chosen, now, left)
      }
    })
  }

  // No generators, and nothing suspended that need not be: most sends choose their first step at once.
  return (choosing: Choosing): Effect.Effect<Chosen> => {
    const seenAt = clock.currentTimeMillisUnsafe()
    return Effect.matchCauseEffectEager(closedOf(choosing.verification, choosing.steps, seenAt), {
      onFailure: choosing.stepTry.releaseForRetry,
      onSuccess: (closed) => chooseOpen(choosing, closed, seenAt)
    })
  }
})

/** Calls the provider of a chosen step, and records the outcome. */
const makeCallStep = Effect.gen(function* () {
  const timers = yield* Timers
  const metrics = yield* VerificationMetrics
  const calls = yield* ProviderCalls
  const sendCode = yield* makeSendCode
  const { record, release } = yield* VerificationWrites

  const callLeased = (
    verification: Verification,
    { step, slot }: ChosenStep,
    { code, waits: { waiting } }: StepTry
  ): Effect.Effect<Verification> => {
    const isRepeat = verification.repeating
    return calls.callAndRecord({
      kind: "code",
      account: accountAt(verification, step),
      call: sendCode(verification, step, code),
      waiting,
      count: metrics.attempted,
      record: (result) => record(verification, { step, ...result, slotAt: slot.at, isRepeat })
    })
  }

  /**
   * Calls only under a lease. Without one, another process may have repeated the call and recorded a refusal. Then
   * this call would deliver the code all the same.
   */
  return (verification: Verification, chosen: ChosenStep, stepTry: StepTry): Effect.Effect<Verification> =>
    timers.isLeased(stepTry.timer)
      ? callLeased(verification, chosen, stepTry)
      : release(verification, chosen.step, stepTry.timer)
})

/** The end of a step: it was called, or left to the background; or its call was refused, and others are tried. */
interface Tried {
  readonly verification: Verification
  readonly refused: SkipReason | null
}

const done = Effect.map((verification: Verification): Tried => ({ verification, refused: null }))

/** Waits for a permit to call the provider and for the account's start, then calls. None: there was no permit in time. */
const makeCallWithPermit = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const store = yield* VerificationStore
  const calls = yield* ProviderCalls
  const limiters = yield* CallLimiters
  const phoneCalls = yield* PhoneCalls
  const callStep = yield* makeCallStep
  const { queue, release } = yield* VerificationWrites

  const isUnseen = (seenAt: Instant) => clock.currentTimeMillisUnsafe() - seenAt > MAX_UNSEEN_MILLIS

  /** Reads the verification again: it may have ended during a wait. None if the step is not due any more. */
  const reload = Effect.fnUntraced(function* (step: number, { timer, releaseForRetry }: StepTry) {
    const loaded = yield* Effect.catchCause(store.loadLeased(timer), releaseForRetry)
    const now = clock.currentTimeMillisUnsafe()
    const due = Option.filter(loaded, ({ verification }) => isStepDue(verification, step, now))
    return Option.map(due, ({ verification }) => ({ verification, seenAt: now }))
  })

  /** Counts a call of the phone; nothing for other channels. */
  const takeCall = (verification: Verification, step: number, { releaseForRetry }: StepTry) =>
    isCall(accountAt(verification, step))
      ? Effect.catchCause(phoneCalls.take(verification, clock.currentTimeMillisUnsafe()), releaseForRetry)
      : null

  // No generators from here to the call: each would be kept while a send waits for its provider, and thousands do.

  const callStarted = (verification: Verification, chosen: ChosenStep, stepTry: StepTry) =>
    isUnseen(chosen.seenAt)
      ? startAndCall(verification, chosen, stepTry)
      : done(callStep(verification, chosen, stepTry))

  /** Calls when the account may start a call, if that is within the wait and the verification has not ended by then. */
  const startAndCall = (
    verification: Verification,
    { step, slot: given, seenAt }: ChosenStep,
    stepTry: StepTry
  ): Effect.Effect<Tried> => {
    if (isUnseen(seenAt)) {
      return Effect.flatMap(reload(step, stepTry), (due) =>
        Option.isNone(due)
          ? done(release(verification, step, stepTry.timer))
          : startAndCall(due.value.verification, { step, slot: given, seenAt: due.value.seenAt }, stepTry)
      )
    }
    const starting = calls.awaitStart(accountAt(verification, step), given, stepTry.waits)
    return Effect.matchCauseEffectEager(starting, {
      onFailure: stepTry.releaseForRetry,
      onSuccess: (slot) => {
        if (!slot.hasStart) return done(queue(verification, { step, skipped: [], at: slot.at }))
        const started = { step, slot, seenAt }
        const taking = takeCall(verification, step, stepTry)
        if (taking === null) return callStarted(verification, started, stepTry)
        return Effect.flatMap(taking, (refused) =>
          refused === null
            ? callStarted(verification, started, stepTry)
            : Effect.succeed({ verification, refused })
        )
      }
    })
  }

  const withPermit = (verification: Verification, chosen: ChosenStep, stepTry: StepTry) =>
    limiters.withPermit(
      {
        customerId: verification.customerId,
        kind: "code",
        account: accountAt(verification, chosen.step),
        waitMillis: stepTry.waits.permitMillis,
        waiting: stepTry.waits.waiting
      },
      Effect.suspend(() => startAndCall(verification, chosen, stepTry))
    )

  return (
    verification: Verification,
    chosen: ChosenStep,
    stepTry: StepTry
  ): Effect.Effect<Option.Option<Tried>> => {
    const startedAt = clock.currentTimeMillisUnsafe()
    const called = Effect.suspend(() => withPermit(verification, chosen, stepTry))
    return Effect.flatMap(called, (tried) => {
      if (Option.isSome(tried)) return Effect.succeed(tried)
      const now = clock.currentTimeMillisUnsafe()
      const isStopping = now < startedAt + stepTry.waits.permitMillis
      return isStopping || now >= verification.expiresAt
        ? Effect.asSome(done(release(verification, chosen.step, stepTry.timer)))
        : Effect.succeedNone
    })
  }
})

/**
 * Tries steps of a verification, in their order: chooses one whose account may send, waits for its turn, calls, records.
 * If it gets no permit in time, the others are tried, without waiting for permits.
 */
export const makeTrySteps = Effect.gen(function* () {
  const choose = yield* makeChoose
  const callWithPermit = yield* makeCallWithPermit

  /** Tries the other steps, after one that was refused or got no permit. */
  const tryOthers = (
    { verification, chosen, left }: Extract<Chosen, { readonly left: Steps }>,
    tried: Option.Option<Tried>,
    stepTry: StepTry,
    passed: Passed
  ): Effect.Effect<Verification> => {
    const { step } = chosen
    const reason = Option.match(tried, { onNone: () => null, onSome: ({ refused }) => refused }) ?? "busy"
    const nowPassed =
      Option.isNone(tried) && stepTry.waits.isAwaited
        ? { ...passed, queued: [...passed.queued, step] }
        : skipping(passed, [step], () => reason)
    const trying = Option.isSome(tried)
      ? stepTry
      : { ...stepTry, waits: { ...stepTry.waits, permitMillis: 0 } }
    const current = Option.isSome(tried) ? tried.value.verification : verification
    const others: Steps = left.filter((other) => other !== step)
    const choosing = { verification: current, steps: others, stepTry: trying, passed: nowPassed }
    return Effect.flatMapEager(choose(choosing), (next) => tryChosen(next, trying, nowPassed))
  }

  const tryChosen = (next: Chosen, stepTry: StepTry, passed: Passed): Effect.Effect<Verification> =>
    next.chosen === null
      ? Effect.succeed(next.verification)
      : Effect.flatMap(callWithPermit(next.verification, next.chosen, stepTry), (tried) =>
          Option.isSome(tried) && tried.value.refused === null
            ? Effect.succeed(tried.value.verification)
            : tryOthers(next, tried, stepTry, passed)
        )

  /** @param first the step to begin with, if it has a slot already */
  return (
    verification: Verification,
    steps: Steps,
    stepTry: StepTry,
    first: ChosenStep | null = null
  ): Effect.Effect<Verification> =>
    Effect.suspend(() =>
      first === null
        ? Effect.flatMapEager(choose({ verification, steps, stepTry, passed: NONE_PASSED }), (next) =>
            tryChosen(next, stepTry, NONE_PASSED)
          )
        : tryChosen({ verification, chosen: first, left: steps }, stepTry, NONE_PASSED)
    )
})
