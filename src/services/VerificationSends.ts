import { Clock, Context, Effect, Layer, Option } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { canonicalJson } from "../domain/CanonicalJson.ts"
import type { ChannelDescriptor } from "../domain/Channel.ts"
import {
  type BillingError,
  type IdempotencyError,
  IdempotencyKeyConflict,
  IdempotencyKeyInProgress,
  type InvalidPhone,
  type LimitError,
  type RouteError,
  type TemplateError
} from "../domain/Errors.ts"
import { parsePhone } from "../domain/Phone.ts"
import type { RouteRequest } from "../domain/Route.ts"
import { expiresInSeconds, sendStatus, startVerification, type Verification } from "../domain/Verification.ts"
import { Billing } from "./Billing.ts"
import { Codes } from "./Codes.ts"
import { CodeVault } from "./CodeVault.ts"
import { Limits } from "./Limits.ts"
import { Routing } from "./Routing.ts"
import { Settings } from "./Settings.ts"
import { Templates } from "./Templates.ts"
import { Timers } from "./Timers.ts"
import { VerificationSteps } from "./VerificationSteps.ts"
import { type ClaimedKey, type IdempotencyClaim, VerificationStore } from "./VerificationStore.ts"
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

const equalBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index])

const answerFor = (
  claimed: ClaimedKey,
  fingerprint: Uint8Array
): Effect.Effect<SendAnswer, IdempotencyError> => {
  if (!equalBytes(claimed.fingerprint, fingerprint)) return Effect.fail(new IdempotencyKeyConflict())
  const status = sendStatus(claimed.verification)
  return status === null
    ? Effect.fail(new IdempotencyKeyInProgress())
    : Effect.succeed(toAnswer(claimed.verification, status, true))
}

/** Creates verifications: accepted in one write, the first channel tried before the answer. */
export class VerificationSends extends Context.Service<
  VerificationSends,
  { readonly send: (request: SendRequest) => Effect.Effect<SendAnswer, Refusal | IdempotencyError> }
>()("peyk/services/VerificationSends") {
  static readonly layer = Layer.effect(
    VerificationSends,
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
        digest.digest(Digest.sha256, new TextEncoder().encode(canonicalJson(body)))

      /** The answer an earlier request with this key was given, if there was one. */
      const replay = Effect.fnUntraced(function* ({ customerId, idempotency }: SendRequest) {
        if (idempotency === undefined) return Option.none<SendAnswer>()
        const now = yield* Clock.currentTimeMillis
        const claimed = yield* store.findClaimedKey(customerId, idempotency.key, now)
        if (Option.isNone(claimed)) return Option.none<SendAnswer>()
        return Option.some(yield* answerFor(claimed.value, yield* fingerprint(idempotency.body)))
      })

      const claimOf = Effect.fnUntraced(function* ({ idempotency }: SendRequest, now: number) {
        if (idempotency === undefined) return null
        const claim: IdempotencyClaim = {
          key: idempotency.key,
          fingerprint: yield* fingerprint(idempotency.body),
          expiresAt: now + settings.idempotencyMillis
        }
        return claim
      })

      /** Accepts, and makes the first attempt. None when the idempotency key was taken. */
      const acceptAndTry = Effect.fnUntraced(function* (verification: Verification, request: SendRequest) {
        const { id, createdAt, route } = verification
        const code = yield* codes.next
        const timer = yield* store.accept({
          verification,
          codeHash: yield* vault.hash(id, code),
          sealedCode: route.length > 1 ? yield* vault.seal(id, code) : null,
          lease: yield* timers.newLease,
          idempotency: yield* claimOf(request, createdAt)
        })
        if (Option.isNone(timer)) return Option.none<SendAnswer>()
        const tried = yield* steps.tryFirst(timer.value, verification, code)
        return Option.some(toAnswer(tried, sendStatus(tried) ?? "queued", false))
      })

      const replayOr = <E>(request: SendRequest, otherwise: () => Effect.Effect<SendAnswer, E>) =>
        Effect.flatMap(replay(request), Option.match({ onNone: otherwise, onSome: Effect.succeed }))

      /**
       * A replay comes before any refusal, and a taken key shows in the accepting write. In between the key can only
       * have lapsed: then the request is a new one.
       */
      const send = (request: SendRequest): Effect.Effect<SendAnswer, Refusal | IdempotencyError> =>
        prepare(request).pipe(
          Effect.matchEffect({
            onFailure: (refusal) => replayOr(request, () => Effect.fail(refusal)),
            onSuccess: (verification) =>
              Effect.flatMap(
                workers.runToEnd(acceptAndTry(verification, request)),
                Option.match({
                  onNone: () => replayOr(request, () => send(request)),
                  onSome: Effect.succeed
                })
              )
          })
        )

      return VerificationSends.of({ send })
    })
  )
}
