import { Clock, Context, Effect, Layer, Option } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { canonicalJson } from "../domain/CanonicalJson.ts"
import type { ChannelDescriptor } from "../domain/Channel.ts"
import { foldDigits } from "../domain/Digits.ts"
import {
  type BillingError,
  IdempotencyKeyConflict,
  IdempotencyKeyInProgress,
  type InvalidPhone,
  type IdempotencyError,
  type LimitError,
  NotFound,
  type RouteError,
  type TemplateError
} from "../domain/Errors.ts"
import { parsePhone } from "../domain/Phone.ts"
import type { RouteRequest } from "../domain/Route.ts"
import {
  effectiveStatus,
  expiresInSeconds,
  sendStatus,
  startVerification,
  type Verification,
  type VerificationStatus,
  type VerificationView,
  viewVerification
} from "../domain/Verification.ts"
import { Billing } from "./Billing.ts"
import { Codes } from "./Codes.ts"
import { CodeVault } from "./CodeVault.ts"
import { Limits } from "./Limits.ts"
import { Routing } from "./Routing.ts"
import { Settings } from "./Settings.ts"
import { Templates } from "./Templates.ts"
import { Timers } from "./Timers.ts"
import { VerificationSteps } from "./VerificationSteps.ts"
import { type ClaimedKey, VerificationStore } from "./VerificationStore.ts"
import { Workers } from "./Workers.ts"

export interface SendRequest extends RouteRequest {
  readonly customerId: number
  readonly phone: string
  readonly templateId?: number | undefined
  /** With the parsed body, which tells a repeated request from another one. */
  readonly idempotency?: { readonly key: string; readonly body: unknown } | undefined
}

export interface SendAnswer {
  readonly verificationId: string
  readonly status: "queued" | "failed"
  readonly currentAttemptChannel: ChannelDescriptor
  /** Whole seconds. */
  readonly expiresIn: number
  /** An earlier request with the same idempotency key made this verification. */
  readonly replayed: boolean
}

/** Why a request is refused before anything of it is kept. */
export type Refusal = InvalidPhone | RouteError | TemplateError | LimitError | BillingError

export type VerifyReason = "ok" | "invalid_code" | "expired" | "locked" | "failed" | "already_verified"

interface Subject {
  readonly customerId: number
  readonly id: string
}

const reasonByStatus: Record<VerificationStatus, VerifyReason> = {
  pending: "invalid_code",
  queued: "invalid_code",
  verified: "already_verified",
  failed: "failed",
  locked: "locked",
  expired: "expired"
}

const toAnswer = (
  verification: Verification,
  status: "queued" | "failed",
  replayed: boolean
): SendAnswer => ({
  verificationId: verification.id,
  status,
  currentAttemptChannel: verification.route[0].descriptor,
  expiresIn: expiresInSeconds(verification),
  replayed
})

/** One-time codes: sent, followed, verified. Live and sandbox are the same use cases over different layers. */
export class Verifications extends Context.Service<
  Verifications,
  {
    readonly send: (request: SendRequest) => Effect.Effect<SendAnswer, Refusal | IdempotencyError>
    readonly verify: (
      attempt: Subject & { readonly code: string }
    ) => Effect.Effect<{ readonly verified: boolean; readonly reason: VerifyReason }, NotFound>
    readonly status: (subject: Subject) => Effect.Effect<VerificationView, NotFound>
  }
