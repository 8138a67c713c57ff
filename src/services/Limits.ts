import { Context, Effect, Layer } from "effect"
import type { Principal } from "../domain/Customer.ts"
import type { LimitError, TooManyRequestsApiKey } from "../domain/Errors.ts"
import type { Phone } from "../domain/Phone.ts"

interface Recipient {
  readonly customerId: number
  readonly phone: Phone
}

/** Says "not now": per key, per phone. */
export class Limits extends Context.Service<
  Limits,
  {
    /** Counts one request of a key. */
    readonly admitKey: (principal: Principal) => Effect.Effect<void, TooManyRequestsApiKey>
    /** Counts one code for a phone. */
    readonly admitCode: (request: Recipient) => Effect.Effect<void, LimitError>
    /** Counts one message for a phone. */
    readonly admitMessage: (request: Recipient) => Effect.Effect<void, LimitError>
  }
>()("peyk/services/Limits") {
  /** Lets everything pass. */
  static readonly layerUnlimited = Layer.succeed(
    Limits,
    Limits.of({ admitKey: () => Effect.void, admitCode: () => Effect.void, admitMessage: () => Effect.void })
  )
}
