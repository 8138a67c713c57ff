import { Cause, Context, Effect, Layer, Option, type Redacted, Result } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import {
  IpNotAllowed,
  LiveKeyNotAllowed,
  TestKeyNotAllowed,
  type TooManyRequestsApiKey,
  type Unauthenticated
} from "../domain/Errors.ts"
import type { KeyMode, Principal } from "../domain/customer/Customer.ts"
import { keyRefusalText } from "./errors/CredentialTexts.ts"
import {
  respondWithError,
  CurrentRequestNotes,
  documentedError,
  explained,
  orEnvelope
} from "./errors/Envelope.ts"
import { schemaErrorIn } from "./errors/SchemaErrors.ts"
import { clientAddress, isInNetworks, TrustedProxies } from "./server/ClientAddress.ts"
import type { RequestNotes } from "../services/activity/RequestLog.ts"
import { CustomerRows } from "../services/customer/CustomerRows.ts"
import { isSetUpChanged, MAX_SET_UP_CHANGES, type SetUpChanged } from "../services/customer/Idempotency.ts"
import { ApiKeys } from "../services/key/Keys.ts"
import { type Allowance, KeyLimits } from "../services/key/RequestWindows.ts"

/** Why a key does not admit a request. */
type KeyRefusal =
  | Unauthenticated
  | TestKeyNotAllowed
  | LiveKeyNotAllowed
  | IpNotAllowed
  | TooManyRequestsApiKey

export interface KeyUse {
  readonly secret: Redacted.Redacted
  /** Where it is used from; null where that is not known. */
  readonly address: () => string | null
  /** Get the key's owner as soon as it is known, whether or not the key is admitted. */
  readonly notes: Pick<RequestNotes, "key">
}

interface AdmittedKey {
  readonly principal: Principal
  readonly allowance: Allowance | null
}

interface StillChanging {
  readonly _tag: "service_unavailable"
}

/** The work of a request, given its key. */
export type KeyWork<A, E, R> = (principal: Principal) => Effect.Effect<A, E | SetUpChanged, R>

const STILL_CHANGING: StillChanging = { _tag: "service_unavailable" }

/** Refusals that a change of the key may lift. */
const isChangeable = ({ _tag }: KeyRefusal): boolean =>
  _tag === "ip_not_allowed" || _tag === "too_many_requests_api_key"

/** Admits keys of one mode, or of any. */
export const makeKeyAdmission = Effect.fnUntraced(function* (mode: KeyMode | "any") {
  const apiKeys = yield* ApiKeys
  const limits = yield* KeyLimits
  const { within } = yield* CustomerRows

  const check = (use: KeyUse, { mode: given, allowedIps }: Principal): KeyRefusal | undefined => {
    if (mode !== "any" && given !== mode)
      return mode === "live" ? new TestKeyNotAllowed() : new LiveKeyNotAllowed()
    return allowedIps === null || isInNetworks(use.address(), allowedIps) ? undefined : new IpNotAllowed()
  }

  const count = (use: KeyUse, principal: Principal): Effect.Effect<AdmittedKey, KeyRefusal> => {
    use.notes.key(principal)
    const refusal = check(use, principal)
    return refusal === undefined
      ? Effect.mapEager(limits.admit(principal), (allowance) => ({ principal, allowance }))
      : Effect.fail(refusal)
  }

  /** Confirms a refusal with the key as the store has it. */
  const admitKnown = (use: KeyUse, principal: Principal): Effect.Effect<AdmittedKey, KeyRefusal> =>
    Effect.catchEager(count(use, principal), (refusal) =>
      isChangeable(refusal)
        ? Effect.flatMap(apiKeys.confirm(use.secret), (current) => count(use, current))
        : Effect.fail(refusal)
    )

  /** Reads and checks the key again. Counts the request again only if the key's limit has changed. */
  const renew = Effect.fnUntraced(function* (use: KeyUse, before: Principal) {
    const principal = yield* apiKeys.authenticate(use.secret)
    if (principal.requestsPerMinute !== before.requestsPerMinute) {
      return (yield* count(use, principal)).principal
    }
    const refusal = check(use, principal)
    return refusal === undefined ? principal : yield* refusal
  })

  /** Succeeds if the key, as the store has it, still admits requests from there. */
  const confirm = Effect.fnUntraced(function* (use: KeyUse) {
    const refusal = check(use, yield* apiKeys.confirm(use.secret))
    if (refusal !== undefined) return yield* refusal
  })

  const perform = <A, E, R>(
    use: KeyUse,
    principal: Principal,
    work: KeyWork<A, E, R>,
    triesLeft = MAX_SET_UP_CHANGES
  ): Effect.Effect<A, E | KeyRefusal | StillChanging, R> =>
    Effect.catchCause(
      // Its description is not kept while it is done.
      Effect.suspend(() => within(principal.customerId, work(principal))),
      (cause): Effect.Effect<A, E | KeyRefusal | StillChanging, R> => {
        const failed = Cause.findError(cause)
        if (Result.isFailure(failed)) return Effect.failCause(failed.failure)
        if (!isSetUpChanged(failed.success)) return Effect.fail(failed.success)
        if (triesLeft === 0) return Effect.fail(STILL_CHANGING)
        return Effect.flatMap(renew(use, principal), (current) => perform(use, current, work, triesLeft - 1))
      }
    )

  return {
    admit: (use: KeyUse) =>
      Effect.flatMap(apiKeys.authenticate(use.secret), (principal) => admitKnown(use, principal)),
    /** Admits a request whose key was recalled. */
    admitKnown,
    confirm,
    /** Does the work of an admitted request. Repeats it with the key read again while the customer's set-up changes. */
    perform
  }
})

