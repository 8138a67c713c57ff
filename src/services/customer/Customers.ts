import { Context, type Effect } from "effect"
import type { GuardSetUp } from "../../domain/guard/Verdict.ts"
import type { CustomerConfiguration, StepOrder } from "../../domain/customer/Customer.ts"
import type { SetUpChanged } from "./Idempotency.ts"

export interface CustomerSetUp extends CustomerConfiguration {
  readonly guard: GuardSetUp
  /** How the steps of the saved routing order are ordered for a code. */
  readonly stepOrder: StepOrder
  readonly setUpVersion: number
}

/** A customer's set-up: plan, accounts, routing order. Every request reads it, so layers may cache it. */
export class Customers extends Context.Service<
  Customers,
  {
    /** For a request whose key was read with this version: the versions must match. */
    readonly configuration: (
      customerId: number,
      setUpVersion?: number
    ) => Effect.Effect<CustomerSetUp, SetUpChanged>
    /** Confirms that this is still the store's state: before a request is refused because of it. */
    readonly confirm: (setUp: CustomerSetUp) => Effect.Effect<void, SetUpChanged>
  }
>()("peyk/services/customer/Customers") {}

/** The code or message that a request is about. */
export interface Subject {
  readonly customerId: number
  readonly id: string
  /** The version that the request's key was read with; null: the request has no key. */
  readonly setUpVersion?: number | null
}
