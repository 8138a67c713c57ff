import { Effect, Redacted, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Email, GivenSecret } from "../../domain/Fields.ts"
import { RequireJson } from "../RequestGuards.ts"
import { IsPersonal } from "../RouteTable.ts"
import { REFRESH_REFUSED, SIGN_IN_REFUSED } from "../errors/CredentialTexts.ts"
import { type CodedError, documentedError, explained, orEnvelope, RequestId } from "../errors/Envelope.ts"
import type { ErrorCode } from "../errors/ErrorTable.ts"
import { originOf } from "./ManageAuth.ts"
import { TrustedProxies } from "../server/ClientAddress.ts"
import { SigningKeys } from "../../services/user/Sessions.ts"
import { type SignedIn, SignIns } from "../../services/user/SignIns.ts"
import { handlersOf } from "./Endpoints.ts"
import { respondWithResource } from "./Handlers.ts"

const SignedInResource = Schema.Struct({
  access_token: Schema.String.annotateKey({ description: "A JWT, for Authorization: Bearer." }),
  token_type: Schema.Literal("Bearer"),
  expires_in: Schema.Int.annotateKey({ description: "Seconds." }),
  refresh_token: Schema.String.annotateKey({ description: "Valid for one refresh, within 30 days." })
}).annotate({ identifier: "SignedIn" })

const Credentials = Schema.Struct({
  email: Email,
  password: GivenSecret,
  second_factor: Schema.optionalKey(Schema.NullOr(GivenSecret)).annotateKey({
    description: "A code of the user's authenticator app, or a recovery code."
  })
}).annotate({ identifier: "SignIn" })

const RefreshTokenBody = Schema.Struct({ refresh_token: GivenSecret }).annotate({
  identifier: "RefreshToken"
})

const errors = (...codes: ReadonlyArray<ErrorCode>) =>
  [...codes, "internal_error" as const, "service_unavailable" as const].map(documentedError)

export class AuthGroup extends HttpApiGroup.make("auth")
  .add(
    HttpApiEndpoint.post("signIn", "/sign-in", {
      payload: Credentials,
      success: SignedInResource,
      error: errors("unauthenticated", "second_factor_required", "too_many_sign_ins")
    })
      .annotateMerge(OpenApi.annotations({ summary: "Sign in with a password" }))
      .middleware(RequireJson),
    HttpApiEndpoint.post("refresh", "/refresh", {
      payload: RefreshTokenBody,
      success: SignedInResource,
      error: errors("unauthenticated")
    })
      .annotateMerge(
        OpenApi.annotations({ summary: "Refresh a session; a refresh token used twice ends it" })
      )
      .middleware(RequireJson),
    HttpApiEndpoint.post("signOut", "/sign-out", {
      payload: RefreshTokenBody,
      success: HttpApiSchema.Empty(204),
      error: errors()
    })
      .annotateMerge(OpenApi.annotations({ summary: "End a session" }))
      .middleware(RequireJson)
  )
  .prefix("/v1/auth")
  .annotate(IsPersonal, true)
  .annotateMerge(OpenApi.annotations({ title: "Sign-in" })) {}

const KeySet = Schema.Struct({
  keys: Schema.Array(Schema.Record(Schema.String, Schema.Unknown))
}).annotate({ identifier: "JsonWebKeySet" })

export class WellKnownGroup extends HttpApiGroup.make("well-known")
  .add(
    HttpApiEndpoint.get("jwks", "/.well-known/jwks.json", {
      success: KeySet,
      error: errors()
    }).annotateMerge(OpenApi.annotations({ summary: "The public keys of the JWTs that sign-in returns" }))
  )
  .annotateMerge(OpenApi.annotations({ title: "Well-known" })) {}

const response = ({ accessToken, refreshToken, expiresInSeconds }: SignedIn) =>
  respondWithResource({
    access_token: Redacted.value(accessToken),
    token_type: "Bearer",
    expires_in: expiresInSeconds,
    refresh_token: Redacted.value(refreshToken)
  })

const currentOrigin = Effect.gen(function* () {
  return originOf(yield* HttpServerRequest.HttpServerRequest, yield* TrustedProxies, yield* RequestId)
})

const signedIn = <R>(signIn: Effect.Effect<SignedIn, CodedError, R>, refusal: string) =>
  signIn.pipe(
    Effect.map(response),
    Effect.mapError((error) => explained(error, () => refusal)),
    orEnvelope
  )

export const AuthHandlers = handlersOf(AuthGroup, (handlers) =>
  handlers.handleAll({
    signIn: Effect.fnUntraced(function* ({ payload }) {
      const signIns = yield* SignIns
      const { email, password, second_factor: secondFactor } = payload
      const given = { email, password, secondFactor: secondFactor ?? undefined }
      return yield* signedIn(signIns.signIn(given, yield* currentOrigin), SIGN_IN_REFUSED)
    }),
    refresh: Effect.fnUntraced(function* ({ payload }) {
      const signIns = yield* SignIns
      return yield* signedIn(signIns.refresh(payload.refresh_token, yield* currentOrigin), REFRESH_REFUSED)
    }),
    signOut: Effect.fnUntraced(function* ({ payload }) {
      yield* (yield* SignIns).signOut(payload.refresh_token, yield* currentOrigin)
      return HttpServerResponse.empty({ status: 204 })
    })
  })
)

const CACHEABLE = { "cache-control": "public, max-age=300" }

export const WellKnownHandlers = handlersOf(WellKnownGroup, (handlers) =>
  handlers.handleAll({
    jwks: () =>
      Effect.map(
        SigningKeys.use(({ publicKeys }) => publicKeys),
        (keys) => HttpServerResponse.jsonUnsafe({ keys }, { headers: CACHEABLE })
      )
  })
)
