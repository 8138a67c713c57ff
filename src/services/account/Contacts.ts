import { Context, type Effect } from "effect"
import type { Conflict, NotFound } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { Page, PageRequest } from "../../domain/Paging.ts"
import type { Phone } from "../../domain/Phone.ts"
import type { ContactLink } from "../../domain/account/Contacts.ts"
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
>()("peyk/services/account/Contacts") {}

/** How bots reach phones: for each account, the chat that began when a person contacted it. */
export class ContactLinks extends Context.Service<
  ContactLinks,
  {
    readonly chatOf: (accountId: number, phone: Phone) => Effect.Effect<string | null>
    /** Links each phone to its chat, in place of its previous link; returns the number of phones. */
    readonly link: (
      accountId: number,
      links: ReadonlyArray<ContactLink>,
      now: Instant
    ) => Effect.Effect<number>
    /**
     * That person shared their number: the chat reaches it, and no number that it reached before. It does not replace
     * another chat's link, unless the number `isProven` to be theirs.
     */
    readonly linkOwn: (
      accountId: number,
      link: ContactLink & { readonly isProven: boolean },
      now: Instant
    ) => Effect.Effect<boolean>
    /** That person left: no phone linked to the chat can be reached any more. */
    readonly unlinkChat: (accountId: number, chatId: string) => Effect.Effect<void>
    readonly isLinked: (accountId: number, chatId: string) => Effect.Effect<boolean>
  }
>()("peyk/services/account/Contacts/ContactLinks") {}
