import { Clock, Effect, Redacted, type Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Instant } from "../../domain/Instant.ts"
import type { Actor } from "../../domain/user/Actor.ts"
import { type CodedError, orEnvelope } from "../errors/Envelope.ts"
import { CurrentActor } from "./ManageAuth.ts"
import { etagOf, expectedVersion } from "./ManageWire.ts"
import { type Action, type Call, performOnce } from "../../services/Action.ts"
import type { ManagementWrites } from "../../services/ManagementWrites.ts"
import type { IdempotentRequest } from "../../services/customer/Idempotency.ts"

/** How the management API answers an action. */
interface Face<Params, Input, Target, A, R> {
  readonly status: number
  /** The body of the response; absent: none. */
  readonly body?: (result: A, now: Instant, actor: Actor) => unknown
  /** Whether it creates or sends something: a repeat with the same Idempotency-Key gets the first response. */
  readonly isOnce?: true
  /** What a repeat gets in place of the stored body, if its content may have ended since. */
  readonly repeat?: (kept: unknown, customerId: number) => Effect.Effect<unknown, never, R>
  /** What the action changes, if that is not `:id`. */
  readonly target?: (params: Params) => Target
  /** Its input, if that is in the path and not in the body. */
  readonly input?: (params: Params) => Input
}

interface ActionRequest<Input, Params> {
  readonly params?: Params
  readonly payload?: Input | null
}

const MAX_KEY_LENGTH = 255

/** Secrets are no part of what a repeat is compared with: a stored fingerprint must not help to guess them. */
const withoutSecrets = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => !Redacted.isRedacted(value)))

const idempotencyOf = (given: string | undefined, body: object) => {
  const key = given ?? ""
  if (key.length > MAX_KEY_LENGTH) return Effect.fail<CodedError>({ _tag: "idempotency_key_too_long" })
  const request: IdempotentRequest | undefined = key === "" ? undefined : { key, body: withoutSecrets(body) }
  return Effect.succeed(request)
}

/**
 * Handlers that perform actions for who is signed in: the body is the input, `:id` the target, `If-Match` the version.
 * `R` are the services that the actions use.
 */
export const makeActionHandler = <R>() =>
  Effect.map(
    Effect.context<R | ManagementWrites>(),
    (context) =>
      <Input extends Schema.Top, Target, A, E extends CodedError, RA extends R, Params>(
        performed: Action<Input, Target, A, E, RA>,
        face: Face<Params, Input["Type"], Target, A, R>
      ) =>
      ({ params, payload }: ActionRequest<Input["Type"], Params>) =>
        Effect.gen(function* () {
          const { headers } = yield* HttpServerRequest.HttpServerRequest
          const { actor, origin } = yield* CurrentActor
          const input = face.input?.(params as Params) ?? payload ?? {}
          const target = face.target === undefined ? Object(params).id : face.target(params as Params)
          const call: Call<Input["Type"], Target> = {
            actor,
            origin,
            target,
            input,
            version: yield* expectedVersion
          }
          const key = face.isOnce === true ? headers["idempotency-key"] : undefined
          const { body, replayed, status } = yield* performOnce(performed, call, {
            status: face.status,
            idempotency: yield* idempotencyOf(key, { ...params, ...input }),
            encode: (result) =>
              Effect.map(Clock.currentTimeMillis, (now) => face.body?.(result, now, actor) ?? null)
          })
          const current =
            replayed && face.repeat !== undefined ? yield* face.repeat(body, actor.customerId) : body
          const more = { ...etagOf(current), ...(replayed ? { "idempotency-replayed": "true" } : {}) }
          return status === 204
            ? HttpServerResponse.empty({ status, headers: more })
            : HttpServerResponse.jsonUnsafe(current, { status, headers: more })
        }).pipe(orEnvelope, Effect.provideContext(context))
  )
