import { Context, Effect, Layer, Option } from "effect"
import {
  type IdempotencyError,
  IdempotencyKeyInProgress,
  type ServiceUnavailable
} from "../../domain/Errors.ts"
import { isAnswered, type Verification } from "../../domain/verification/Verification.ts"
import { Workers } from "../concurrency/Workers.ts"
import { Idempotency } from "../customer/Idempotency.ts"
import type { SetUpChanged } from "../customer/SetUpChanged.ts"
import { Guard } from "../guard/Guard.ts"
import { ClientHashes } from "./ClientHashes.ts"
import { makeAccept } from "./sending/AcceptedSends.ts"
import { makePrepare } from "./sending/PreparedSends.ts"
import { type Refusal, type SendAnswer, type SendRequest, toAnswer } from "./sending/SendRequest.ts"
import { VerificationStore } from "./VerificationStore.ts"

/** Creates verifications: accepted in one write, the first channel tried before the response. */
export class VerificationSends extends Context.Service<
  VerificationSends,
  {
    readonly send: (
      request: SendRequest
    ) => Effect.Effect<SendAnswer, Refusal | IdempotencyError | SetUpChanged | ServiceUnavailable>
  }
>()("peyk/services/verification/VerificationSends") {
  static readonly layer = Layer.effect(
    VerificationSends,
    Effect.gen(function* () {
      const idempotency = yield* Idempotency
      const store = yield* VerificationStore
      const hashes = yield* ClientHashes
      const workers = yield* Workers
      const guard = yield* Guard
      const prepare = yield* makePrepare
      const accept = yield* makeAccept

      const make = (request: SendRequest) =>
        Effect.flatMap(prepare(request), (prepared) => {
          const giveBack = Effect.sync(() => guard.giveBack(prepared.taken))
          const made = accept(prepared, request)
          return workers.runToEnd(
            made.pipe(
              Effect.tapError(() => giveBack),
              Effect.tap((answer) => (Option.isNone(answer) ? giveBack : Effect.void))
            )
          )
        })

      /** During the first attempt there is no response yet. */
      const replay = (verification: Verification) =>
        isAnswered(verification)
          ? Effect.succeed(toAnswer(verification, true))
          : Effect.fail(new IdempotencyKeyInProgress())

      /** Details of the client distinguish requests too, by the hashes that may be stored. */
      const comparedByHashes = (request: SendRequest): SendRequest => {
        const { client, idempotency: given } = request
        if (client === undefined || given === undefined) return request
        const body = { request: given.body, client: hashes.of(client) }
        return { ...request, idempotency: { key: given.key, body } }
      }

      const send = (request: SendRequest) =>
        idempotency.answerOnce(request, {
          make: make(request),
          find: (key, now) => store.findClaimedKey(request.customerId, key, now),
          replay
        })

      return VerificationSends.of({ send: (request) => send(comparedByHashes(request)) })
    })
  )
}
