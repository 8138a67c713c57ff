import { Context, type Effect } from "effect"
import type { AccountFinding } from "../../domain/account/AccountFinding.ts"
import type { Channel } from "../../domain/routing/Channel.ts"
import type { ContactLink } from "../../domain/account/ContactLink.ts"
import type { SendingAccount } from "../../domain/people/Customer.ts"
import type {
  ChannelUnavailable,
  Conflict,
  NotFound,
  PreconditionFailed,
  ValidationError
} from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { Page, PageRequest } from "../../domain/Paging.ts"
import type { Phone } from "../../domain/Phone.ts"

/** A connected account, with its rate (null: its channel's default), and its state. */
export interface AccountRecord extends SendingAccount {
  readonly gapMillis: number | null
  readonly perMinute: number | null
  /** Failures in a row. */
  readonly failures: number
  readonly coolingUntil: Instant | null
  readonly createdAt: Instant
  readonly version: number
}

export interface AccountRequest {
  readonly channel: Channel
  readonly provider: string
  readonly label: string
  readonly settings: unknown
  readonly isDefault: boolean
}

/** A missing field stays as it is. */
export interface AccountChange {
  readonly label?: string | undefined
  /** All of them together. */
  readonly settings?: unknown
  readonly isDefault?: boolean | undefined
  readonly active?: boolean | undefined
  readonly gapMillis?: number | null | undefined
  readonly perMinute?: number | null | undefined
}

/** A customer's own sending accounts. Those of others, and the platform's, do not exist here. */
export class Accounts extends Context.Service<
  Accounts,
  {
    readonly list: (
      customerId: number,
      page: PageRequest & { readonly channel?: Channel | undefined; readonly active?: boolean | undefined }
    ) => Effect.Effect<Page<AccountRecord>>
    readonly find: (customerId: number, id: number) => Effect.Effect<AccountRecord, NotFound>
    /** Checks the settings, and asks the provider whether the account works: outside any transaction. */
    readonly examine: (
      account: Pick<AccountRequest, "channel" | "provider" | "settings">
    ) => Effect.Effect<AccountFinding, ValidationError | ChannelUnavailable>
    readonly connect: (
      customerId: number,
      account: AccountRequest
    ) => Effect.Effect<AccountRecord, ValidationError | ChannelUnavailable>
    readonly update: (
      customerId: number,
      id: number,
      change: AccountChange,
      version: number | null
    ) => Effect.Effect<AccountRecord, NotFound | PreconditionFailed | ValidationError | Conflict>
    /** Asks the provider about an existing account. */
    readonly check: (customerId: number, id: number) => Effect.Effect<AccountFinding, NotFound>
    readonly importContacts: (
      customerId: number,
      id: number,
      contacts: ReadonlyArray<ContactLink>
    ) => Effect.Effect<number, NotFound | Conflict>
    readonly listContacts: (
      customerId: number,
      id: number,
      page: PageRequest
    ) => Effect.Effect<Page<ContactLink & { readonly linkedAt: Instant }>, NotFound>
    readonly removeContact: (customerId: number, id: number, phone: Phone) => Effect.Effect<void, NotFound>
    /** The path for the account's updates; a new one when it `rotates`. */
    readonly inboxPath: (
      customerId: number,
      id: number,
      rotates: boolean
    ) => Effect.Effect<string, NotFound | Conflict>
  }
>()("peyk/services/resources/Accounts") {}
