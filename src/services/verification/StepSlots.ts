import { Clock, Effect, Option } from "effect"
import type { Verification } from "../../domain/verification/Verification.ts"
import type { SkipReason } from "../../domain/account/Pace.ts"
import { chooseStep, skipRemaining, type SkipReasons } from "../../domain/verification/StepChoice.ts"
import { AccountSlots, type Slot } from "../account/AccountSlots.ts"
import { Settings } from "../Settings.ts"
import { accountAt, type StepSlot, type StepTry } from "./StepCalls.ts"
import { makeStepPlaces } from "./StepPlaces.ts"
import { makeVerificationWrites } from "./VerificationWrites.ts"

type Steps = ReadonlyArray<number>

/**
 * Steps that cannot be called now: `skipped` for good, with their reasons, or `queued` for the background, because they
 * found no place among their provider's calls in time of the request.
 */
interface Passed {
  readonly skipped: Steps
  readonly reasons: SkipReasons
  readonly queued: Steps
}

const NONE_PASSED: Passed = { skipped: [], reasons: {}, queued: [] }

const skipping = (passed: Passed, steps: Steps, reasonOf: (step: number) => SkipReason): Passed => ({
  ...passed,
  skipped: [...passed.skipped, ...steps],
  reasons: { ...passed.reasons, ...Object.fromEntries(steps.map((step) => [step, reasonOf(step)])) }
})

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

const isBusy = (): SkipReason => "busy"

/** Chooses the step to try: the first one whose account may send soon. */
export const makeStepSlots = Effect.gen(function* () {
  const { slotHorizonMillis } = yield* Settings
  const clock = yield* Clock.Clock
  const slots = yield* AccountSlots
  const write = yield* makeVerificationWrites
  const { callInPlace, queueStep } = yield* makeStepPlaces

  const takeSlot = (verification: Verification, steps: Steps) =>
    Effect.suspend(() => {
      const now = clock.currentTimeMillisUnsafe()
      const taken = slots.take({
        customerId: verification.customerId,
        kind: "code",
        accounts: steps.map((step) => accountAt(verification, step)),
        now,
        until: Math.min(now + slotHorizonMillis, verification.expiresAt - 1),
        waitsForBlocked: false
      })
      return Effect.map(taken, (slot) => ({ now, slot, choice: choiceOf(slot, steps) }))
    })

  /** No step can be called now: one that found no place in time of the request is left to the background. */
  const callNone = (verification: Verification, { queued, skipped, reasons }: Passed, now: number) => {
    const [step] = queued
    if (step !== undefined) return queueStep(verification, { step, skipped, reasons, at: now })
    const written = write(verification, (current) => skipRemaining(current, now, reasons))
    return Effect.map(written, ({ state }) => state)
  }

  /** The same, because no account gave one of these steps a slot. */
  const callNoneOf = (verification: Verification, steps: Steps, slot: Slot, passed: Passed, now: number) => {
    const reasonOf = reasonIn(slot, steps)
    if (passed.queued.length > 0) return callNone(verification, passed, now)
    return callNone(verification, skipping(passed, steps, reasonOf), now)
  }

  /** Calls the chosen step; if it finds no place in time, tries the others without waiting for places. */
  const callOrTryOthers = Effect.fnUntraced(function* (
    verification: Verification,
    chosen: StepSlot,
    steps: Steps,
    stepTry: StepTry,
    passed: Passed = NONE_PASSED
  ): Effect.fn.Return<Verification> {
    const { step } = chosen
    const called = yield* callInPlace(verification, chosen, stepTry)
    if (Option.isSome(called)) return called.value
    const others = steps.filter((other) => other !== step)
    const further = stepTry.isAwaited
      ? { ...passed, queued: [...passed.queued, step] }
      : skipping(passed, [step], isBusy)
    return yield* tryNext(verification, others, { ...stepTry, placeMillis: 0 }, further)
  })

  /** Tries the first of the steps whose account may send now or within the wait; queues one with a later slot. */
  const tryNext = Effect.fnUntraced(function* (
    verification: Verification,
    steps: Steps,
    stepTry: StepTry,
    passed: Passed = NONE_PASSED
  ): Effect.fn.Return<Verification> {
    const { timer, waitMillis, releaseForRetry, waiting } = stepTry
    if (steps.length === 0) return yield* callNone(verification, passed, clock.currentTimeMillisUnsafe())
    const { now, slot, choice } = yield* Effect.catchCause(takeSlot(verification, steps), releaseForRetry)
    if (choice === null) return yield* callNoneOf(verification, steps, slot, passed, now)
    const { step, at } = choice
    const reasonOf = reasonIn(slot, steps)
    const { skipped, reasons } = skipping(passed, choice.skipped, reasonOf)
    if (at > now + waitMillis) return yield* queueStep(verification, { ...choice, skipped, reasons })
    if (at > now) yield* waiting(Effect.sleep(at - now))
    const chosen = { step, slot: choice, seenAt: now }
    const left = steps.filter((other) => !choice.skipped.includes(other))
    if (step === verification.remaining[0]) {
      return yield* callOrTryOthers(verification, chosen, left, stepTry, passed)
    }
    const { written, state } = yield* write(
      verification,
      (current) => chooseStep(current, { step, skipped, reasons }),
      timer
    )
    if (!written) return state
    const rewritten = { ...chosen, seenAt: clock.currentTimeMillisUnsafe() }
    return yield* callOrTryOthers(state, rewritten, left, stepTry, passed)
  })

  return { tryNext, callOrTryOthers }
})
