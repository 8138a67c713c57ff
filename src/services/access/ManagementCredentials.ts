import { Context, type Effect, type Redacted } from "effect"
import type { Actor } from "../../domain/people/Actor.ts"
import type { ScopeInsufficient, Unauthenticated } from "../../domain/Errors.ts"

/** What a request to the management API shows of who it is: the parts of its headers that matter. */
export interface GivenCredential {
  /** The scheme of `Authorization`, in lower case; null where the header is missing. */
  readonly scheme: string | null
  /** What follows the scheme. */
  readonly credential: Redacted.Redacted
  /** The `X-API-Key` header; null where it is missing. */
  readonly serviceKey: Redacted.Redacted | null
}

/** Tells who manages: personal access tokens (`apikey`), and JWTs (`Bearer`), our own or another issuer's. */
export class ManagementCredentials extends Context.Service<
  ManagementCredentials,
  {
    /** A service key that is valid is not sufficient; whatever is not valid is nothing. */
    readonly authenticate: (
      given: GivenCredential
    ) => Effect.Effect<Actor, Unauthenticated | ScopeInsufficient>
  }
>()("peyk/services/access/ManagementCredentials") {}
