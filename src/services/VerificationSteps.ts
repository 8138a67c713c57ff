import { Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import type { ProviderOutcome } from "../domain/ProviderOutcome.ts"
import { DEFAULT_CODE_TEXT, renderCodeText } from "../domain/Template.ts"
import { expiresInSeconds, type Verification } from "../domain/Verification.ts"
import {
  type Action,
  decide,
  expire,
  nextDueAt,
  recordAttempt,
  type VerificationTransition
} from "../domain/VerificationMachine.ts"
import { CodeVault } from "./CodeVault.ts"
import { neverRecorded, outcomeOf, tellFailure } from "./ProviderCalls.ts"
import { Providers } from "./Providers.ts"
import { Settings } from "./Settings.ts"
import { type DueTimer, type LeasedTimer, Timers } from "./Timers.ts"
import { TimerStore } from "./TimerStore.ts"
import { writeTransition } from "./Transitions.ts"
import { type StoredVerification, VerificationStore } from "./VerificationStore.ts"

/** Something due, with all that doing it needs: from here on a step may have been sent. */
interface Plan {
  readonly verification: Verification
  readonly action: Action
  /** Empty where nothing is sent. */
  readonly code: string
}

/** Carries verifications along their routes: attempts, fallback, expiry. */
export class VerificationSteps extends Context.Service<
  VerificationSteps,
  {
    /** The first attempt of a verification that was just accepted, under the lease it was born with. */
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
      const { providerTimeoutMillis } = yield* Settings
      const store = yield* VerificationStore
      const providers = yield* Providers
      const vault = yield* CodeVault
      const timers = yield* Timers
      const timerStore = yield* TimerStore

      const callProvider = (verification: Verification, step: number, code: string) => {
        const { id, customerId, phone, route, textBody, expiresAt } = verification
        const text = renderCodeText(textBody ?? DEFAULT_CODE_TEXT, code, expiresInSeconds(verification))
        const routeStep = route[step] ?? route[0]
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

      const commit = Effect.fnUntraced(function* (
        verification: Verification,
        transition: (current: Verification) => VerificationTransition
      ) {
        const { customerId, id } = verification
        const {
          state,
          written,
          transition: done
        } = yield* writeTransition(verification, transition, {
          write: store.commit,
          reload: store.load(customerId, id)
        })
        if (written && done.dueAt !== null) yield* timers.wakeAt(done.dueAt)
        return state
      })

      const tryStep = Effect.fnUntraced(function* (verification: Verification, step: number, code: string) {
        const attemptedAt = yield* Clock.currentTimeMillis
        const outcome = yield* callProvider(verification, step, code)
        const finishedAt = yield* Clock.currentTimeMillis
        yield* tell(verification, step, outcome)
        return yield* commit(verification, (current) =>
          recordAttempt(current, { step, outcome, attemptedAt, finishedAt })
        )
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
            return tryStep(verification, action.step, code)
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
        tryFirst: (timer, verification, code) => timers.holding(timer, tryStep(verification, 0, code)),
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
