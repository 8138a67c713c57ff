import { Clock, Effect, Option } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type { Verification } from "../../domain/verification/Verification.ts"
import { awaitSlot, type Choice } from "../../domain/verification/StepChoice.ts"
import { isStepDue } from "../../domain/verification/VerificationMachine.ts"
import { CallLimiters } from "../provider/CallLimiters.ts"
import { makeCallStarts } from "../provider/CallStarts.ts"
import { accountAt, makeStepCalls, type StepSlot, type StepTry } from "./StepCalls.ts"
import { VerificationStore } from "./VerificationStore.ts"
import { makeVerificationWrites } from "./VerificationWrites.ts"

/** A code that waited longer than this before its call may have been verified, or have expired, meanwhile. */
const MAX_UNSEEN_MILLIS = 1000

/** Waits until a chosen step may be called: for a place among its provider's calls, then for its account's start. */
export const makeStepPlaces = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const store = yield* VerificationStore
  const startOf = yield* makeCallStarts
  const limiters = yield* CallLimiters
  const write = yield* makeVerificationWrites
  const { callStep, releaseUncalled } = yield* makeStepCalls

  /** Leaves the step to the background, at a slot of its account. */
  const queueStep = (verification: Verification, choice: Choice & { readonly at: Instant }) =>
    Effect.map(
      write(verification, (current) => awaitSlot(current, choice)),
      ({ state }) => state
    )

  const isUnseen = ({ seenAt }: StepSlot) => clock.currentTimeMillisUnsafe() - seenAt > MAX_UNSEEN_MILLIS

  /** Calls when the account may start a call, if that is within the wait and the verification has not ended by then. */
  const callAtStart = Effect.fnUntraced(function* (
    verification: Verification,
    { step, slot, seenAt }: StepSlot,
    stepTry: StepTry
  ): Effect.fn.Return<Verification> {
    const starting = startOf(accountAt(verification, step), slot, stepTry)
    const start = yield* Effect.catchCause(starting, stepTry.releaseForRetry)
    if (!start.hasStart) return yield* queueStep(verification, { step, skipped: [], at: start.at })
    const started = { step, slot: start, seenAt }
    return isUnseen(started)
      ? yield* callIfStillDue(verification, started, stepTry)
      : yield* callStep(verification, started, stepTry)
  })

  /** Reads the verification again: it may have ended during a wait. */
  const callIfStillDue = Effect.fnUntraced(function* (
    verification: Verification,
    chosen: StepSlot,
    stepTry: StepTry
  ): Effect.fn.Return<Verification> {
    const { timer, releaseForRetry } = stepTry
    const loaded = yield* Effect.catchCause(store.loadLeased(timer), releaseForRetry)
    const now = clock.currentTimeMillisUnsafe()
    const due = Option.filter(loaded, ({ verification: current }) => isStepDue(current, chosen.step, now))
    return Option.isSome(due)
      ? yield* callAtStart(due.value.verification, { ...chosen, seenAt: now }, stepTry)
      : yield* releaseUncalled(verification, chosen.step, timer)
  })

  /** None if there was no place in time, and another step may be tried. */
  const callInPlace = Effect.fnUntraced(function* (
    verification: Verification,
    chosen: StepSlot,
    stepTry: StepTry
  ) {
    const { placeMillis, timer, waiting } = stepTry
    const startedAt = clock.currentTimeMillisUnsafe()
    const request = {
      customerId: verification.customerId,
      kind: "code" as const,
      account: accountAt(verification, chosen.step),
      waitMillis: placeMillis,
      waiting
    }
    const call = Effect.suspend(() =>
      isUnseen(chosen)
        ? callIfStillDue(verification, chosen, stepTry)
        : callAtStart(verification, chosen, stepTry)
    )
    const called = yield* limiters.withPlace(request, call)
    if (Option.isSome(called)) return called
    const now = clock.currentTimeMillisUnsafe()
    const isStopping = now < startedAt + placeMillis
    return isStopping || now >= verification.expiresAt
      ? yield* Effect.asSome(releaseUncalled(verification, chosen.step, timer))
      : Option.none<Verification>()
  })

  return { callInPlace, queueStep }
})
