import { Context, Effect, Layer } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import type { KeyMode, Principal } from "../domain/Customer.ts"
import {
  IpNotAllowed,
  LiveKeyNotAllowed,
  TestKeyNotAllowed,
  type TooManyRequestsApiKey
} from "../domain/Errors.ts"
import { ApiKeys } from "../services/ApiKeys.ts"
import { KeyLimits } from "../services/KeyLimits.ts"
import type { Allowance } from "../services/RequestWindows.ts"
import { isInNetworks } from "./AllowedNetworks.ts"
import { clientAddress, TrustedProxies } from "./ClientAddress.ts"
import { documentedError, orEnvelope } from "./Envelope.ts"

/** Who makes the request. */
export class CurrentPrincipal extends Context.Service<CurrentPrincipal, Principal>()(
  "peyk/http/ServiceKeys/CurrentPrincipal"
) {}

const security = { serviceKey: HttpApiSecurity.apiKey({ in: "header", key: "X-API-Key" }) }

const errorsOf = (wrongMode: "test_key_not_allowed" | "live_key_not_allowed") => [
  documentedError("unauthenticated"),
  documentedError(wrongMode),
  documentedError("ip_not_allowed"),
  documentedError("too_many_requests_api_key"),
  documentedError("internal_error"),
  documentedError("service_unavailable")
]

/** Admits live keys. */
export class LiveKey extends HttpApiMiddleware.Service<LiveKey, { provides: CurrentPrincipal }>()(
  "peyk/http/LiveKey",
  { security, error: errorsOf("test_key_not_allowed") }
) {}

/** Admits test keys. */
export class TestKey extends HttpApiMiddleware.Service<TestKey, { provides: CurrentPrincipal }>()(
  "peyk/http/TestKey",
  { security, error: errorsOf("live_key_not_allowed") }
) {}

/** IETF draft, RateLimit headers. */
export const allowanceHeaders = ({ limit, remaining, resetSeconds }: Allowance) => ({
  "ratelimit-policy": `"key";q=${limit};w=60`,
  ratelimit: `"key";r=${remaining};t=${resetSeconds}`
})

/** What is left to a key whose minute is used up. */
export const allowanceOf = ({ limit, retryAfterSeconds }: TooManyRequestsApiKey): Allowance => ({
  limit,
  remaining: 0,
  resetSeconds: retryAfterSeconds
})

/** On whatever is answered, also where nothing but the request's failure is left. */
export const tellAllowance = (allowance: Allowance | null) =>
  allowance === null
    ? Effect.void
    : HttpEffect.appendPreResponseHandler((_request, response) =>
        Effect.succeed(HttpServerResponse.setHeaders(response, allowanceHeaders(allowance)))
      )

export const tellRefusal = (error: TooManyRequestsApiKey) => tellAllowance(allowanceOf(error))

const checkAddress = ({ allowedIps }: Principal, trustedProxies: number) =>
  allowedIps === null
    ? Effect.void
    : Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        isInNetworks(clientAddress(request, trustedProxies), allowedIps)
          ? Effect.void
          : Effect.fail(new IpNotAllowed())
      )

const makeAdmission = (mode: KeyMode) =>
  Effect.gen(function* () {
    const apiKeys = yield* ApiKeys
    const limits = yield* KeyLimits
    const trustedProxies = yield* TrustedProxies
    const wrongMode = () => (mode === "live" ? new TestKeyNotAllowed() : new LiveKeyNotAllowed())
    const admit: (typeof LiveKey)["Service"]["serviceKey"] = (httpEffect, { credential }) =>
      apiKeys.authenticate(credential).pipe(
        Effect.filterOrFail((principal) => principal.mode === mode, wrongMode),
        Effect.tap((principal) => checkAddress(principal, trustedProxies)),
        Effect.tap((principal) =>
          limits.admit(principal).pipe(Effect.tapError(tellRefusal), Effect.flatMap(tellAllowance))
        ),
        Effect.matchEffect({
          onFailure: (error) => orEnvelope(Effect.fail(error)),
          onSuccess: (principal) => Effect.provideService(httpEffect, CurrentPrincipal, principal)
        })
      )
    return { serviceKey: admit }
  })

export const LiveKeyLive = Layer.effect(LiveKey, makeAdmission("live"))
export const TestKeyLive = Layer.effect(TestKey, makeAdmission("test"))
