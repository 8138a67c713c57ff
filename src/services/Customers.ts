import { Context, type Effect } from "effect"
import type { CustomerConfiguration } from "../domain/Customer.ts"

/** What a customer has set up: plan, accounts, routing order. Read on every request, so layers may cache it. */
export class Customers extends Context.Service<
  Customers,
  {
    readonly configuration: (customerId: number) => Effect.Effect<CustomerConfiguration>
  }
>()("peyk/services/Customers") {}