>()("peyk/services/Verifications") {
  static readonly layer = Layer.effect(
    Verifications,
    Effect.gen(function* () {
      const settings = yield* Settings
      const random = yield* SecureRandom.SecureRandom
      const digest = yield* Digest.Digest
      const store = yield* VerificationStore
      const steps = yield* VerificationSteps
      const routing = yield* Routing
      const templates = yield* Templates
      const limits = yield* Limits
      const billing = yield* Billing
      const codes = yield* Codes
      const vault = yield* CodeVault
      const timers = yield* Timers
      const workers = yield* Workers

      const prepare = Effect.fnUntraced(function* (request: SendRequest) {
        const { customerId, templateId } = request
        const phone = yield* Effect.fromResult(parsePhone(request.phone))
        const route = yield* routing.resolve(customerId, request)
        const textBody = templateId === undefined ? null : yield* templates.codeText(customerId, templateId)
        yield* limits.admitCode({ customerId, phone })
        yield* billing.authorizeCode({ customerId, route })
        const id = yield* random.uuidV7()
        return startVerification({ id, customerId, phone, route, textBody }, yield* Clock.currentTimeMillis)
      })

      const fingerprint = (body: unknown) =>
        Effect.orDie(digest.digest(Digest.sha256, new TextEncoder().encode(canonicalJson(body))))

      const answerFor = (
        claimed: ClaimedKey,
        print: Uint8Array
      ): Effect.Effect<SendAnswer, IdempotencyError> => {
        if (!claimed.fingerprint.every((byte, index) => byte === print[index])) {
          return Effect.fail(new IdempotencyKeyConflict())
        }
        const status = sendStatus(claimed.verification)
        return status === null
          ? Effect.fail(new IdempotencyKeyInProgress())
          : Effect.succeed(toAnswer(claimed.verification, status, true))
      }

      /** The answer an earlier request with this key was given, if there was one. */
      const replay = Effect.fnUntraced(function* ({ customerId, idempotency }: SendRequest) {
        if (idempotency === undefined) return Option.none<SendAnswer>()
        const now = yield* Clock.currentTimeMillis
        const claimed = yield* store.findClaimedKey(customerId, idempotency.key, now)
        if (Option.isNone(claimed)) return Option.none<SendAnswer>()
        return Option.some(yield* answerFor(claimed.value, yield* fingerprint(idempotency.body)))
      })

      const accept = Effect.fnUntraced(function* (
        verification: Verification,
        code: string,
        request: SendRequest
      ) {
        const { id, createdAt, route } = verification
        const claim = request.idempotency
        return yield* store.accept({
          verification,
          codeHash: yield* vault.hash(id, code),
          sealedCode: route.length > 1 ? yield* vault.seal(id, code) : null,
          lease: yield* timers.newLease,
          idempotency:
            claim === undefined
              ? null
              : {
                  key: claim.key,
                  fingerprint: yield* fingerprint(claim.body),
                  expiresAt: createdAt + settings.idempotencyMillis
                }
        })
      })

      /** Accepts, and makes the first attempt. None when the idempotency key was taken. */
      const acceptAndTry = Effect.fnUntraced(function* (verification: Verification, request: SendRequest) {
        const code = yield* codes.next
        if (!(yield* accept(verification, code, request))) return Option.none<SendAnswer>()
        const tried = yield* steps.tryFirst(verification, code)
        return Option.some(toAnswer(tried, sendStatus(tried) ?? "queued", false))
      })

      const send = (request: SendRequest): Effect.Effect<SendAnswer, Refusal | IdempotencyError> =>
        prepare(request).pipe(
          Effect.matchEffect({
            onFailure: (refusal) =>
              Effect.flatMap(
                replay(request),
                Option.match({ onNone: () => Effect.fail(refusal), onSome: Effect.succeed })
              ),
            onSuccess: (verification) =>
              Effect.flatMap(
                workers.runToEnd(acceptAndTry(verification, request)),
                Option.match({ onNone: () => retryOnTakenKey(request), onSome: Effect.succeed })
              )
          })
        )

      /** The key can only vanish again by lapsing in this very moment: then the request is a new one. */
      const retryOnTakenKey = (request: SendRequest): Effect.Effect<SendAnswer, Refusal | IdempotencyError> =>
        Effect.flatMap(
          replay(request),
          Option.match({ onNone: () => Effect.suspend(() => send(request)), onSome: Effect.succeed })
        )

      const load = Effect.fnUntraced(function* ({ customerId, id }: Subject) {
        const stored = yield* store.load(customerId, id)
        if (Option.isNone(stored)) return yield* new NotFound()
        return stored.value.verification
      })

      const verify = Effect.fnUntraced(function* (attempt: Subject & { readonly code: string }) {
        const { customerId, id } = attempt
        const now = yield* Clock.currentTimeMillis
        const compared = yield* store.compareCode({
          customerId,
          id,
          codeHash: yield* vault.hash(id, foldDigits(attempt.code)),
          maxWrongCodes: codes.maxWrongCodes,
          now
        })
        if (Option.isSome(compared)) {
          const verified = compared.value.matched
          return { verified, reason: verified ? ("ok" as const) : ("invalid_code" as const) }
        }
        const verification = yield* load(attempt)
        return { verified: false, reason: reasonByStatus[effectiveStatus(verification, now)] }
      })

      const status = Effect.fnUntraced(function* (subject: Subject) {
        return viewVerification(yield* load(subject), yield* Clock.currentTimeMillis)
      })

      return Verifications.of({ send, verify, status })
    })
  )
}
