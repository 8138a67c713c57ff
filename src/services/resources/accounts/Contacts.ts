import { Context, type Effect } from "effect"
import type { ContactLink } from "../../../domain/account/Contacts.ts"
import type { Conflict, NotFound } from "../../../domain/Errors.ts"
import type { Instant } from "../../../domain/Instant.ts"
import type { Page, PageRequest } from "../../../domain/Paging.ts"
import type { Phone } from "../../../domain/Phone.ts"
import type { AccountOwner } from "./Accounts.ts"

export interface ContactRecord extends ContactLink {
  readonly linkedAt: Instant
}

/**
 * The phones that an account's bot reaches, each by a chat. A conflict where the account's provider reaches phones
 * without contacts.
 */
export class Contacts extends Context.Service<
  Contacts,
  {
    readonly list: (
      owner: AccountOwner,
      accountId: number,
      page: PageRequest
    ) => Effect.Effect<Page<ContactRecord>, NotFound>
    readonly count: (owner: AccountOwner, accountId: number) => Effect.Effect<number, NotFound | Conflict>
    /** Returns how many phones are linked. */
    readonly link: (
      owner: AccountOwner,
      accountId: number,
      links: ReadonlyArray<ContactLink>
    ) => Effect.Effect<number, NotFound | Conflict>
    /** Returns whether there was such a contact. */
    readonly remove: (
      owner: AccountOwner,
      accountId: number,
      phone: Phone
    ) => Effect.Effect<boolean, NotFound | Conflict>
  }
>()("peyk/services/resources/accounts/Contacts") {}
