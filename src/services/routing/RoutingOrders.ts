import { Context, type Effect } from "effect"
import type {
  ChannelUnavailable,
  InvalidChannel,
  PreconditionFailed,
  SharedSenderNotAllowed,
  SharedSenderUnavailable,
  TemplateError,
  ValidationError
} from "../../domain/Errors.ts"
import type { RoutingStep, StepOrder } from "../../domain/customer/Customer.ts"

/** A customer's saved routing order; version 0 and no steps if none is saved. */
export interface SavedRouting {
  readonly order: StepOrder
  readonly steps: ReadonlyArray<RoutingStep>
  readonly version: number
}

export class RoutingOrders extends Context.Service<
  RoutingOrders,
  {
    readonly find: (customerId: number) => Effect.Effect<SavedRouting>
    /** An empty list removes the order. */
    readonly save: (
      customerId: number,
      steps: ReadonlyArray<RoutingStep>,
      version: number | null,
      /** By default as saved. */
      order?: StepOrder
    ) => Effect.Effect<
      SavedRouting,
      | ChannelUnavailable
      | InvalidChannel
      | PreconditionFailed
      | ValidationError
      | SharedSenderNotAllowed
      | SharedSenderUnavailable
      | TemplateError
    >
  }
>()("peyk/services/routing/RoutingOrders") {}
