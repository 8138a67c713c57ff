import { Context, type Effect, type Redacted } from "effect"
import type { Principal } from "../domain/Customer.ts"
import type { Unauthenticated } from "../domain/Errors.ts"

/** Service keys: `svc_live_…` and `svc_test_…`. */
export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** Who this key speaks for, if it is known, not expired and not revoked. Notes that it was used. */
    readonly authenticate: (secret: Redacted.Redacted) => Effect.Effect<Principal, Unauthenticated>
  }
>()("peyk/services/ApiKeys") {}
