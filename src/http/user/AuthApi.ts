import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Email, GivenSecret } from "../../domain/Fields.ts"
import { RequireJson } from "../RequestGuards.ts"
import { documentedError } from "../errors/Envelope.ts"
import type { ErrorCode } from "../errors/ErrorTable.ts"

const SignedInResource = Schema.Struct({
  access_token: Schema.String.annotateKey({ description: "A JWT, for Authorization: Bearer." }),
  token_type: Schema.Literal("Bearer"),
  expires_in: Schema.Int.annotateKey({ description: "Seconds." }),
  refresh_token: Schema.String.annotateKey({ description: "Valid for one refresh, within 30 days." })
}).annotate({ identifier: "SignedIn" })

const Credentials = Schema.Struct({ email: Email, password: GivenSecret }).annotate({ identifier: "SignIn" })

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
      error: errors("unauthenticated", "too_many_sign_ins")
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
