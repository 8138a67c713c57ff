import { Clock, Context, Effect, Layer, Option } from "effect"
import { foldDigits } from "../../domain/text/Digits.ts"
import { type IdempotencyError, NotFound } from "../../domain/Errors.ts"
import { type VerificationView, viewVerification } from "../../domain/verification/Verification.ts"
import { reasonWithoutMatch, type VerifyReason } from "../../domain/verification/VerificationMachine.ts"
import { Codes } from "./Codes.ts"
import { CodeVault } from "./CodeVault.ts"
import type { SetUpChanged } from "../customer/SetUpChanged.ts"
import { type Refusal, type SendAnswer, type SendRequest, VerificationSends } from "./VerificationSends.ts"
import { VerificationMetrics } from "./VerificationMetrics.ts"
import { VerificationStore } from "./VerificationStore.ts"

export interface VerifyAnswer {
  readonly verified: boolean
  readonly reason: VerifyReason
}

interface Subject {
  readonly customerId: number
  readonly id: string
  /** The version that the request's key was read with; null: the request has no key. */
  readonly setUpVersion?: number | null
}

/** One-time codes: sent, followed, verified. Live and sandbox are the same use cases over different layers. */
export class Verifications extends Context.Service<
  Verifications,
  {
    readonly send: (
      request: SendRequest
    ) => Effect.Effect<SendAnswer, Refusal | IdempotencyError | SetUpChanged>
    readonly verify: (
      attempt: Subject & { readonly code: string }
    ) => Effect.Effect<VerifyAnswer, NotFound | SetUpChanged>
    readonly status: (subject: Subject) => Effect.Effect<VerificationView, NotFound | SetUpChanged>
  }
>()("peyk/services/verification/Verifications") {
  static readonly layer = Layer.effect(
    Verifications,
    Effect.gen(function* () {
      const { send } = yield* VerificationSends
      const clock = yield* Clock.Clock
      const store = yield* VerificationStore
      const codes = yield* Codes
      const vault = yield* CodeVault
      const metrics = yield* VerificationMetrics

      const read = Effect.fnUntraced(function* ({ customerId, id, setUpVersion = null }: Subject) {
        const stored = yield* store.read({ customerId, id, setUpVersion })
        return Option.isSome(stored) ? stored.value : yield* new NotFound()
      })

      const answered = (reason: VerifyAnswer["reason"]): VerifyAnswer => {
        metrics.checked(reason)
        return { verified: reason === "ok", reason }
      }

      const verify = ({ customerId, id, code, setUpVersion = null }: Subject & { readonly code: string }) =>
        Effect.suspend(() => {
          const now = clock.currentTimeMillisUnsafe()
          const codeHash = vault.hash(id, foldDigits(code))
          const { maxWrongCodes } = codes
          return Effect.flatMap(
            store.compareCode({ customerId, id, codeHash, maxWrongCodes, now, setUpVersion }),
            (compared) => {
              if (Option.isNone(compared)) {
                return Effect.map(read({ customerId, id }), (verification) =>
                  answered(reasonWithoutMatch(verification, now))
                )
              }
              const { matched, status } = compared.value
              metrics.ended(id, status, now)
              return Effect.succeed(answered(matched ? "ok" : "invalid_code"))
            }
          )
        })

      const status = Effect.fnUntraced(function* (subject: Subject) {
        return viewVerification(yield* read(subject), yield* Clock.currentTimeMillis)
      })

      return Verifications.of({ send, verify, status })
    })
  )
}
