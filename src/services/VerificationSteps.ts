import { Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import { ProviderOutcome } from "../domain/ProviderOutcome.ts"
import { DEFAULT_CODE_TEXT, renderCodeText } from "../domain/Template.ts"
import { expiresInSeconds, type Verification } from "../domain/Verification.ts"
import { decide, expire, nextDueAt, recordAttempt, type Transition } from "../domain/VerificationMachine.ts"
import { CodeVault } from "./CodeVault.ts"
import { Providers } from "./Providers.ts"
import { Settings } from "./Settings.ts"
import { type DueTimer, type TimerKind, Timers } from "./Timers.ts"
import { TimerStore } from "./TimerStore.ts"
import { type StoredVerification, VerificationStore } from "./VerificationStore.ts"

const NO_ANSWER = "no answer within the time-out"
const PROCESS_STOPPED = "the process stopped during the call"

/** Carries verifications along their routes: attempts, fallback, expiry. */
export class VerificationSteps extends Context.Service<
  VerificationSteps,
  {
    /** The first attempt of a verification that was just accepted, under the lease it was born with. */
    readonly tryFirst: (verification: Verification, code: string) => Effect.Effect<Verification>
    /** Whatever is due for the verification of a timer that this process has leased. */
    readonly runTimer: (timer: DueTimer) => Effect.Effect<void>
  }
>()("peyk/services/VerificationSteps") {
  static readonly layer = (kind: TimerKind) =>
    Layer.effect(
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
              })
            )
        }

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
            current = stored.value.verification
          }
        })

        const tryStep = Effect.fnUntraced(function* (verification: Verification, step: number, code: string) {
          const attemptedAt = yield* Clock.currentTimeMillis
          const outcome = yield* callProvider(verification, step, code)
          const finishedAt = yield* Clock.currentTimeMillis
          return yield* commit(verification, (current) =>
            recordAttempt(current, { step, outcome, attemptedAt, finishedAt })
          )
        })

        const abandonStep = Effect.fnUntraced(function* (verification: Verification, step: number) {
          const now = yield* Clock.currentTimeMillis
          const outcome = ProviderOutcome.Unknown({ providerError: PROCESS_STOPPED })
          yield* commit(verification, (current) =>
            recordAttempt(current, { step, outcome, attemptedAt: nextDueAt(current) ?? now, finishedAt: now })
          )
        })

        const openCode = ({ verification, sealedCode }: StoredVerification) =>
          sealedCode === null
            ? Effect.die(`verification ${verification.id} has a step left and no code`)
            : vault.open(verification.id, sealedCode)

        const act = Effect.fnUntraced(function* (stored: StoredVerification, timer: DueTimer) {
          const { verification } = stored
          const action = decide(verification, yield* Clock.currentTimeMillis, timer.wasAbandoned)
          switch (action._tag) {
            case "TryStep":
              return yield* tryStep(verification, action.step, yield* openCode(stored))
            case "AbandonStep":
              return yield* abandonStep(verification, action.step)
            case "Expire":
              return yield* commit(verification, expire)
            case "Sleep":
              return yield* timerStore.release(timer, yield* timers.newLease, action.until)
            case "Nothing":
              return yield* timerStore.remove(timer)
          }
        })

        return VerificationSteps.of({
          tryFirst: (verification, code) =>
            timers.holding(
              { kind, customerId: verification.customerId, subject: verification.id },
              tryStep(verification, 0, code)
            ),
          runTimer: (timer) =>
            Effect.flatMap(
              store.load(timer.customerId, timer.subject),
              Option.match({
                onNone: () => timerStore.remove(timer),
                onSome: (stored) => Effect.asVoid(act(stored, timer))
              })
            )
        })
      })
    )
}
