import { Cause, Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import { maskPhone } from "../domain/Phone.ts"
import { ProviderOutcome } from "../domain/ProviderOutcome.ts"
import { DEFAULT_CODE_TEXT, renderCodeText } from "../domain/Template.ts"
import { expiresInSeconds, type Verification } from "../domain/Verification.ts"
import {
  type Action,
  decide,
  expire,
  nextDueAt,
  recordAttempt,
  type Transition
} from "../domain/VerificationMachine.ts"
import { CodeVault } from "./CodeVault.ts"
import { Providers } from "./Providers.ts"
import { Settings } from "./Settings.ts"
import { type DueTimer, type LeasedTimer, Timers } from "./Timers.ts"
import { TimerStore } from "./TimerStore.ts"
import { type StoredVerification, VerificationStore } from "./VerificationStore.ts"

const NO_ANSWER = "no answer within the time-out"
const BROKEN_CALL = "the call to the provider broke"
const NOT_RECORDED = "the step was begun and its outcome never recorded"
const RETRY_MILLIS = 1000

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
        return providers
          .sendCode({
            attemptId: `${id}-${step + 1}`,
            customerId,
            step: route[step] ?? route[0],
            phone,
            code: Redacted.make(code),
            text: Redacted.make(text),
            expiresAt
          })
          .pipe(
            Effect.timeoutOrElse({
              duration: providerTimeoutMillis,
              orElse: () => Effect.succeed(ProviderOutcome.Unknown({ providerError: NO_ANSWER }))
            }),
            Effect.catchCauseIf(
              (cause) => !Cause.hasInterrupts(cause),
              (cause) =>
                Effect.as(
                  Effect.logError(`the adapter of ${route[step]?.channel} broke`, cause),
                  ProviderOutcome.Unknown({ providerError: BROKEN_CALL })
                )
            )
          )
      }

      const tellFailure = ({ id, phone, route }: Verification, step: number, outcome: ProviderOutcome) =>
        outcome._tag === "Accepted"
          ? Effect.void
          : Effect.logInfo(
              `verification ${id}: ${route[step]?.channel} to ${maskPhone(phone)}: ${outcome._tag}, ${outcome.providerError}`
            )

      /** Writes what `transition` makes of the verification; when it changed meanwhile, of what it has become. */
      const commit = Effect.fnUntraced(function* (
        verification: Verification,
        transition: (current: Verification) => Transition
      ) {
        let current = verification
        while (true) {
          const next = transition(current)
          if (next.verification === current) return current
          const now = yield* Clock.currentTimeMillis
          if (yield* store.commit(current.revision, next, now)) {
            if (next.dueAt !== null) yield* timers.wakeAt(next.dueAt)
            return next.verification
          }
          const stored = yield* store.load(current.customerId, current.id)
          if (Option.isNone(stored)) return current
          current = stored.value
        }
      })

      const tryStep = Effect.fnUntraced(function* (verification: Verification, step: number, code: string) {
        const attemptedAt = yield* Clock.currentTimeMillis
        const outcome = yield* callProvider(verification, step, code)
        const finishedAt = yield* Clock.currentTimeMillis
        yield* tellFailure(verification, step, outcome)
        return yield* commit(verification, (current) =>
          recordAttempt(current, { step, outcome, attemptedAt, finishedAt })
        )
      })

      const abandonStep = Effect.fnUntraced(function* (verification: Verification, step: number) {
        const now = yield* Clock.currentTimeMillis
        const outcome = ProviderOutcome.Unknown({ providerError: NOT_RECORDED })
        yield* tellFailure(verification, step, outcome)
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

      /** Nothing was sent yet, so the timer can be handed back; but not if its last holder may have sent something. */
      const handBack = (timer: DueTimer) => (cause: Cause.Cause<never>) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          if (!timer.wasAbandoned) yield* timerStore.release(timer, now + RETRY_MILLIS)
          return yield* Effect.failCause(cause)
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
            Effect.catchCause(handBack(timer)),
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
