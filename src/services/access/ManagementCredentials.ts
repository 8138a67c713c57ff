import { Context, type Effect, type Redacted } from "effect"
import type { Actor } from "../../domain/people/Actor.ts"
import type { ScopeInsufficient, Unauthenticated } from "../../domain/Errors.ts"

/** The credential of a request to the management API: the relevant parts of its headers. */
export interface GivenCredential {
  /** The scheme of `Authorization`, in lower case; null without the header. */
  readonly scheme: string | null
  /** What follows the scheme. */
  readonly credential: Redacted.Redacted
  /** The `X-API-Key` header; null without it. */
  readonly serviceKey: Redacted.Redacted | null
}

/** Identifies the actor: by personal access tokens (`apikey`), and JWTs (`Bearer`) of Peyk or another issuer. */
export class ManagementCredentials extends Context.Service<
  ManagementCredentials,
  {
    /** A valid service key is insufficient; an invalid credential is unauthenticated. */
    readonly authenticate: (
      given: GivenCredential
    ) => Effect.Effect<Actor, Unauthenticated | ScopeInsufficient>
  }
>()("peyk/services/access/ManagementCredentials") {}
