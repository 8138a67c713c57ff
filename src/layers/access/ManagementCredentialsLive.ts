import { Effect, Layer, type Redacted } from "effect"
import type { Actor } from "../../domain/people/Actor.ts"
import { ScopeInsufficient, Unauthenticated } from "../../domain/Errors.ts"
import { ApiKeys } from "../../services/customer/ApiKeys.ts"
import { ManagementCredentials } from "../../services/access/ManagementCredentials.ts"
import { PersonalTokens } from "../../services/access/PersonalTokens.ts"
import { Sessions } from "../../services/access/Sessions.ts"

export const ManagementCredentialsLive = Layer.effect(
  ManagementCredentials,
  Effect.gen(function* () {
    const apiKeys = yield* ApiKeys
    const tokens = yield* PersonalTokens
    const sessions = yield* Sessions

    /** In any header: a known credential, but not for this API. */
    const refuseServiceKey = (secret: Redacted.Redacted) =>
      Effect.andThen(apiKeys.authenticate(secret), new ScopeInsufficient())

    return ManagementCredentials.of({
      authenticate: ({ scheme, credential, serviceKey }) => {
        const orServiceKey = (actor: Effect.Effect<Actor, Unauthenticated>) =>
          Effect.catchTag(actor, "unauthenticated", () => refuseServiceKey(credential))
        if (scheme === "apikey") return orServiceKey(tokens.authenticate(credential))
        if (scheme === "bearer") return orServiceKey(sessions.authenticate(credential))
        if (scheme !== null || serviceKey === null) return Effect.fail(new Unauthenticated())
        return refuseServiceKey(serviceKey)
      }
    })
  })
)
