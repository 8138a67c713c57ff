import { Context, type Effect } from "effect"
import type {
  ChannelUnavailable,
  InvalidChannel,
  NotFound,
  PreconditionFailed,
  SharedSenderNotAllowed,
  SharedSenderUnavailable,
  TemplateError,
  ValidationError
} from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { Page, PageRequest } from "../../domain/Paging.ts"
import type { RoutingStep, StepOrder } from "../../domain/customer/Customer.ts"
import type { Actor } from "../../domain/user/Actor.ts"
import type { AuditActor } from "../activity/AuditLog.ts"

/** A customer's saved routing order; version 0 and no steps if none is saved. */
export interface SavedRouting {
  readonly order: StepOrder
  readonly steps: ReadonlyArray<RoutingStep>
  readonly version: number
}

/** An order as it was saved once, by whom and when. */
export interface RoutingVersion extends SavedRouting {
  readonly savedAt: Instant
  readonly savedBy: AuditActor | null
}

export class RoutingOrders extends Context.Service<
  RoutingOrders,
  {
    readonly find: (customerId: number) => Effect.Effect<SavedRouting>
    /** The orders that were saved, the newest first: the last hundred. */
    readonly versions: (customerId: number, page: PageRequest) => Effect.Effect<Page<RoutingVersion>>
    readonly version: (customerId: number, version: number) => Effect.Effect<RoutingVersion, NotFound>
    /** An empty list removes the order. */
    readonly save: (
      customerId: number,
      steps: ReadonlyArray<RoutingStep>,
      version: number | null,
      /** By default as saved. */
      order?: StepOrder,
      savedBy?: Pick<Actor, "kind" | "id" | "name">
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
