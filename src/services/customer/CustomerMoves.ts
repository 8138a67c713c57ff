import { Context, type Effect, Schema } from "effect"
import { action, NoTarget } from "../Action.ts"

/** Why a customer cannot be moved. */
export class MoveRefused extends Schema.TaggedError<MoveRefused>()("MoveRefused", {
  message: Schema.String
}) {}

/** Moves the sends of a customer to another cell, while it sends. Each step can be repeated after a crash. */
export class CustomerMoves extends Context.Service<
  CustomerMoves,
  {
    /**
     * Begins a move to this cell (0: the store's own schema), or goes on with it, and copies the customer's rows, unless
     * that move was switched already, or the customer is there.
     */
    readonly copy: (
      customerId: number,
      cell: number
    ) => Effect.Effect<"copied" | "switched" | "there", MoveRefused>
    /** Copies what was written meanwhile, and lets the customer send from there; in one transaction. */
    readonly switch: (customerId: number) => Effect.Effect<void>
    /** Deletes the former rows, once no process looks for the customer there. */
    readonly clear: (customerId: number) => Effect.Effect<void>
  }
>()("peyk/services/customer/CustomerMoves") {}

/** The rows have been copied; the rest takes a moment, during which the customer's writes wait. */
export const switchCustomer = action("customer.move", {
  input: Schema.Struct({ cell: Schema.Int }),
  target: NoTarget,
  access: "operator",
  run: ({ actor: { customerId } }) => CustomerMoves.use((moves) => moves.switch(customerId)),
  audit: (_, { actor: { customerId }, input: { cell } }) => ({ id: customerId, details: { cell } })
})
