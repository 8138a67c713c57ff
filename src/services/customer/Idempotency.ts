import { Clock, Context, Data, Effect, Layer, Option } from "effect"
import { Digest } from "effect/crypto"
import {
  type IdempotencyError,
  IdempotencyKeyConflict,
  type IdempotencyKeyInProgress,
  ServiceUnavailable
} from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import { canonicalJson } from "../../domain/text/Fingerprints.ts"
import { Settings } from "../Settings.ts"

/**
 * The request was prepared with a key or a set-up that has changed in the store since. Nothing was written: prepare the
 * request again.
 */
export class SetUpChanged extends Data.TaggedError("SetUpChanged") {}

export const isSetUpChanged = (error: unknown): error is SetUpChanged => error instanceof SetUpChanged

/** How often a request is prepared again before it is given up. */
export const MAX_SET_UP_CHANGES = 10

/** Only a request whose key was read before can meet a set-up that has changed since: its caller reads the key again. */
export type IfKeyed<Request> = "setUpVersion" extends keyof Request ? SetUpChanged : never

/**
 * Repeats a request without a key while its customer's set-up changes, and gives up if that does not end. With a key,
 * the caller reads the key again.
 */
export const withCurrentSetUp = <A, E>(
  setUpVersion: number | undefined,
  request: Effect.Effect<A, E | SetUpChanged>
): Effect.Effect<A, E | SetUpChanged | ServiceUnavailable> =>
  setUpVersion === undefined
    ? request.pipe(
        Effect.retry({ while: isSetUpChanged, times: MAX_SET_UP_CHANGES }),
        Effect.mapError((error) => (isSetUpChanged(error) ? new ServiceUnavailable() : error))
      )
    : request

/** A request's idempotency key, with the parsed body, which distinguishes a repeated request from another one. */
export interface IdempotentRequest {
  readonly key: string
  readonly body: unknown
}

/** A request's claim on an idempotency key. */
export interface IdempotencyClaim {
  readonly key: string
  /** SHA-256 of the parsed body. */
  readonly fingerprint: Uint8Array
  readonly expiresAt: Instant
}

/** The request that an idempotency key already represents. */
export interface ClaimedKey<Subject> {
  readonly fingerprint: Uint8Array
  readonly subject: Subject
}

/** A request that creates something. */
export interface CreatingRequest {
  /** Absent: the request has no idempotency key, and every repeat creates again. */
  readonly idempotency?: IdempotentRequest | undefined
  /** The version that the request's key was read with; absent: the request has no key. */
  readonly setUpVersion?: number | undefined
}

interface Once<Response, Refusal, Subject> {
  /** None, and nothing is stored, if the key is taken. */
  readonly make: Effect.Effect<Option.Option<Response>, Refusal>
  readonly find: (key: string, now: Instant) => Effect.Effect<Option.Option<ClaimedKey<Subject>>>
  readonly replay: (subject: Subject) => Effect.Effect<Response, IdempotencyKeyInProgress>
}

const utf8 = new TextEncoder()

const equalBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, index) => byte === b[index])

/** One response per request, however often it is made with the same key. */
export class Idempotency extends Context.Service<
  Idempotency,
  {
    /** The claim to write together with the request's result; null for a request without a key. */
    readonly claim: (
      request: IdempotentRequest | undefined,
      now: Instant
    ) => Effect.Effect<IdempotencyClaim | null>
    /**
     * The result of `make`, with the customer's current set-up, or the response to the key's earlier request. A replay
     * comes before any refusal.
     */
    readonly respondOnce: <Response, Refusal, Subject>(
      request: CreatingRequest,
      once: Once<Response, Refusal | SetUpChanged, Subject>
    ) => Effect.Effect<Response, Refusal | SetUpChanged | ServiceUnavailable | IdempotencyError>
  }
>()("peyk/services/customer/Idempotency") {
  static readonly layer = Layer.effect(
    Idempotency,
    Effect.gen(function* () {
      const { idempotencyMillis } = yield* Settings
      const digest = yield* Digest.Digest

      const fingerprint = (body: unknown) => digest.digest(Digest.sha256, utf8.encode(canonicalJson(body)))

      const claim = (request: IdempotentRequest | undefined, now: Instant) =>
        request === undefined
          ? Effect.succeed(null)
          : Effect.map(fingerprint(request.body), (made): IdempotencyClaim => ({
              key: request.key,
              fingerprint: made,
              expiresAt: now + idempotencyMillis
            }))

      const replayed = Effect.fnUntraced(function* <Response, Refusal, Subject>(
        { key, body }: IdempotentRequest,
        { find, replay }: Once<Response, Refusal, Subject>
      ) {
        const claimed = yield* find(key, yield* Clock.currentTimeMillis)
        if (Option.isNone(claimed)) return Option.none<Response>()
        const { fingerprint: earlier, subject } = claimed.value
        if (!equalBytes(earlier, yield* fingerprint(body))) return yield* new IdempotencyKeyConflict()
        return Option.some(yield* replay(subject))
      })

      const makeOrReplay = <Response, Refusal, Subject>(
        request: IdempotentRequest | undefined,
        once: Once<Response, Refusal, Subject>
      ): Effect.Effect<Response, Refusal | IdempotencyError> => {
        if (request === undefined) return Effect.map(once.make, Option.getOrThrow)
        const replayOr = <E>(otherwise: () => Effect.Effect<Response, E>) =>
          Effect.flatMap(
            replayed(request, once),
            Option.match({ onNone: otherwise, onSome: (response) => Effect.succeed(response) })
          )
        return Effect.matchEffect(once.make, {
          // The key may have been revoked: check that before a replay.
          onFailure: (refusal) =>
            isSetUpChanged(refusal) ? Effect.fail(refusal) : replayOr(() => Effect.fail(refusal)),
          // A taken key that represents nothing has just lapsed: then the request is a new one.
          onSuccess: (made) =>
            Option.isSome(made) ? Effect.succeed(made.value) : replayOr(() => makeOrReplay(request, once))
        })
      }

      return Idempotency.of({
        claim,
        respondOnce: ({ idempotency, setUpVersion }, once) =>
          withCurrentSetUp(setUpVersion, makeOrReplay(idempotency, once))
      })
    })
  )
}
