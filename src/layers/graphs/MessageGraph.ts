import { Layer } from "effect"
import type { KeyMode } from "../../domain/customer/Customer.ts"
import { AccountSlots } from "../../services/account/AccountSlots.ts"
import { Billing, Limits } from "../../services/customer/Limits.ts"
import { CallLimiters, ProviderCalls } from "../../services/provider/ProviderCalls.ts"
import { MessageBatches, type MessageBatchStore } from "../../services/message/MessageBatches.ts"
import { MessageDeliveries } from "../../services/message/MessageDeliveries.ts"
import { Messages } from "../../services/message/Messages.ts"
import { MessageSends } from "../../services/message/MessageSends.ts"
import type { MessageStore } from "../../services/message/MessageStore.ts"
import { MessageMetrics, MessageWrites } from "../../services/message/MessageWrites.ts"
import { Providers } from "../../services/provider/Providers.ts"
import { Routing } from "../../services/routing/Routing.ts"
import type { Templates } from "../../services/message/Templates.ts"
import { AccountSlotsSql } from "../account/AccountSlotsSql.ts"
import { MessageBatchStoreSql } from "../message/MessageBatchStoreSql.ts"
import { MessageStoreSql } from "../message/MessageStoreSql.ts"
import { ProvidersByAccount } from "../provider/ConnectedAccounts.ts"
import { TemplatesSql } from "../message/TemplateRecordsSql.ts"

/** Everything in which one composition of the messaging use cases can differ from another. */
export type ReplaceableMessagePorts =
  | Routing
  | Templates
  | Limits
  | Billing
  | AccountSlots
  | CallLimiters
  | Providers
  | MessageMetrics

/** The use cases of one mode's messages over the given replaceable ports, and their store. */
export const messageGraph = <E, R, E2, R2>(
  store: Layer.Layer<MessageStore | MessageBatchStore, E2, R2>,
  ports: Layer.Layer<ReplaceableMessagePorts, E, R>
) =>
  Layer.fresh(Messages.layer).pipe(
    Layer.provide(Layer.mergeAll(Layer.fresh(MessageSends.layer), Layer.fresh(MessageBatches.layer))),
    Layer.provideMerge(Layer.fresh(MessageDeliveries.layer)),
    Layer.provide([Layer.fresh(ProviderCalls.layer), Layer.fresh(MessageWrites.layer)]),
    Layer.provide(ports),
    Layer.provideMerge(store)
  )

/** The customer's accounts and texts, real providers. */
export const LiveMessagePorts = Layer.mergeAll(
  Routing.layer,
  TemplatesSql,
  Limits.layer,
  Billing.layer,
  AccountSlotsSql,
  CallLimiters.layer,
  ProvidersByAccount,
  MessageMetrics.layer
)

/** Routes of channel names only, and a provider that sends nothing. Templates are the customer's. */
const SandboxMessagePorts = Layer.mergeAll(
  Routing.layerSandbox,
  TemplatesSql,
  Limits.layerSandbox,
  Billing.layerFree,
  AccountSlots.layerUnlimited,
  CallLimiters.layerUnlimited,
  Providers.layerSandbox,
  MessageMetrics.layerNone
)

const storeOf = (mode: KeyMode) => Layer.mergeAll(MessageStoreSql(mode), MessageBatchStoreSql(mode))

export const liveMessageStore = storeOf("live")

export const MessagesLive = messageGraph(liveMessageStore, LiveMessagePorts)

export const MessagesSandbox = messageGraph(storeOf("test"), SandboxMessagePorts)
