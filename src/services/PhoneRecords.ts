import { Context, type Effect } from "effect"
import type { Instant } from "../domain/Instant.ts"
import type { Page, PageRequest } from "../domain/Paging.ts"
import type { Phone } from "../domain/Phone.ts"
import type { KeyMode } from "../domain/customer/Customer.ts"
import type { GuardList } from "../domain/guard/GuardSettings.ts"
import type { Channel } from "../domain/routing/Channel.ts"

/** A phone, and the newest live send to it among those that were searched. */
export interface FoundPhone {
  readonly phone: Phone
  readonly kind: "verification" | "message"
  readonly id: string
  /** The status for readers: an active code past its end is expired. */
  readonly status: string
  readonly createdAt: Instant
}

/** An account of the customer whose bot reaches a phone. */
export interface PhoneContact {
  readonly accountId: number
  readonly label: string
  readonly channel: Channel
  readonly chatId: string
  readonly linkedAt: Instant
}

/** How often a phone was sent to in an open window; windows that have ended are not shown. */
export interface PhoneUse {
  readonly kind: "code" | "message"
  readonly hourUsed: number
  readonly hourEndsAt: Instant | null
  readonly dayUsed: number
  readonly dayEndsAt: Instant | null
}

/** What one customer's own codes and messages say of a phone. Nothing in it comes from other customers. */
export interface PhoneLookup {
  /** The codes of the last 24 hours. */
  readonly codes24h: number
  /** Of the codes of the last 90 days that have ended, the share that was verified; null: none has ended. */
  readonly verifiedRate: number | null
  /** The first code or message that is still known. */
  readonly firstSeen: Instant | null
  readonly lastVerifiedAt: Instant | null
  /** A code of this customer was refused in the last 24 hours, because many customers sent to the phone. */
  readonly isBombed: boolean
  /** The list that has the phone, or its beginning. The deny list comes first. */
  readonly listed: GuardList | null
}

/** What a customer's records know of phones, beside codes, messages and requests. */
export class PhoneRecords extends Context.Service<
  PhoneRecords,
  {
    /**
     * Phones by their newest sends; one page reads a limited number of sends, and a phone can be on two pages.
     *
     * @param lastFour only phones that end with these digits
     */
    readonly list: (
      customerId: number,
      search: { readonly lastFour?: string | undefined } & PageRequest
    ) => Effect.Effect<Page<FoundPhone>>
    /** In the sandbox, of its codes and messages only: the guard and its lists are for live ones. */
    readonly lookUp: (customerId: number, mode: KeyMode, phone: Phone) => Effect.Effect<PhoneLookup>
    readonly contacts: (customerId: number, phone: Phone) => Effect.Effect<ReadonlyArray<PhoneContact>>
    readonly uses: (customerId: number, phone: Phone) => Effect.Effect<ReadonlyArray<PhoneUse>>
  }
>()("peyk/services/PhoneRecords") {}
