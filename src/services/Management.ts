import { Context, Data, type Effect, type Redacted } from "effect"
import type { ApiKeyRecord } from "../domain/ApiKey.ts"
import type { Channel } from "../domain/Channel.ts"
import type { KeyMode, Plan, RoutingStep, SendingAccount } from "../domain/Customer.ts"
import type { Template } from "../domain/Template.ts"
import type { Instant } from "../domain/Instant.ts"

export interface Customer {
  readonly id: number
  readonly name: string
  readonly plan: Plan
  /** The site whose pages take codes out of messages by themselves (WebOTP). */
  readonly webOtpHost: string | null
  readonly createdAt: Instant
}

/** What is left out stays as it is. */
export interface CustomerChange {
  readonly name?: string | undefined
  readonly plan?: Plan | undefined
  readonly webOtpHost?: string | null | undefined
}

export interface NewKey {
  readonly customerId: number
  readonly mode: KeyMode
  readonly name: string
  readonly expiresAt: Instant | null
}

export interface NewAccount {
  /** Null: the platform's own, shared. */
  readonly customerId: number | null
  readonly channel: Channel
  readonly provider: string
  readonly label: string
  readonly settings: unknown
  readonly isDefault: boolean
}

/** What was asked for cannot be done; `message` says why, for a person. */
export class ManagementError extends Data.TaggedError("ManagementError")<{ readonly message: string }> {}

/** What operators set up: customers, keys, accounts, routing, templates. */
export class Management extends Context.Service<
  Management,
  {
    readonly createCustomer: (name: string, plan: Plan) => Effect.Effect<Customer>
    readonly updateCustomer: (
      customerId: number,
      change: CustomerChange
    ) => Effect.Effect<Customer, ManagementError>
    readonly listCustomers: Effect.Effect<ReadonlyArray<Customer>>
    /** The secret is told here and never again. */
    readonly createKey: (
      key: NewKey
    ) => Effect.Effect<{ readonly record: ApiKeyRecord; readonly secret: Redacted.Redacted }, ManagementError>
    readonly listKeys: (customerId: number) => Effect.Effect<ReadonlyArray<ApiKeyRecord>, ManagementError>
    readonly revokeKey: (keyId: number) => Effect.Effect<ApiKeyRecord, ManagementError>
    readonly connectAccount: (account: NewAccount) => Effect.Effect<SendingAccount, ManagementError>
    /** A customer's accounts; the platform's shared ones for null. */
    readonly listAccounts: (
      customerId: number | null
    ) => Effect.Effect<ReadonlyArray<SendingAccount>, ManagementError>
    readonly setAccountActive: (
      accountId: number,
      active: boolean
    ) => Effect.Effect<SendingAccount, ManagementError>
    readonly saveRouting: (
      customerId: number,
      steps: ReadonlyArray<RoutingStep>
    ) => Effect.Effect<void, ManagementError>
    readonly findRouting: (
      customerId: number
    ) => Effect.Effect<ReadonlyArray<RoutingStep> | null, ManagementError>
    readonly createTemplate: (template: {
      readonly customerId: number
      readonly name: string
      readonly body: string
    }) => Effect.Effect<Template, ManagementError>
    readonly listTemplates: (customerId: number) => Effect.Effect<ReadonlyArray<Template>, ManagementError>
    readonly findTemplate: (templateId: number) => Effect.Effect<Template, ManagementError>
    readonly setTemplateActive: (
      templateId: number,
      active: boolean
    ) => Effect.Effect<Template, ManagementError>
  }
>()("peyk/services/Management") {}
