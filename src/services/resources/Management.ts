import { Context, Data, type Effect, type Redacted } from "effect"
import type { AccountFinding } from "../../domain/account/AccountFinding.ts"
import type { LimitOverrides } from "../../domain/people/Admission.ts"
import type { ApiKeyRecord } from "../../domain/people/ApiKey.ts"
import type { Channel } from "../../domain/routing/Channel.ts"
import type { ContactLink } from "../../domain/account/ContactLink.ts"
import type { KeyMode, Plan, RoutingStep, SendingAccount } from "../../domain/people/Customer.ts"
import type { Phone } from "../../domain/Phone.ts"
import type { Template } from "../../domain/message/Template.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { Role } from "../../domain/people/Actor.ts"
import type { TokenRecord } from "../../domain/people/PersonalToken.ts"
import type { UserRecord } from "../../domain/people/User.ts"
import type { ProviderAdapter } from "../provider/ProviderAdapter.ts"
import type { CreatedToken, NewToken } from "./Tokens.ts"
import type { SigningKey } from "../access/SigningKeys.ts"

export interface Customer {
  readonly id: number
  readonly name: string
  readonly plan: Plan
  /** The site whose pages read codes by themselves (WebOTP). */
  readonly webOtpHost: string | null
  readonly createdAt: Instant
}

/** A missing field stays as it is. */
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
  /** Whether its settings can use a private network; absent: they can, as for an operator. */
  readonly allowsPrivateAddresses?: boolean
}

export interface CheckedAccount {
  readonly accountId: number
  /** Null: the platform's own, shared. */
  readonly customerId: number | null
  readonly channel: string
  readonly provider: string
  readonly label: string
  readonly finding: AccountFinding
}

/** An account's rate (null: its channel's default), and its state. */
export interface AccountState {
  readonly account: SendingAccount
  readonly gapMillis: number | null
  readonly perMinute: number | null
  /** Failures in a row. */
  readonly failures: number
  readonly coolingUntil: Instant | null
}

/** Whole rials. */
export interface Wallet {
  readonly balance: number
  readonly held: number
}

/** A wallet that does not agree with its parts; there is none, unless Peyk has a bug. */
export interface WalletDifference extends Wallet {
  readonly customerId: number
  /** The sum of the ledger, which the balance should be. */
  readonly ledger: number
  /** The sum of the sends' holds, which `held` should be. */
  readonly holds: number
}

/** Limits to override; null: the platform's again. */
export type LimitChange = { readonly [Name in keyof LimitOverrides]?: number | null }

/** The request is impossible; `message` explains why, for a person. */
export class ManagementError extends Data.TaggedError("ManagementError")<{ readonly message: string }> {}

/** The operators' set-up: customers, keys, accounts, routing, templates. */
export class Management extends Context.Service<
  Management,
  {
    readonly createCustomer: (name: string, plan: Plan) => Effect.Effect<Customer>
    readonly updateCustomer: (
      customerId: number,
      change: CustomerChange
    ) => Effect.Effect<Customer, ManagementError>
    /** The customer's own limits after the change. */
    readonly changeLimits: (
      customerId: number,
      change: LimitChange
    ) => Effect.Effect<LimitOverrides, ManagementError>
    readonly topUp: (customerId: number, amount: number) => Effect.Effect<Wallet, ManagementError>
    readonly wallet: (customerId: number) => Effect.Effect<Wallet, ManagementError>
    readonly walletDifferences: Effect.Effect<ReadonlyArray<WalletDifference>>
    readonly findCustomer: (customerId: number) => Effect.Effect<Customer, ManagementError>
    readonly listCustomers: Effect.Effect<ReadonlyArray<Customer>>
    /** The secret is shown here and never again. */
    readonly createKey: (
      key: NewKey
    ) => Effect.Effect<{ readonly record: ApiKeyRecord; readonly secret: Redacted.Redacted }, ManagementError>
    readonly listKeys: (customerId: number) => Effect.Effect<ReadonlyArray<ApiKeyRecord>, ManagementError>
    /** Requests per minute; null: the customer's, or the platform's. */
    readonly limitKey: (
      keyId: number,
      perMinute: number | null
    ) => Effect.Effect<ApiKeyRecord, ManagementError>
    readonly revokeKey: (keyId: number) => Effect.Effect<ApiKeyRecord, ManagementError>
    /** The secret is shown here and never again. */
    readonly createToken: (
      customerId: number,
      token: NewToken
    ) => Effect.Effect<CreatedToken, ManagementError>
    readonly listTokens: (customerId: number) => Effect.Effect<ReadonlyArray<TokenRecord>, ManagementError>
    readonly revokeToken: (tokenId: number) => Effect.Effect<TokenRecord, ManagementError>
    readonly createUser: (
      customerId: number,
      user: {
        readonly email: string
        readonly name: string
        readonly role: Role
        readonly password: Redacted.Redacted
      }
    ) => Effect.Effect<UserRecord, ManagementError>
    readonly listUsers: (customerId: number) => Effect.Effect<ReadonlyArray<UserRecord>, ManagementError>
    readonly setUserDisabled: (
      userId: string,
      isDisabled: boolean
    ) => Effect.Effect<UserRecord, ManagementError>
    /** Signs the user out everywhere. */
    readonly setUserPassword: (
      userId: string,
      password: Redacted.Redacted
    ) => Effect.Effect<UserRecord, ManagementError>
    /** Another key that signs JWTs from now on. */
    readonly rotateSigningKey: Effect.Effect<SigningKey>
    /** Asks its provider about an account before it is connected. */
    readonly checkNewAccount: (account: NewAccount) => Effect.Effect<AccountFinding, ManagementError>
    /** What an account of this provider still needs before it can send; null: nothing. */
    readonly sendingSettings: (provider: string) => ProviderAdapter["sendingSettings"] | null
    readonly connectAccount: (account: NewAccount) => Effect.Effect<SendingAccount, ManagementError>
    /** Asks its provider about an existing account. */
    readonly checkAccount: (accountId: number) => Effect.Effect<AccountFinding, ManagementError>
    /** Asks the providers about every account that is switched on. */
    readonly checkAccounts: Effect.Effect<ReadonlyArray<CheckedAccount>>
    /** Links phones to the chats by which a bot reaches them; returns the number of phones. */
    readonly importContacts: (
      accountId: number,
      contacts: ReadonlyArray<ContactLink>
    ) => Effect.Effect<number, ManagementError>
    readonly countContacts: (accountId: number) => Effect.Effect<number, ManagementError>
    /** Whether there was one. */
    readonly removeContact: (accountId: number, phone: Phone) => Effect.Effect<boolean, ManagementError>
    /** The path for an account's updates; a new one when it `rotates`. */
    readonly inboxPath: (accountId: number, rotates: boolean) => Effect.Effect<string, ManagementError>
    /** A customer's accounts (for null the platform's shared ones), with their rates and states. */
    readonly listAccounts: (
      customerId: number | null
    ) => Effect.Effect<ReadonlyArray<AccountState>, ManagementError>
    /** Null: the channel's default again; undefined: no change. */
    readonly limitAccount: (
      accountId: number,
      change: {
        readonly gapMillis: number | null | undefined
        readonly perMinute: number | null | undefined
      }
    ) => Effect.Effect<AccountState, ManagementError>
    readonly setAccountActive: (
      accountId: number,
      active: boolean
    ) => Effect.Effect<AccountState, ManagementError>
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
>()("peyk/services/resources/Management") {}
