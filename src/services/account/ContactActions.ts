import { Effect, Result, Schema } from "effect"
import { type InvalidPhone, NotFound } from "../../domain/Errors.ts"
import { parseContactPhone } from "../../domain/Phone.ts"
import { problem } from "../../domain/Problem.ts"
import { check, refusing } from "../../domain/SchemaProblems.ts"
import { CHAT_ID, chatIdProblem, type ContactLink } from "../../domain/account/Contacts.ts"
import { action, NoInput } from "../Action.ts"
import { ownerOf } from "./AccountActions.ts"
import { Contacts } from "./Contacts.ts"

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
export const importContacts = action("contacts.import", {
  input: ContactList,
  target: Schema.Int,
  access: "writer",
  subject: "account",
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
  run: ({ actor, target: { id, phone } }) =>
    Effect.fromResult(parseContactPhone(phone)).pipe(
      Effect.flatMap((parsed) => Contacts.use((contacts) => contacts.remove(ownerOf(actor), id, parsed))),
      Effect.catchTag(["invalid_phone", "conflict"], () => Effect.succeed(false)),
      Effect.flatMap((removed) => (removed ? Effect.succeed({ removed }) : new NotFound()))
    ),
  audit: (details, { target: { id } }) => ({ id, details })
})
