import { Context, Effect, Result, Schema } from "effect"
import { type Conflict, type InvalidPhone, NotFound } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { Page, PageRequest } from "../../domain/Paging.ts"
import { parseContactPhone, type Phone } from "../../domain/Phone.ts"
import { problem } from "../../domain/Problem.ts"
import { check, refusing } from "../../domain/SchemaProblems.ts"
import { CHAT_ID, chatIdProblem, type ContactLink } from "../../domain/account/Contacts.ts"
import type { Actor } from "../../domain/user/Actor.ts"
import { action, NoInput } from "../Action.ts"
import { type AccountOwner, Accounts, ownerOf } from "./Accounts.ts"

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

/** A file of the operator can have a million; a request has a bound of its own. */
export const ContactList = Schema.Struct({
  contacts: Schema.Array(
    Schema.Struct({
      phone: Schema.String,
      chat_id: Schema.Union([
        Schema.String.check(
          Schema.isPattern(CHAT_ID, refusing(problem("not_printable", { minimum: 1, maximum: 128 }))),
          check((text: string) => chatIdProblem(text) !== "rewritten", problem("not_chat_id"))
        ),
        Schema.Int
      ]).annotate({ description: "The platform's id of the chat." })
    })
  )
})

const linksOf = ({
  contacts
}: typeof ContactList.Type): Result.Result<ReadonlyArray<ContactLink>, InvalidPhone> =>
  Result.all(
    contacts.map(({ phone, chat_id }) =>
      Result.map(parseContactPhone(phone), (parsed) => ({ phone: parsed, chatId: String(chat_id) }))
    )
  )

/** Links phones to the chats by which a bot reaches them: all of them, or none. */
const accountName = (actor: Actor, id: number) =>
  Effect.map(
    Accounts.use((accounts) => accounts.find(ownerOf(actor), id)),
    ({ label }) => ({ name: label })
  )

export const importContacts = action("contacts.import", {
  input: ContactList,
  target: Schema.Int,
  access: "writer",
  subject: "account",
  before: ({ actor, target }) => accountName(actor, target),
  prepare: ({ input }) => Effect.fromResult(linksOf(input)),
  run: ({ actor, target }, links) =>
    Effect.map(
      Contacts.use((contacts) => contacts.link(ownerOf(actor), target, links)),
      (imported) => ({ account: target, imported })
    ),
  audit: ({ account, imported }) => ({ id: account, details: { imported } })
})

/** A contact by its phone, as somebody wrote it. What is no phone, and an account without contacts, has no such contact. */
export const removeContact = action("contacts.remove", {
  input: NoInput,
  target: Schema.Struct({ id: Schema.Int, phone: Schema.String }),
  access: "writer",
  subject: "account",
  before: ({ actor, target: { id } }) => accountName(actor, id),
  run: ({ actor, target: { id, phone } }) =>
    Effect.fromResult(parseContactPhone(phone)).pipe(
      Effect.flatMap((parsed) => Contacts.use((contacts) => contacts.remove(ownerOf(actor), id, parsed))),
      Effect.catchTag(["invalid_phone", "conflict"], () => Effect.succeed(false)),
      Effect.flatMap((removed) => (removed ? Effect.succeed({ removed }) : new NotFound()))
    ),
  audit: (details, { target: { id } }) => ({ id, details })
})
