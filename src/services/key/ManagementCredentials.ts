import { Context, Effect, Hash, Layer, Redacted } from "effect"
import { ScopeInsufficient, type TooManyRequestsApiKey, Unauthenticated } from "../../domain/Errors.ts"
import { looksLikeToken } from "../../domain/PersonalToken.ts"
import { type Actor, credentialOf } from "../../domain/user/Actor.ts"
import { Settings } from "../Settings.ts"
import { ApiKeys } from "./Keys.ts"
import { type Allowance, KeyWindowStore, makeRequestWindows } from "./RequestWindows.ts"
import { PersonalTokens } from "./Tokens.ts"
import { Sessions } from "../user/Sessions.ts"

/** Management requests per minute of a token or a session, over all processes. */
export class CredentialLimits extends Context.Service<
  CredentialLimits,
  {
    /** Counts one request; null if there is no limit. */
    readonly admit: (actor: Actor) => Effect.Effect<Allowance | null, TooManyRequestsApiKey>
  }
>()("peyk/services/key/ManagementCredentials/CredentialLimits") {
  static readonly layer = Layer.effect(
    CredentialLimits,
    Effect.gen(function* () {
      const { manageMinuteLimit } = yield* Settings
      const store = yield* KeyWindowStore
      const admit = yield* makeRequestWindows(store.takeOfCredential, (credential: string) =>
        Math.abs(Hash.string(credential))
      )
      return CredentialLimits.of({ admit: (actor) => admit(credentialOf(actor), manageMinuteLimit) })
    })
  )
}

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
>()("peyk/services/key/ManagementCredentials") {
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
