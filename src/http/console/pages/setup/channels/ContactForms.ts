import { Effect, Result } from "effect"
import { chatIdProblem } from "../../../../../domain/account/ChatId.ts"
import { readContacts } from "../../../../../domain/account/ContactFile.ts"
import { fieldError } from "../../../../../domain/Errors.ts"
import { parseContactPhone } from "../../../../../domain/Phone.ts"
import { Contacts } from "../../../../../services/resources/accounts/Contacts.ts"
import { pasted } from "../../../../../domain/text/PastedText.ts"
import { contactsEntry } from "../../../../../services/resources/accounts/AccountWrites.ts"
import { toLinks } from "../../../../manage/wire/SetUpWire.ts"
import { writeAs } from "../../../frame/forms/Writes.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { problem } from "../../../../../domain/Problem.ts"

const MAX_CONTACTS = 1000

/** For lines of a KiB, as they are encoded in a form. */
export const MAX_CONTACTS_BYTES = MAX_CONTACTS * 1024

const linksIn = Effect.fnUntraced(function* (lines: string) {
  const links = yield* Effect.mapError(
    Effect.fromResult(readContacts(lines, { isHeaderOptional: true })),
    (problems) => fieldError("contacts", ...problems)
  )
  if (links.length === 0) return yield* fieldError("contacts", problem("no_contacts"))
  if (links.length > MAX_CONTACTS)
    return yield* fieldError("contacts", problem("too_many_lines", { maximum: MAX_CONTACTS }))
  return links
})

const contactIn = Effect.fnUntraced(function* (typed: URLSearchParams) {
  const phone = typed.get("phone") ?? ""
  const chat_id = pasted(typed.get("chat_id") ?? "")
  if (Result.isFailure(parseContactPhone(phone))) {
    return yield* fieldError("phone", problem("not_mobile"))
  }
  if (chatIdProblem(chat_id) !== null) {
    return yield* fieldError("chat_id", problem("not_chat_id"))
  }
  return yield* Effect.fromResult(toLinks({ contacts: [{ phone, chat_id }] }))
})

/** Links phones to chats: one that was typed, or many that were pasted. Returns how many. */
export const linkContacts = Effect.fnUntraced(function* (view: View, id: number, typed: URLSearchParams) {
  const lines = typed.get("contacts")
  const links = yield* lines === null ? contactIn(typed) : linksIn(lines)
  const contacts = yield* Contacts
  return yield* writeAs(
    view,
    "contacts.import",
    Effect.map(contacts.link(view.actor.customerId, id, links), (imported) => ({
      result: imported,
      audit: contactsEntry("import", id, { imported })
    }))
  )
})

export const removeContact = Effect.fnUntraced(function* (view: View, id: number, typed: URLSearchParams) {
  const phone = yield* Effect.fromResult(parseContactPhone(typed.get("phone") ?? ""))
  const contacts = yield* Contacts
  return yield* writeAs(
    view,
    "contacts.remove",
    Effect.as(contacts.remove(view.actor.customerId, id, phone), {
      result: null,
      audit: contactsEntry("remove", id)
    })
  )
})
