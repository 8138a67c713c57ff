import { Context, type Effect, type Redacted } from "effect"
import type { Principal } from "../../domain/people/Customer.ts"
import type { Unauthenticated } from "../../domain/Errors.ts"

/** Service keys: `svc_live_…` and `svc_test_…`. */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** Who this key speaks for, if it is known, not expired and not revoked. Notes that it was used. */
    readonly authenticate: (secret: Redacted.Redacted) => Effect.Effect<Principal, Unauthenticated>
    /** The same, as the store has it now: before a request is refused for what is remembered of its key. */
    readonly confirm: (secret: Redacted.Redacted) => Effect.Effect<Principal, Unauthenticated>
    /** The same for a key that was asked for just now; undefined where it has to be looked up, or is not active. */
    readonly recall: (secret: string) => Principal | undefined
  }
>()("peyk/services/customer/ApiKeys") {}
