import { Context, Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { ScopeInsufficient, type TooManyRequestsApiKey, type Unauthenticated } from "../../domain/Errors.ts"
import { type Actor, credentialOf } from "../../domain/user/Actor.ts"
import { addRateLimitHeaders, addRefusalHeaders } from "../ServiceKeys.ts"
import { managementRefusalText, splitAuthorization } from "../errors/CredentialTexts.ts"
import { respondWithError, documentedError, explained, orEnvelope, RequestId } from "../errors/Envelope.ts"
import { clientAddress, TrustedProxies } from "../server/ClientAddress.ts"
import { CustomerRows } from "../../services/customer/CustomerRows.ts"
import type { Origin } from "../../services/ManagementWrites.ts"
import {
  CredentialLimits,
  type GivenCredential,
  ManagementCredentials
} from "../../services/key/ManagementCredentials.ts"

/** The actor, and where the request comes from. */
export class CurrentActor extends Context.Service<
  CurrentActor,
  { readonly actor: Actor; readonly origin: Origin }
>()("peyk/http/manage/ManageAuth/CurrentActor") {}

const READING_METHODS = ["GET", "HEAD", "OPTIONS"]

const givenBy = ({ headers }: HttpServerRequest.HttpServerRequest): GivenCredential => {
  const { scheme, credential } = splitAuthorization(headers["authorization"])
  return {
    scheme,
    credential: credential === "" ? null : Redacted.make(credential),
    serviceKey: headers["x-api-key"] === undefined ? null : Redacted.make(headers["x-api-key"])
  }
}

const MAX_USER_AGENT = 300

/** Where a request comes from. */
export const originOf = (
  request: HttpServerRequest.HttpServerRequest,
  trustedProxies: number,
  requestId: string
): Origin => ({
  ip: clientAddress(request, trustedProxies),
  userAgent: request.headers["user-agent"]?.slice(0, MAX_USER_AGENT) ?? null,
  requestId
})

/** Checks a request's credential, its scope for the request's method, and its limit. */
export class ManageAdmission extends Context.Service<
  ManageAdmission,
  {
    readonly identify: Effect.Effect<
      CurrentActor["Service"],
      Unauthenticated | ScopeInsufficient | TooManyRequestsApiKey,
      HttpServerRequest.HttpServerRequest
    >
    /** Whether the credential of an open request still represents this actor. */
    readonly isStill: (actor: Actor, request: HttpServerRequest.HttpServerRequest) => Effect.Effect<boolean>
  }
>()("peyk/http/manage/ManageAuth/ManageAdmission") {
  static readonly layer = Layer.effect(
    ManageAdmission,
    Effect.gen(function* () {
      const credentials = yield* ManagementCredentials
      const limits = yield* CredentialLimits
      const trustedProxies = yield* TrustedProxies
      const identify = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const actor = yield* credentials.authenticate(givenBy(request))
        if (actor.scope === "read_only" && !READING_METHODS.includes(request.method)) {
          return yield* new ScopeInsufficient()
        }
        yield* limits
          .admit(actor)
          .pipe(Effect.tapError(addRefusalHeaders), Effect.flatMap(addRateLimitHeaders))
        return { actor, origin: originOf(request, trustedProxies, yield* RequestId) }
      })
      const isStill: ManageAdmission["Service"]["isStill"] = (actor, request) =>
        Effect.match(credentials.authenticate(givenBy(request)), {
          onFailure: () => false,
          onSuccess: (now) => credentialOf(now) === credentialOf(actor)
        })
      return { identify, isStill }
    })
  )
}

/**
 * Admits personal access tokens and JWTs; read-only ones only to reads.
 *
 * @effect-expect-leaking HttpServerRequest | ParsedSearchParams | RouteContext
 */
export class ManageAuth extends HttpApiMiddleware.Service<ManageAuth, { provides: CurrentActor }>()(
  "peyk/http/wire/ManageAuth",
  {
    security: {
      personalToken: HttpApiSecurity.http({ scheme: "apikey" }),
      session: HttpApiSecurity.bearer
    },
    error: [
      documentedError("unauthenticated"),
      documentedError("scope_insufficient"),
      documentedError("too_many_requests_api_key"),
      documentedError("internal_error"),
      documentedError("service_unavailable")
    ]
  }
) {
  static readonly layer = Layer.effect(
    ManageAuth,
    Effect.gen(function* () {
      const { identify } = yield* ManageAdmission
      const { within } = yield* CustomerRows
      const refuse = (error: Effect.Error<typeof identify>) =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
          respondWithError(explained(error, () => managementRefusalText(headers)))
        )
      // The headers decide, whatever the scheme. This never fails, so that no second scheme is tried.
      const admit: (typeof ManageAuth)["Service"]["personalToken"] = (httpEffect) =>
        Effect.matchEffect(identify, {
          onFailure: refuse,
          onSuccess: (current) =>
            within(current.actor.customerId, Effect.provideService(httpEffect, CurrentActor, current))
        })
      return { personalToken: admit, session: admit }
    })
  )
}

export const MANAGEMENT_PATH = "/v1/manage/"

/** `OPTIONS` under /v1/manage, for credentials that may read. */
export const ManageOptions = Layer.unwrap(
  Effect.map(ManageAdmission, ({ identify }) =>
    HttpRouter.add(
      "OPTIONS",
      `${MANAGEMENT_PATH}*`,
      orEnvelope(Effect.as(identify, HttpServerResponse.empty()))
    )
  )
)
