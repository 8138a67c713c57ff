import { Clock, Context, Effect, Layer, Option } from "effect"
import type { DueTimer, LeasedTimer } from "../../domain/Timer.ts"
import { accountAt } from "../../domain/routing/Route.ts"
import { type Verification, nextDueAt } from "../../domain/verification/Verification.ts"
import { type Action, decide, expire } from "../../domain/verification/VerificationMachine.ts"
import { AccountSlots, isSlotReady } from "../account/AccountSlots.ts"
import { Workers } from "../concurrency/Workers.ts"
import { neverRecorded } from "../provider/ProviderCalls.ts"
import { Settings } from "../Settings.ts"
import { Timers } from "../timer/Timers.ts"
import { TimerStore } from "../timer/TimerStore.ts"
import { CodeVault } from "./Codes.ts"
import { makeTrySteps, type StepTry } from "./StepTries.ts"
import { type StoredVerification, VerificationStore } from "./VerificationStore.ts"
import { VerificationWrites } from "./VerificationWrites.ts"

/** A due action, with all that it needs: once it begins, a code may be sent. */
interface Plan {
  readonly verification: Verification
  readonly action: Action
  /** Empty if nothing is sent. */
  readonly code: string
}

type TryStep = Extract<Action, { readonly _tag: "TryStep" }>

/** Tries the steps that are due in the background, where no request waits. */
const makeDueSteps = Effect.gen(function* () {
  const { slotHorizonMillis } = yield* Settings
  const slots = yield* AccountSlots
  const timers = yield* Timers
  const trySteps = yield* makeTrySteps

  return Effect.fnUntraced(function* (
    verification: Verification,
    { steps, hasSlot }: TryStep,
    code: string,
    timer: DueTimer
  ) {
    const [step] = steps
    const now = yield* Clock.currentTimeMillis
    const at = verification.nextStepAt ?? now
    const releaseForRetry = timers.releaseForRetry(timer)
    const stepTry: StepTry = {
      timer,
      code,
      waits: { waitMillis: 0, permitMillis: slotHorizonMillis, isAwaited: false, waiting: (wait) => wait },
      releaseForRetry
    }
    const ready = isSlotReady(slots, accountAt(verification, step), { kind: "code", at, now })
    const isReady = hasSlot && (yield* Effect.catchCause(ready, releaseForRetry))
    const chosen = { step, slot: { at, hasStart: false }, seenAt: now }
    return yield* trySteps(verification, steps, stepTry, isReady ? chosen : null)
  })
})

/** Reads what is due for the verification of a leased timer; none if the lease was lost. */
const makePlans = Effect.gen(function* () {
  const store = yield* VerificationStore
  const vault = yield* CodeVault

  const openCode = ({ verification, sealedCode }: StoredVerification) =>
    sealedCode === null
      ? Effect.die(`verification ${verification.id} has a step left and no code`)
      : vault.open(verification.id, sealedCode)

  return Effect.fnUntraced(function* (timer: DueTimer) {
    const found = yield* store.loadLeased(timer)
    if (Option.isNone(found)) return Option.none<Plan>()
    const { verification } = found.value
    const action = decide(verification, yield* Clock.currentTimeMillis, timer.wasAbandoned)
    const code = action._tag === "TryStep" ? yield* openCode(found.value) : ""
    return Option.some<Plan>({ verification, action, code })
  })
})

const makeRunTimer = Effect.gen(function* () {
  const timers = yield* Timers
  const timerStore = yield* TimerStore
  const { write, record } = yield* VerificationWrites
  const tryDue = yield* makeDueSteps
  const planOf = yield* makePlans

  const abandonStep = Effect.fnUntraced(function* (verification: Verification, step: number) {
    const now = yield* Clock.currentTimeMillis
    const attemptedAt = nextDueAt(verification) ?? now
    yield* record(verification, { step, outcome: neverRecorded, attemptedAt, finishedAt: now })
  })

  const carryOut = ({ verification, action, code }: Plan, timer: DueTimer): Effect.Effect<unknown> => {
    switch (action._tag) {
      case "TryStep":
        return tryDue(verification, action, code, timer)
      case "AbandonStep":
        return abandonStep(verification, action.step)
      case "Expire":
        return write(verification, expire)
      case "Sleep":
        return timerStore.release(timer, action.until)
      case "Nothing":
        return timerStore.remove(timer)
    }
  }

  return (timer: DueTimer) =>
    planOf(timer).pipe(
      Effect.catchCause(timers.releaseForRetry(timer)),
      Effect.flatMap(
        Option.match({
          onNone: () => timerStore.remove(timer),
          onSome: (plan) => Effect.asVoid(carryOut(plan, timer))
        })
      )
    )
})

/** Carries verifications along their routes: attempts, fallback, expiry. */
export class VerificationSteps extends Context.Service<
  VerificationSteps,
  {
    /**
     * Makes the first attempt of a verification that was just accepted, under the lease it was accepted with. If the lease
     * runs out before the call, nothing is sent, and the timer is due at once for the next process that leases it.
     */
    readonly tryFirst: (
      timer: LeasedTimer,
      verification: Verification,
      code: string
    ) => Effect.Effect<Verification>
    /** Tries the next step of a verification, under a lease that was just taken for it. */
    readonly tryNow: (
      timer: LeasedTimer,
      verification: Verification,
      code: string
    ) => Effect.Effect<Verification>
    /** Carries out what is due for the verification of a timer that this process has leased. */
    readonly runTimer: (timer: DueTimer) => Effect.Effect<void>
  }
>()("peyk/services/verification/VerificationSteps") {
  static readonly layer = Layer.effect(
    VerificationSteps,
    Effect.gen(function* () {
      const { slotWaitMillis } = yield* Settings
      const timers = yield* Timers
      const waiting = (yield* Workers).waitOutside("send")
      const trySteps = yield* makeTrySteps

      /** A try that a request waits for. */
      const tryInRequest = (
        verification: Verification,
        { timer, code, releaseForRetry }: Pick<StepTry, "timer" | "code" | "releaseForRetry">
      ) => {
        const waits = { waitMillis: slotWaitMillis, permitMillis: slotWaitMillis, isAwaited: true, waiting }
        const stepTry: StepTry = { timer, code, waits, releaseForRetry }
        return timers.holding(timer, trySteps(verification, verification.remaining, stepTry))
      }

      return VerificationSteps.of({
        tryFirst: (timer, verification, code) =>
          tryInRequest(verification, { timer, code, releaseForRetry: Effect.failCause }),
        tryNow: (timer, verification, code) => {
          const dueAt = verification.nextStepAt ?? verification.expiresAt
          const releaseForRetry = timers.releaseForRetry({ ...timer, dueAt, wasAbandoned: false })
          return tryInRequest(verification, { timer, code, releaseForRetry })
        },
        runTimer: yield* makeRunTimer
      })
    })
  )
}
