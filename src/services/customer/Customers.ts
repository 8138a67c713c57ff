import { Context, type Effect } from "effect"
import type { CustomerConfiguration } from "../../domain/people/Customer.ts"
import type { SetUpChanged } from "./SetUpChanged.ts"

export interface CustomerSetUp extends CustomerConfiguration {
  readonly setUpVersion: number
}

/** What a customer has set up: plan, accounts, routing order. Read on every request, so layers may cache it. */
export class Customers extends Context.Service<
  Customers,
  {
    /** For a request whose key was read with this version: the two have to agree. */
    readonly configuration: (
      customerId: number,
      setUpVersion?: number
    ) => Effect.Effect<CustomerSetUp, SetUpChanged>
    /** That this is still what the store has: before a request is refused for it. */
    readonly confirm: (setUp: CustomerSetUp) => Effect.Effect<void, SetUpChanged>
  }
>()("peyk/services/customer/Customers") {}
