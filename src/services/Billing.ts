import { Context, Effect, Layer } from "effect"
import type { BillingError } from "../domain/Errors.ts"
import type { Strategy } from "../domain/Message.ts"
import type { MessageRoute } from "../domain/MessageRoute.ts"
import type { Route } from "../domain/Route.ts"

/** Says "not for that price": quota and wallet. */
export class Billing extends Context.Service<
  Billing,
  {
    /** Whether the customer may have a code sent over this route. */
    readonly authorizeCode: (request: {
      readonly customerId: number
      readonly route: Route
    }) => Effect.Effect<void, BillingError>
    /** Whether the customer may have a message sent over one of these accounts, or over all of them. */
    readonly authorizeMessage: (request: {
      readonly customerId: number
      readonly strategy: Strategy
      readonly route: MessageRoute
    }) => Effect.Effect<void, BillingError>
  }
>()("peyk/services/Billing") {
  /** Charges nothing. */
  static readonly layerFree = Layer.succeed(
    Billing,
    Billing.of({ authorizeCode: () => Effect.void, authorizeMessage: () => Effect.void })
  )
}
