import { Schema } from "effect"
import type { LimitOverrides } from "./Limits.ts"
import type { Template } from "../message/Template.ts"
import type { Locale, ReadingSites } from "../verification/CodeText.ts"
import { Channel } from "../routing/Channel.ts"
import { StepWait } from "../routing/Waits.ts"

export const Plan = Schema.Literals(["free", "start", "business"])
export type Plan = typeof Plan.Type

export const KeyMode = Schema.Literals(["live", "test"])
export type KeyMode = typeof KeyMode.Type

/** In place of a customer's id: what belongs to the platform itself. */
export const PLATFORM = 0

/** The customer that a service key represents. */
export interface Principal {
  readonly keyId: number
  readonly customerId: number
  readonly mode: KeyMode
  /** Its own limit of requests per minute, or its customer's; null: the platform's. */
  readonly requestsPerMinute: number | null
  /** Networks (CIDR) that it may be used from; null: any. */
  readonly allowedIps: ReadonlyArray<string> | null
  /** The version of the customer's set-up, including the key's own fields. */
  readonly setUpVersion: number
}

/** The abilities of an account, from its provider and its settings. */
export const AccountTraits = Schema.Struct({
  /** Whether its settings are enough to send a code, or a text. */
  sendsCodes: Schema.Boolean,
  sendsTexts: Schema.Boolean,
  /** The provider recognizes a send by its id, so a send with an unknown outcome can be repeated. */
  deduplicatesCodes: Schema.Boolean,
  deduplicatesTexts: Schema.Boolean,
  /** The provider has delivery reports. */
  reportsDelivery: Schema.Boolean,
  /** It reaches only people who contacted it, by that chat. */
  needsContact: Schema.Boolean,
  /** The provider sends codes and texts by different means: failures of one kind say nothing about the other. */
  cooldownByKind: Schema.optionalKey(Schema.Literal(true))
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
  /** The accounts that take over for it with a code, in order; absent: none. */
  standby: Schema.optionalKey(Schema.Array(Schema.Int)),
  ...AccountTraits.fields
})
export type SendingAccount = typeof SendingAccount.Type

/** Connected with settings that are too incomplete for codes and for messages. */
export const sendsNothing = ({
  sendsCodes,
  sendsTexts
}: Pick<SendingAccount, "sendsCodes" | "sendsTexts">): boolean => !sendsCodes && !sendsTexts

/** `saved`: the steps are tried as they are saved; `measured`: by what was measured of each channel. */
export const StepOrder = Schema.Literals(["saved", "measured"])
export type StepOrder = typeof StepOrder.Type

/** One step of a customer's saved routing order. */
export const RoutingStep = Schema.Struct({
  channel: Channel,
  account_id: Schema.optionalKey(Schema.Int),
  wait: Schema.optionalKey(StepWait),
  sender: Schema.optionalKey(Schema.Literal("shared")),
  /** The text of codes, if the request names no template. */
  template_id: Schema.optionalKey(Schema.Int),
  /** Never tried by itself: only if a request for the next channel names its channel. Absent: tried in its turn. */
  on_request: Schema.optionalKey(Schema.Literal(true)).annotateKey({
    description:
      "true: never tried by itself, only if a request for the next channel names it. Absent: tried in its turn."
  })
})
export type RoutingStep = typeof RoutingStep.Type

/** Everything that resolving a customer's route needs. */
export interface CustomerConfiguration extends ReadingSites {
  readonly customerId: number
  readonly plan: Plan
  readonly limits: LimitOverrides
  /** Of the Android app that reads codes out of SMS by itself; null: none. */
  readonly appHash: string | null
  /** The brand that the default text names; null: it names none. */
  readonly brand: string | null
  /** The language of the default text, if the request names none. */
  readonly locale: Locale
  /** The customer's own accounts, active and disabled. */
  readonly accounts: ReadonlyArray<SendingAccount>
  /** The platform's shared accounts, active and disabled. */
  readonly sharedAccounts: ReadonlyArray<SendingAccount>
  /** The saved routing order; null when none is saved. */
  readonly routing: ReadonlyArray<RoutingStep> | null
  /** The templates that the saved routing order names. */
  readonly routingTemplates: ReadonlyArray<Template>
}
