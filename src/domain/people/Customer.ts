import { Schema } from "effect"
import type { LimitOverrides } from "./Admission.ts"
import { Channel } from "../routing/Channel.ts"
import type { Template } from "../message/Template.ts"

export const Plan = Schema.Literals(["free", "start", "business"])
export type Plan = typeof Plan.Type

export const KeyMode = Schema.Literals(["live", "test"])
export type KeyMode = typeof KeyMode.Type

/** Who a service key speaks for. */
export interface Principal {
  readonly keyId: number
  readonly customerId: number
  readonly mode: KeyMode
  /** Its own limit of requests per minute, or its customer's; null: the platform's. */
  readonly requestsPerMinute: number | null
  /** Networks (CIDR) that it may be used from; null: any. */
  readonly allowedIps: ReadonlyArray<string> | null
  /** Of the customer's set-up, the key's own fields included. */
  readonly setUpVersion: number
}

/** What an account can do, as its provider and its settings have it. */
export const AccountTraits = Schema.Struct({
  /** Whether its settings have what sending a code, or a text, needs. */
  sendsCodes: Schema.Boolean,
  sendsTexts: Schema.Boolean,
  /** The provider knows a send by its id: one whose outcome is unknown can be repeated without being sent twice. */
  deduplicates: Schema.Boolean,
  /** The provider can be asked what became of a message. */
  reportsDelivery: Schema.Boolean,
  /** Reaches only people who have met it, by the chat that began then. */
  needsContact: Schema.Boolean,
  /** The provider sends codes and texts by different means: what fails for one kind says nothing about the other. */
  restsByKind: Schema.optionalKey(Schema.Literal(true))
})
export type AccountTraits = typeof AccountTraits.Type

/** An account that sends on one channel; `shared` when the platform owns it. */
export const SendingAccount = Schema.Struct({
  id: Schema.Int,
  channel: Channel,
  provider: Schema.String,
  label: Schema.String,
  isDefault: Schema.Boolean,
  active: Schema.Boolean,
  shared: Schema.Boolean,
  ...AccountTraits.fields
})
export type SendingAccount = typeof SendingAccount.Type

/** Waiting time before the next channel, in whole seconds. */
export const WaitSeconds = Schema.Int.check(Schema.isBetween({ minimum: 45, maximum: 120 }))

/** One step of a customer's saved routing order. */
export const RoutingStep = Schema.Struct({
  channel: Channel,
  account_id: Schema.optionalKey(Schema.Int),
  wait: Schema.optionalKey(WaitSeconds),
  sender: Schema.optionalKey(Schema.Literal("shared")),
  /** The text of codes, where the request names none. */
  template_id: Schema.optionalKey(Schema.Int)
})
export type RoutingStep = typeof RoutingStep.Type

/** All that resolving a customer's route needs. */
export interface CustomerConfiguration {
  readonly customerId: number
  readonly plan: Plan
  readonly limits: LimitOverrides
  /** The site whose pages take codes out of messages by themselves (WebOTP); null for none. */
  readonly webOtpHost: string | null
  /** The customer's own accounts, active and disabled. */
  readonly accounts: ReadonlyArray<SendingAccount>
  /** The platform's shared accounts, active and disabled. */
  readonly sharedAccounts: ReadonlyArray<SendingAccount>
  /** The saved routing order; null when none is saved. */
  readonly routing: ReadonlyArray<RoutingStep> | null
  /** The templates that the saved routing order names. */
  readonly routingTemplates: ReadonlyArray<Template>
}
