import { Clock, Context, Effect, Layer, Option } from "effect"
import {
  type IdempotencyError,
  type InsufficientBalance,
  type InvalidChannel,
  type NoNextChannel,
  NotFound,
  type ServiceUnavailable,
  type VerificationEnded
} from "../../domain/Errors.ts"
import { bareNumber } from "../../domain/text/PastedText.ts"
import { tryNext } from "../../domain/verification/NextChannel.ts"
import {
  cancel,
  reasonWithoutMatch,
  triesLeft,
  type VerifyReason
} from "../../domain/verification/VerificationMachine.ts"
import {
  type Verification,
  type VerificationView,
  viewVerification
} from "../../domain/verification/Verification.ts"
import { Workers } from "../concurrency/Workers.ts"
import type { Subject } from "../customer/Customers.ts"
import type { IfKeyed, SetUpChanged } from "../customer/Idempotency.ts"
import { Timers } from "../timer/Timers.ts"
import { Codes, CodeVault } from "./Codes.ts"
import { VerificationMetrics } from "./VerificationWrites.ts"
import { type Refusal, type SentCode, type SendRequest, VerificationSends } from "./VerificationSends.ts"
import { callsPhone, makeMayTryRequested, type RequestedStepRefusal } from "./RequestedSteps.ts"
import { VerificationSteps } from "./VerificationSteps.ts"
import { VerificationStore } from "./VerificationStore.ts"

/** What a request for the next channel says about it. */
interface Asked {
  /** The attempt that the caller looked at. */
  readonly fromSequence?: number | undefined
  /** The name of a channel; absent: the next one of the route. */
  readonly channel?: string | undefined
}

type NextRefusal =
  | NoNextChannel
  | VerificationEnded
  | InvalidChannel
  | InsufficientBalance
  | RequestedStepRefusal

/**
 * Tries the next channel now, and returns the verification afterwards. Of requests at the same time, and a timer that is
 * due, one leases the verification's timer; the others leave the channel to it.
 */
const makeNextChannel = Effect.gen(function* () {
  const store = yield* VerificationStore
  const steps = yield* VerificationSteps
  const timers = yield* Timers
  const vault = yield* CodeVault
  const workers = yield* Workers
  const mayTry = yield* makeMayTryRequested

  const attempt = Effect.fnUntraced(function* (
    before: Verification,
    asked: Asked
  ): Effect.fn.Return<Verification, NextRefusal | SetUpChanged> {
    const now = yield* Clock.currentTimeMillis
    const transition = yield* Effect.fromResult(tryNext(before, { ...asked, now }))
    if (transition.next === before) return before
    const giveBack = yield* mayTry(transition.next)
    const { customerId, id } = before
    const leased = yield* Effect.tapErrorTag(
      store.commitLeased(before, transition, yield* timers.newLease),
      "insufficient_balance",
      () => giveBack
    )
    if (Option.isSome(leased)) {
      const code = yield* vault.open(id, leased.value.sealedCode)
      const tried = yield* steps.tryNow(leased.value.timer, transition.next, code)
      if (!callsPhone(tried, yield* Clock.currentTimeMillis)) yield* giveBack
      return tried
    }
    const stored = Option.getOrElse(yield* store.load(customerId, id), () => before)
    // The request that was faster may be for the same call, and then it uses this count.
    if (!callsPhone(stored, now)) yield* giveBack
    return stored.revision === before.revision ? stored : yield* attempt(stored, asked)
  })

  return (verification: Verification, { fromSequence, channel }: Asked) =>
    workers.runToEnd(attempt(verification, { fromSequence, channel }))
})

export interface VerifyResult {
  readonly verified: boolean
  readonly reason: VerifyReason
  /** Codes that may still be entered after a wrong one; null if the verification has ended. */
  readonly triesLeft: number | null
}

