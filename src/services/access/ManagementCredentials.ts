import { Context, Effect, Layer, Redacted } from "effect"
import type { Actor } from "../../domain/user/Actor.ts"
import { ScopeInsufficient, Unauthenticated } from "../../domain/Errors.ts"
import { looksLikeToken } from "../../domain/key/PersonalToken.ts"
import { ApiKeys } from "../customer/ApiKeys.ts"
import { PersonalTokens } from "./PersonalTokens.ts"
import { Sessions } from "./Sessions.ts"

/** The credential of a request to the management API: the relevant parts of its headers. */
export interface GivenCredential {
  /** The scheme of `Authorization`, in lower case; empty without one. */
  readonly scheme: string
  /** The rest of `Authorization`; null without the header. */
  readonly credential: Redacted.Redacted | null
  /** The `X-API-Key` header; null without it. */
  readonly serviceKey: Redacted.Redacted | null
}

/** Identifies the actor: by personal access tokens (`apikey` or `Bearer`), and JWTs (`Bearer`) of Peyk or another issuer. */
export class ManagementCredentials extends Context.Service<
  ManagementCredentials,
  {
    /** A valid service key is insufficient; an invalid credential is unauthenticated. */
    readonly authenticate: (
      given: GivenCredential
    ) => Effect.Effect<Actor, Unauthenticated | ScopeInsufficient>
  }
>()("peyk/services/access/ManagementCredentials") {
  static readonly layer = Layer.effect(
    ManagementCredentials,
    Effect.gen(function* () {
      const apiKeys = yield* ApiKeys
      const tokens = yield* PersonalTokens
      const sessions = yield* Sessions

      /** A valid service key, in whichever header, may not manage. */
      const refuseServiceKey = (secret: Redacted.Redacted) =>
        Effect.andThen(apiKeys.authenticate(secret), new ScopeInsufficient())

      const identify = (
        scheme: string,
        credential: Redacted.Redacted
      ): Effect.Effect<Actor, Unauthenticated> => {
        const isBearer = scheme === "bearer"
        if (scheme === "apikey" || (isBearer && looksLikeToken(Redacted.value(credential)))) {
          return tokens.authenticate(credential)
        }
        return isBearer ? sessions.authenticate(credential) : Effect.fail(new Unauthenticated())
      }

      return ManagementCredentials.of({
        authenticate: ({ scheme, credential, serviceKey }) => {
          if (credential !== null) {
            return Effect.catchTag(identify(scheme, credential), "unauthenticated", () =>
              refuseServiceKey(credential)
            )
          }
          return serviceKey === null ? Effect.fail(new Unauthenticated()) : refuseServiceKey(serviceKey)
        }
      })
    })
  )
}
