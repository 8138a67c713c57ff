import { Layer } from "effect"
import type { AccountSlots } from "../../services/account/AccountSlots.ts"
import { Billing } from "../../services/customer/Billing.ts"
import { Limits } from "../../services/customer/Limits.ts"
import { CallRooms } from "../../services/provider/CallRooms.ts"
import { MessageDeliveries } from "../../services/message/MessageDeliveries.ts"
import { MessageMetrics } from "../../services/message/MessageMetrics.ts"
import { Messages } from "../../services/message/Messages.ts"
import { MessageSends } from "../../services/message/MessageSends.ts"
import type { Providers } from "../../services/provider/Providers.ts"
import { Routing } from "../../services/customer/Routing.ts"
import type { Templates } from "../../services/customer/Templates.ts"
import { AccountSlotsSql } from "../account/AccountSlotsSql.ts"
import { MessageStoreSql } from "../message/MessageStoreSql.ts"
import { ProvidersByAccount } from "../account/ProvidersByAccount.ts"
import { TemplatesSql } from "../message/TemplatesSql.ts"

/** Everything in which one composition of the messaging use cases can differ from another. */
export type MessageSeams =
  | Routing
  | Templates
  | Limits
  | Billing
  | AccountSlots
  | CallRooms
  | Providers
  | MessageMetrics

/** The messaging use cases with the given seams, and their store. */
export const messageGraph = <E, R>(seams: Layer.Layer<MessageSeams, E, R>) =>
  Layer.fresh(Messages.layer).pipe(
    Layer.provide(Layer.fresh(MessageSends.layer)),
    Layer.provideMerge(Layer.fresh(MessageDeliveries.layer)),
    Layer.provide(seams),
    Layer.provideMerge(MessageStoreSql)
  )

/** The customer's accounts and texts, real providers. */
export const LiveMessageSeams = Layer.mergeAll(
  Routing.layer,
  TemplatesSql,
  Limits.layer,
  Billing.layer,
  AccountSlotsSql,
  CallRooms.layer,
  ProvidersByAccount,
  MessageMetrics.layer
)

export const LiveMessages = messageGraph(LiveMessageSeams)