/** One-time codes: sent, followed, verified, moved on, canceled. Live and sandbox are the same use cases over different layers. */
export class Verifications extends Context.Service<
  Verifications,
  {
    readonly send: <Request extends SendRequest>(
      request: Request
    ) => Effect.Effect<SentCode, Refusal | IdempotencyError | ServiceUnavailable | IfKeyed<Request>>
    readonly verify: <Entered extends Subject & { readonly code: string }>(
      entered: Entered
    ) => Effect.Effect<VerifyResult, NotFound | IfKeyed<Entered>>
    readonly status: <Of extends Subject>(
      subject: Of
    ) => Effect.Effect<VerificationView, NotFound | IfKeyed<Of>>
    /**
     * Tries the next channel now, or the one that is asked for, unless a later attempt than `fromSequence` exists.
     * Returns the verification afterwards.
     */
    readonly next: <Request extends Subject & Asked>(
      request: Request
    ) => Effect.Effect<VerificationView, NotFound | NextRefusal | IfKeyed<Request>>
    /** Returns the canceled verification, also if it was canceled before. A part of the caller's transaction, if any. */
    readonly cancel: <Of extends Subject>(
      subject: Of
    ) => Effect.Effect<VerificationView, NotFound | VerificationEnded | IfKeyed<Of>>
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
      const tryNextChannel = yield* makeNextChannel

      const read = Effect.fnUntraced(function* ({ customerId, id, setUpVersion = null }: Subject) {
        const stored = yield* store.read({ customerId, id, setUpVersion })
        return Option.isSome(stored) ? stored.value : yield* new NotFound()
      })

      const resultOf = (reason: VerifyResult["reason"], left: number | null = null): VerifyResult => {
        metrics.checked(reason)
        return { verified: reason === "ok", reason, triesLeft: left }
      }

      const verify = ({ customerId, id, code, setUpVersion = null }: Subject & { readonly code: string }) =>
        Effect.suspend(() => {
          const now = clock.currentTimeMillisUnsafe()
          const codeHash = vault.hash(id, bareNumber(code))
          const { maxWrongCodes, tries } = codes
          return Effect.flatMap(
            store.compareCode({ customerId, id, codeHash, maxWrongCodes, now, setUpVersion }),
            (compared) => {
              if (Option.isNone(compared)) {
                return Effect.map(read({ customerId, id }), (verification) =>
                  resultOf(reasonWithoutMatch(verification, now))
                )
              }
              const { matched, status, wrongCodes } = compared.value
              metrics.ended(id, status, now)
              const left = wrongCodes === null ? null : triesLeft(wrongCodes, tries)
              return Effect.succeed(resultOf(matched ? "ok" : "invalid_code", left))
            }
          )
        })

      const status = Effect.fnUntraced(function* (subject: Subject) {
        return viewVerification(yield* read(subject), yield* Clock.currentTimeMillis)
      })

      /** Writes the cancellation if the verification is still as it was read; else looks at what it has become. */
      const cancelRead = (
        verification: Verification
      ): Effect.Effect<Verification, NotFound | VerificationEnded | SetUpChanged> =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const transition = yield* Effect.fromResult(cancel(verification, now))
          if (transition.next === verification) return verification
          const { customerId, id } = verification
          if (!(yield* store.commitSingle(verification, transition, now))) {
            return yield* Effect.flatMap(read({ customerId, id }), cancelRead)
          }
          metrics.ended(id, transition.next.status, now)
          return transition.next
        })

      const canceled = Effect.fnUntraced(function* (subject: Subject) {
        const verification = yield* Effect.flatMap(read(subject), cancelRead)
        return viewVerification(verification, yield* Clock.currentTimeMillis)
      })

      const next = Effect.fnUntraced(function* (request: Subject & Asked) {
        const verification = yield* tryNextChannel(yield* read(request), request)
        return viewVerification(verification, yield* Clock.currentTimeMillis)
      })

      // Without a key the store compares no version of the set-up, so it reports no change either.
      const all = { send, verify, status, next, cancel: canceled }
      return Verifications.of(all as Verifications["Service"])
    })
  )
}

/** The sandbox's composition of `Verifications`, for code that uses both it and the live one. */
export class SandboxVerifications extends Context.Service<SandboxVerifications, Verifications["Service"]>()(
  "peyk/services/verification/Verifications/SandboxVerifications"
) {}
