import { Context, type Effect, type Redacted } from "effect"
import type { Unauthenticated } from "../../domain/Errors.ts"
import type { Principal } from "../../domain/customer/Customer.ts"

/** Service keys: `svc_live_…` and `svc_test_…`. */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** The customer that this key represents, if the key is known, not expired and not revoked. Records its use. */
    readonly authenticate: (secret: Redacted.Redacted) => Effect.Effect<Principal, Unauthenticated>
    /** Authenticates past the cache: before a request is refused because of a cached key. */
    readonly confirm: (secret: Redacted.Redacted) => Effect.Effect<Principal, Unauthenticated>
    /** The customer of a recently used key, without a wait; undefined if it must be looked up, or is not active. */
    readonly recall: (secret: string) => Principal | undefined
  }
>()("peyk/services/key/ApiKeys") {}
