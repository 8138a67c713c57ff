import { Context, type Effect, type Redacted } from "effect"
import type { Actor } from "../../domain/user/Actor.ts"
import type { Unauthenticated } from "../../domain/Errors.ts"

/** Personal access tokens: `svc_pat_…`. */
export class PersonalTokens extends Context.Service<
  PersonalTokens,
  {
    /** The actor that this token represents, if the token is known, not expired and not revoked. Records its use. */
    readonly authenticate: (secret: Redacted.Redacted) => Effect.Effect<Actor, Unauthenticated>
  }
>()("peyk/services/access/PersonalTokens") {}
