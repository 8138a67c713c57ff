import { Context, type Effect } from "effect"
import type {
  ChannelUnavailable,
  Conflict,
  NotFound,
  PreconditionFailed,
  ValidationError
} from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { Page, PageRequest } from "../../domain/Paging.ts"
import type { AccountFinding, AccountState, LastError } from "../../domain/account/AccountState.ts"
import type { SendingAccount } from "../../domain/customer/Customer.ts"
import type { Phone } from "../../domain/Phone.ts"
import type { ProviderOutcome } from "../../domain/ProviderOutcome.ts"
import type { Channel } from "../../domain/routing/Channel.ts"
import type { ProviderAdapter } from "../provider/ProviderAdapter.ts"

/** A connected account, with its rate (null: its channel's default), and its state. */
export interface AccountRecord extends SendingAccount {
  readonly gapMillis: number | null
  readonly perMinute: number | null
  /** Failures in a row. */
  readonly failures: number
  readonly coolingUntil: Instant | null
  /** Null: none since its settings were changed. */
  readonly lastError: LastError | null
  readonly createdAt: Instant
  readonly version: number
}

/** The settings with which an account is connected to its provider. */
export interface AccountConnection {
  readonly channel: Channel
  readonly provider: string
  readonly settings: unknown
  readonly isDefault?: boolean
  /** Whether the settings may lead into a private network; absent: what this installation allows its customers. */
  readonly allowsPrivateAddresses?: boolean
}

export interface NewAccount extends AccountConnection {
  readonly label: string
  readonly isDefault: boolean
  /** The earlier answer of its provider; kept as its last check. */
  readonly finding?: AccountFinding | undefined
}

/** A missing field stays as it is. */
export interface AccountChange {
  readonly label?: string | undefined
  /** Replaces all settings. */
  readonly settings?: unknown
  /** Whether the settings may lead into a private network; absent: what this installation allows its customers. */
  readonly allowsPrivateAddresses?: boolean
  /** The provider's answer to the new settings; kept as its last check. */
  readonly finding?: AccountFinding | undefined
  readonly isDefault?: boolean | undefined
  readonly active?: boolean | undefined
  readonly gapMillis?: number | null | undefined
  readonly perMinute?: number | null | undefined
  /** The accounts that take over with a code, in order; empty: none. */
  readonly standby?: ReadonlyArray<number> | undefined
}

export interface CheckedAccount {
  readonly accountId: number
  readonly owner: AccountOwner
  readonly channel: string
  readonly provider: string
  readonly label: string
  readonly finding: AccountFinding
}

/** A customer's id; null: the platform, whose accounts are shared. */
export type AccountOwner = number | null

/** Sending accounts, by their owner. Those of another owner do not exist for it. */
export class Accounts extends Context.Service<
  Accounts,
  {
    readonly list: (
      owner: AccountOwner,
      page: PageRequest & { readonly channel?: Channel | undefined; readonly active?: boolean | undefined }
    ) => Effect.Effect<Page<AccountRecord>>
    readonly find: (owner: AccountOwner, id: number) => Effect.Effect<AccountRecord, NotFound>
    readonly ownerOf: (id: number) => Effect.Effect<AccountOwner, NotFound>
    /**
     * The settings without which an account of this provider connects but cannot send codes, or texts; undefined if it
     * always can; null: there is no such provider.
     */
    readonly sendingSettings: (provider: string) => ProviderAdapter["sendingSettings"] | null
    /** Checks the settings, and asks the provider whether the account works: outside any transaction. */
    readonly examine: (
      owner: AccountOwner,
      account: AccountConnection
    ) => Effect.Effect<AccountFinding, ValidationError | ChannelUnavailable>
    readonly connect: (
      owner: AccountOwner,
      account: NewAccount
    ) => Effect.Effect<AccountRecord, ValidationError | ChannelUnavailable>
    /** @param version the one that is to be changed; null: whatever it is */
    readonly update: (
      owner: AccountOwner,
      id: number,
      change: AccountChange,
      version: number | null
    ) => Effect.Effect<AccountRecord, NotFound | PreconditionFailed | ValidationError>
    /**
     * Removes the account with its contacts, unless something still needs it. History keeps its label.
     *
     * @param version the one that is to be removed; null: whatever it is
     */
    readonly remove: (
      owner: AccountOwner,
      id: number,
      version: number | null
    ) => Effect.Effect<void, NotFound | PreconditionFailed | Conflict>
    /** Asks the provider about an existing account, and keeps the answer as its last check. */
    readonly check: (owner: AccountOwner, id: number) => Effect.Effect<AccountFinding, NotFound>
    /** Sends a code that no verification waits for, over an account that need not be stored: outside any transaction. */
    readonly tryConnection: (
      account: AccountConnection,
      phone: Phone
    ) => Effect.Effect<ProviderOutcome, ValidationError | ChannelUnavailable>
    /** Sends a code that no verification waits for, over an existing account. */
    readonly tryAccount: (
      owner: AccountOwner,
      id: number,
      phone: Phone
    ) => Effect.Effect<ProviderOutcome, NotFound>
    /** Asks the providers about every account that is switched on. */
    readonly checkAll: Effect.Effect<ReadonlyArray<CheckedAccount>>
    /** Asks for the credit of every active account whose provider reports it, and stores it. */
    readonly noteCredits: Effect.Effect<void>
    /** The path for the account's updates; a new one when it `rotates`. */
    readonly inboxPath: (
      owner: AccountOwner,
      id: number,
      rotates: boolean
    ) => Effect.Effect<string, NotFound | Conflict>
  }
>()("peyk/services/account/Accounts") {}

/** The current states of sending accounts, for people who watch them. */
export class AccountStates extends Context.Service<
  AccountStates,
  {
    /** By id; of these accounts those that the owner has, or may use because they are shared. */
    readonly read: (
      owner: AccountOwner,
      ids: ReadonlyArray<number>,
      now: Instant
    ) => Effect.Effect<ReadonlyMap<number, AccountState>>
  }
>()("peyk/services/account/Accounts/AccountStates") {}
