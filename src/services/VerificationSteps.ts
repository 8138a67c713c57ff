import { type Cause, Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import { isSlotUsable } from "../domain/Pace.ts"
import type { ProviderOutcome } from "../domain/ProviderOutcome.ts"
import { DEFAULT_CODE_TEXT, renderCodeText } from "../domain/Template.ts"
import { expiresInSeconds, type Verification } from "../domain/Verification.ts"
import {
  type Action,
  awaitSlot,
  chooseStep,
  decide,
  expire,
  handBackStep,
  nextDueAt,
  recordAttempt,
  skipRemaining,
  type VerificationTransition
} from "../domain/VerificationMachine.ts"
import { AccountSlots, type Slot } from "./AccountSlots.ts"
import { CodeVault } from "./CodeVault.ts"
import { neverRecorded, outcomeOf, tellFailure } from "./ProviderCalls.ts"
import { Providers } from "./Providers.ts"
import { Settings } from "./Settings.ts"
import { type DueTimer, type LeasedTimer, Timers } from "./Timers.ts"
import { TimerStore } from "./TimerStore.ts"
import { writeTransition } from "./Transitions.ts"
import { VerificationMetrics } from "./VerificationMetrics.ts"
import { type StoredVerification, VerificationStore } from "./VerificationStore.ts"
import { Workers } from "./Workers.ts"

/** Something due, with all that doing it needs: from here on a step may have been sent. */
interface Plan {
  readonly verification: Verification
  readonly action: Action
  /** Empty where nothing is sent. */
  readonly code: string
}

interface Attempting {
  readonly timer: LeasedTimer
  readonly waitMillis: number
  readonly handBack: (cause: Cause.Cause<never>) => Effect.Effect<never>
  /** Around what waits for others: the account's slot, the provider. */
  readonly waiting: Waiting
}

type Waiting = Workers["Service"]["waitOutside"]

interface StepCall {
  readonly timer: LeasedTimer
  readonly step: number
  readonly slotAt?: number
  readonly code: string
  readonly waiting: Waiting
}

/** Nobody waits for what timers do. */
const unheeded: Waiting = (wait) => wait

/** Carries verifications along their routes: attempts, fallback, expiry. */
export class VerificationSteps extends Context.Service<
  VerificationSteps,
  {
    /**
     * The first attempt of a verification that was just accepted, under the lease it was born with. Where that has run out
     * before the call, nothing is sent, and it is due at once for whoever has a lease.
     */
    readonly tryFirst: (
      timer: LeasedTimer,
      verification: Verification,
      code: string
    ) => Effect.Effect<Verification>
    /** Whatever is due for the verification of a timer that this process has leased. */
    readonly runTimer: (timer: DueTimer) => Effect.Effect<void>
  }
>()("peyk/services/VerificationSteps") {
  static readonly layer = Layer.effect(
    VerificationSteps,
    Effect.gen(function* () {
      const { providerTimeoutMillis, slotWaitMillis, slotHorizonMillis } = yield* Settings
      const clock = yield* Clock.Clock
      const store = yield* VerificationStore
      const providers = yield* Providers
      const slots = yield* AccountSlots
      const vault = yield* CodeVault
      const timers = yield* Timers
      const timerStore = yield* TimerStore
      const workers = yield* Workers
      const metrics = yield* VerificationMetrics

      const callProvider = (verification: Verification, step: number, code: string) => {
        const { id, customerId, phone, route, textBody, expiresAt } = verification
        const routeStep = route[step] ?? route[0]
        const body = routeStep.textBody ?? textBody ?? DEFAULT_CODE_TEXT
        const text = renderCodeText(body, code, expiresInSeconds(verification))
        const call = providers.sendCode({
          attemptId: `${id}-${step + 1}`,
          customerId,
          step: routeStep,
          phone,
          code: Redacted.make(code),
          text: Redacted.make(text),
          expiresAt
        })
        return outcomeOf(call, { channel: routeStep.channel, timeoutMillis: providerTimeoutMillis })
      }

      const tell = ({ id, phone, route }: Verification, step: number, outcome: ProviderOutcome) =>
        tellFailure(outcome, { subject: `verification ${id}`, channel: route[step]?.channel, phone })

      const commit = (
        verification: Verification,
        transition: (current: Verification) => VerificationTransition,
        timer: LeasedTimer | null = null
      ) => {
        const { customerId, id } = verification
        return writeTransition(verification, transition, {
          write: (before, next, now) =>
            Effect.map(store.commit(before, next, now, timer), (written) => {
              if (written && before.status !== next.next.status) metrics.ended(id, next.next.status, now)
              if (written && typeof next.dueAt === "number") timers.wakeAt(next.dueAt)
              return written
            }),
          reload: Effect.suspend(() => store.load(customerId, id))
        })
      }

      /** Calls the provider, and writes down what came of it. */
      const callLeased = (
        verification: Verification,
        { step, slotAt, code, waiting }: StepCall
      ): Effect.Effect<Verification> => {
        const attemptedAt = clock.currentTimeMillisUnsafe()
        const account = accountAt(verification, step)
        return Effect.flatMap(waiting(callProvider(verification, step, code)), (outcome) => {
          const finishedAt = clock.currentTimeMillisUnsafe()
          metrics.attempted({ channel: account.channel, outcome, attemptedAt, finishedAt })
          const call = { step, outcome, attemptedAt, finishedAt, slotAt, isRepeat: verification.repeating }
          const record = commit(verification, (current) => recordAttempt(current, call))
          const told =
            outcome._tag === "Accepted" ? record : Effect.andThen(tell(verification, step, outcome), record)
          return Effect.flatMap(told, ({ state }) =>
            Effect.as(slots.report(account, { kind: "code", outcome, now: finishedAt }), state)
          )
        })
      }

      /** For the next process that leases it, unless one has already. */
      const giveBack = (verification: Verification, { timer, step }: StepCall) =>
        Effect.suspend(() => {
          const now = clock.currentTimeMillisUnsafe()
          const given = commit(verification, (current) => handBackStep(current, step, now), timer)
          return Effect.map(given, ({ state }) => state)
        })

      /** Only under a lease: who has it now may have made the call over, and been refused what this one would deliver. */
      const callStep = (verification: Verification, call: StepCall): Effect.Effect<Verification> =>
        timers.isLeased(call.timer) ? callLeased(verification, call) : giveBack(verification, call)

      const accountAt = ({ route }: Verification, step: number) => route[step] ?? route[0]

      /** The step that a slot was taken for, and which before it were passed over; null where there was none. */
      const choiceOf = (slot: Slot, steps: ReadonlyArray<number>) => {
        if (slot._tag === "FreeAt") return null
        const step = steps[slot.index]
        if (step === undefined) throw new Error("a slot was taken of an account not asked for")
        const skipped = slot.blocked
          .filter((index) => index < slot.index)
          .flatMap((index) => steps[index] ?? [])
        return { step, skipped, at: slot.at }
      }

      const takeSlot = (verification: Verification, steps: ReadonlyArray<number>) =>
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
          return Effect.map(taken, (slot) => ({ now, choice: choiceOf(slot, steps) }))
        })

      /**
       * Over the first step whose account may send now, or within its gap; at a later slot in the background, with the
       * timer that the step is due by; or over none.
       *
       * @param waitMillis for how long this may wait for a slot itself
       * @param handBack for a failure before anything was sent
       */
      const tryNext = Effect.fnUntraced(function* (
        verification: Verification,
        steps: ReadonlyArray<number>,
        code: string,
        { timer, waitMillis, handBack, waiting }: Attempting
      ) {
        const { now, choice } = yield* Effect.catchCause(takeSlot(verification, steps), handBack)
        if (choice === null) {
          return (yield* commit(verification, (current) => skipRemaining(current, now))).state
        }
        const { step, at } = choice
        if (at > now + waitMillis) {
          return (yield* commit(verification, (current) => awaitSlot(current, choice))).state
        }
        if (at > now) yield* waiting(Effect.sleep(at - now))
        const call = { timer, step, slotAt: at, code, waiting }
        if (step === steps[0]) return yield* callStep(verification, call)
        const chosen = yield* commit(verification, (current) => chooseStep(current, choice), timer)
        return chosen.written ? yield* callStep(chosen.state, call) : chosen.state
      })

      const tryStep = Effect.fnUntraced(function* (
        verification: Verification,
        { steps, hasSlot }: Extract<Action, { readonly _tag: "TryStep" }>,
        code: string,
        timer: DueTimer
      ) {
        const [step] = steps
        const now = yield* Clock.currentTimeMillis
        const isUsable = hasSlot && isSlotUsable(verification.nextStepAt ?? now, now)
        const isReady = isUsable && !(yield* slots.isResting(accountAt(verification, step), "code", now))
        return isReady
          ? yield* callStep(verification, { timer, step, code, waiting: unheeded })
          : yield* tryNext(verification, steps, code, {
              timer,
              waitMillis: 0,
              handBack: timers.handBack(timer),
              waiting: unheeded
            })
      })

      const abandonStep = Effect.fnUntraced(function* (verification: Verification, step: number) {
        const now = yield* Clock.currentTimeMillis
        const outcome = neverRecorded
        yield* tell(verification, step, outcome)
        yield* commit(verification, (current) =>
          recordAttempt(current, { step, outcome, attemptedAt: nextDueAt(current) ?? now, finishedAt: now })
        )
      })

      const openCode = ({ verification, sealedCode }: StoredVerification) =>
        sealedCode === null
          ? Effect.die(`verification ${verification.id} has a step left and no code`)
          : vault.open(verification.id, sealedCode)

      const makePlan = Effect.fnUntraced(function* (timer: DueTimer) {
        const found = yield* store.loadLeased(timer)
        if (Option.isNone(found)) return Option.none<Plan>()
        const { verification } = found.value
        const action = decide(verification, yield* Clock.currentTimeMillis, timer.wasAbandoned)
        const code = action._tag === "TryStep" ? yield* openCode(found.value) : ""
        return Option.some<Plan>({ verification, action, code })
      })

      const carryOut = ({ verification, action, code }: Plan, timer: DueTimer): Effect.Effect<unknown> => {
        switch (action._tag) {
          case "TryStep":
            return tryStep(verification, action, code, timer)
          case "AbandonStep":
            return abandonStep(verification, action.step)
          case "Expire":
            return commit(verification, expire)
          case "Sleep":
            return timerStore.release(timer, action.until)
          case "Nothing":
            return timerStore.remove(timer)
        }
      }

      return VerificationSteps.of({
        tryFirst: (timer, verification, code) => {
          const attempting = {
            timer,
            waitMillis: slotWaitMillis,
            handBack: Effect.failCause,
            waiting: workers.waitOutside
          }
          return timers.holding(timer, tryNext(verification, verification.remaining, code, attempting))
        },
        runTimer: (timer) =>
          makePlan(timer).pipe(
            Effect.catchCause(timers.handBack(timer)),
            Effect.flatMap(
              Option.match({
                onNone: () => timerStore.remove(timer),
                onSome: (plan) => Effect.asVoid(carryOut(plan, timer))
              })
            )
          )
      })
    })
  )
}
