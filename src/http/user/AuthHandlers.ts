import { Effect, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import { REFRESH_REFUSED, SIGN_IN_REFUSED } from "../errors/CredentialTexts.ts"
import { explained, orEnvelope, RequestId } from "../errors/Envelope.ts"
import { TrustedProxies } from "../server/ClientAddress.ts"
import { originOf } from "../wire/ManageAuth.ts"
import { answerResource } from "../wire/ManageWire.ts"
import { SigningKeys } from "../../services/user/Sessions.ts"
import { type SignedIn, SignIns } from "../../services/user/SignIns.ts"

const answer = ({ accessToken, refreshToken, expiresInSeconds }: SignedIn) =>
  answerResource({
    access_token: Redacted.value(accessToken),
    token_type: "Bearer",
    expires_in: expiresInSeconds,
    refresh_token: Redacted.value(refreshToken)
  })

export const AuthHandlers = HttpApiBuilder.group(
  Api,
  "auth",
  Effect.fnUntraced(function* (handlers) {
    const signIns = yield* SignIns
    const trustedProxies = yield* TrustedProxies
    const origin = Effect.gen(function* () {
      return originOf(yield* HttpServerRequest.HttpServerRequest, trustedProxies, yield* RequestId)
    })
    return handlers.handleAll({
      signIn: ({ payload }) =>
        Effect.flatMap(origin, (from) => signIns.signIn(payload, from)).pipe(
          Effect.map(answer),
          Effect.mapError((error) => explained(error, () => SIGN_IN_REFUSED)),
          orEnvelope
        ),

      refresh: ({ payload }) =>
        Effect.flatMap(origin, (from) => signIns.refresh(payload.refresh_token, from)).pipe(
          Effect.map(answer),
          Effect.mapError((error) => explained(error, () => REFRESH_REFUSED)),
          orEnvelope
        ),

      signOut: ({ payload }) =>
        Effect.flatMap(origin, (from) => signIns.signOut(payload.refresh_token, from)).pipe(
          Effect.as(HttpServerResponse.empty({ status: 204 }))
        )
    })
  })
)

const CACHEABLE = { "cache-control": "public, max-age=300" }

export const WellKnownHandlers = HttpApiBuilder.group(
  Api,
  "well-known",
  Effect.fnUntraced(function* (handlers) {
    const { publicKeys } = yield* SigningKeys
    return handlers.handleAll({
      jwks: () =>
        Effect.map(publicKeys, (keys) => HttpServerResponse.jsonUnsafe({ keys }, { headers: CACHEABLE }))
    })
  })
)
