import { Layer } from "effect"
import type { AccountSlots } from "../services/AccountSlots.ts"
import { Billing } from "../services/Billing.ts"
import { Limits } from "../services/Limits.ts"
import { CallRooms } from "../services/CallRooms.ts"
import { MessageDeliveries } from "../services/MessageDeliveries.ts"
import { MessageMetrics } from "../services/MessageMetrics.ts"
import { Messages } from "../services/Messages.ts"
import { MessageSends } from "../services/MessageSends.ts"
import type { Providers } from "../services/Providers.ts"
import { Routing } from "../services/Routing.ts"
import type { Templates } from "../services/Templates.ts"
import { AccountSlotsSql } from "./AccountSlotsSql.ts"
import { MessageStoreSql } from "./MessageStoreSql.ts"
import { ProvidersLive } from "./ProvidersLive.ts"
import { TemplatesSql } from "./TemplatesSql.ts"

/** Everything in which one composition of the messaging use cases may differ from another. */
export type MessageSeams =
  | Routing
  | Templates
  | Limits
  | Billing
  | AccountSlots
  | CallRooms
  | Providers
  | MessageMetrics

/** The messaging use cases over the given seams. */
export const messageGraph = <E, R>(seams: Layer.Layer<MessageSeams, E, R>) =>
  Layer.fresh(Messages.layer).pipe(
    Layer.provide(Layer.fresh(MessageSends.layer)),
    Layer.provideMerge(Layer.fresh(MessageDeliveries.layer)),
    Layer.provide([MessageStoreSql, seams])
  )

/** The customer's accounts and texts, real providers. */
export const LiveMessageSeams = Layer.mergeAll(
  Routing.layer,
  TemplatesSql,
  Limits.layer,
  Billing.layer,
  AccountSlotsSql,
  CallRooms.layer,
  ProvidersLive,
  MessageMetrics.layer
)

export const LiveMessages = messageGraph(LiveMessageSeams)