interface KeyRequest extends Principal {
  /** Does the request's work. Repeats it with a fresh key while the customer's set-up changes. */
  readonly perform: <A, E, R>(work: KeyWork<A, E, R>) => Effect.Effect<A, E | KeyRefusal | StillChanging, R>
  /** Reads the key from the store, for work whose statements do not compare the set-up's version. */
  readonly confirm: Effect.Effect<void, KeyRefusal>
  /** For what the request log is to have of the request. */
  readonly notes: RequestNotes
}

/** The caller of the request. */
export class CurrentPrincipal extends Context.Service<CurrentPrincipal, KeyRequest>()(
  "peyk/http/ServiceKeys/CurrentPrincipal"
) {}

const security = { serviceKey: HttpApiSecurity.apiKey({ in: "header", key: "X-API-Key" }) }

const errorsOf = (...wrongMode: ReadonlyArray<"test_key_not_allowed" | "live_key_not_allowed">) => [
  documentedError("unauthenticated"),
  ...wrongMode.map((code) => documentedError(code)),
  documentedError("ip_not_allowed"),
  documentedError("too_many_requests_api_key"),
  documentedError("internal_error"),
  documentedError("service_unavailable")
]

/** The headers of the IETF draft on RateLimit. */
export const allowanceHeaders = ({ limit, remaining, resetSeconds }: Allowance) => ({
  "ratelimit-policy": `"key";q=${limit};w=60`,
  ratelimit: `"key";r=${remaining};t=${resetSeconds}`
})

/** The remaining quota of a key whose minute is used up. */
export const allowanceOf = ({ limit, retryAfterSeconds }: TooManyRequestsApiKey): Allowance => ({
  limit,
  remaining: 0,
  resetSeconds: retryAfterSeconds
})

/** Adds the headers to every response, also if the request fails. */
export const addRateLimitHeaders = (allowance: Allowance | null) =>
  allowance === null
    ? Effect.void
    : HttpEffect.appendPreResponseHandler((_request, response) =>
        Effect.succeed(HttpServerResponse.setHeaders(response, allowanceHeaders(allowance)))
      )

export const addRefusalHeaders = (error: TooManyRequestsApiKey) => addRateLimitHeaders(allowanceOf(error))

/** Statuses of requests that are refused for their form, before any statement has compared their key. */
const SHAPE_STATUSES: ReadonlySet<number> = new Set([400, 413, 415])

/** Confirms the key before a request is refused for its form: a revoked key is 401 first. */
const afterKey = <E, R>(
  work: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  confirmed: Effect.Effect<void, KeyRefusal>
) => {
  const keyFirst = (response: typeof work) =>
    Effect.matchEffect(confirmed, {
      onFailure: (error) => orEnvelope(Effect.fail(error)),
      onSuccess: () => response
    })
  return Effect.matchCauseEffect(work, {
    onSuccess: (response) => {
      const result = Effect.succeed(response)
      return SHAPE_STATUSES.has(response.status) ? keyFirst(result) : result
    },
    onFailure: (cause) => {
      const failure = Effect.failCause(cause)
      return Option.isSome(schemaErrorIn(cause)) ? keyFirst(failure) : failure
    }
  })
}

const makeAdmission = (mode: KeyMode | "any") =>
  Effect.gen(function* () {
    const keys = yield* makeKeyAdmission(mode)
    const { within } = yield* CustomerRows
    const trustedProxies = yield* TrustedProxies
    const admit: (typeof LiveKey)["Service"]["serviceKey"] = (httpEffect, { credential }) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const notes = yield* CurrentRequestNotes
        const address = () => clientAddress(request, trustedProxies)
        const use = { secret: credential, address, notes }
        return yield* Effect.matchEffect(keys.admit(use), {
          onFailure: (error) =>
            Effect.andThen(
              error._tag === "too_many_requests_api_key" ? addRefusalHeaders(error) : Effect.void,
              respondWithError(explained(error, () => keyRefusalText(request.headers, mode)))
            ),
          onSuccess: ({ principal, allowance }) =>
            Effect.andThen(
              addRateLimitHeaders(allowance),
              Effect.provideService(
                within(principal.customerId, afterKey(httpEffect, keys.confirm(use))),
                CurrentPrincipal,
                {
                  ...principal,
                  perform: (work) => keys.perform(use, principal, work),
                  confirm: keys.confirm(use),
                  notes
                }
              )
            )
        })
      })
    return { serviceKey: admit }
  })

/** Admits live keys. */
export class LiveKey extends HttpApiMiddleware.Service<LiveKey, { provides: CurrentPrincipal }>()(
  "peyk/http/ServiceKeys/LiveKey",
  { security, error: errorsOf("test_key_not_allowed") }
) {
  static readonly layer = Layer.effect(LiveKey, makeAdmission("live"))
}

/** Admits test keys. */
export class TestKey extends HttpApiMiddleware.Service<TestKey, { provides: CurrentPrincipal }>()(
  "peyk/http/ServiceKeys/TestKey",
  { security, error: errorsOf("live_key_not_allowed") }
) {
  static readonly layer = Layer.effect(TestKey, makeAdmission("test"))
}

/** Admits keys of both modes. */
export class AnyKey extends HttpApiMiddleware.Service<AnyKey, { provides: CurrentPrincipal }>()(
  "peyk/http/ServiceKeys/AnyKey",
  { security, error: errorsOf() }
) {
  static readonly layer = Layer.effect(AnyKey, makeAdmission("any"))
}
