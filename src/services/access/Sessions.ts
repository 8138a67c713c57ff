import { Context, type Effect, type Redacted } from "effect"
import type { Actor } from "../../domain/user/Actor.ts"
import type { Unauthenticated } from "../../domain/Errors.ts"

/** JWTs: of people who signed in here, or of another trusted issuer. */
export class Sessions extends Context.Service<
  Sessions,
  { readonly authenticate: (jwt: Redacted.Redacted) => Effect.Effect<Actor, Unauthenticated> }
>()("peyk/services/access/Sessions") {}
