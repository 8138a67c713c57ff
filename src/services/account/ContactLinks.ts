import { Context, type Effect } from "effect"
import type { ContactLink } from "../../domain/account/Contacts.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { Phone } from "../../domain/Phone.ts"

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
>()("peyk/services/account/ContactLinks") {}
