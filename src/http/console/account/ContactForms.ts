import { Effect, Result } from "effect"
import { fieldError } from "../../../domain/Errors.ts"
import { parseContactPhone } from "../../../domain/Phone.ts"
import { problem } from "../../../domain/Problem.ts"
import { chatIdProblem, readContacts } from "../../../domain/account/Contacts.ts"
import { pasted } from "../../../domain/text/PastedText.ts"
import { accountPage } from "./AccountPage.ts"
import { CHANNELS_PATH } from "./ChannelsPage.ts"
import { formAction, rerender } from "../forms/ActionForms.ts"
import { seeOther } from "../frame/Answers.ts"
import { pathId, type View } from "../frame/SignedRoutes.ts"
import { withCount, withNotice } from "../parts/Notice.ts"
import { importContacts, removeContact } from "../../../services/account/ContactActions.ts"

const MAX_CONTACTS = 1000

/** For lines of a KiB, as they are encoded in a form. */
export const MAX_CONTACTS_BYTES = MAX_CONTACTS * 1024

const pastedContacts = Effect.fnUntraced(function* (lines: string) {
  const links = yield* Effect.mapError(
    Effect.fromResult(readContacts(lines, { isHeaderOptional: true })),
    (problems) => fieldError("contacts", ...problems)
  )
  if (links.length === 0) return yield* fieldError("contacts", problem("no_contacts"))
  if (links.length > MAX_CONTACTS)
    return yield* fieldError("contacts", problem("too_many_lines", { maximum: MAX_CONTACTS }))
  return links.map(({ phone, chatId }) => ({ phone, chat_id: chatId }))
})

/** At the fields of the form for one contact, which are named apart from those of a list. */
const typedContact = Effect.fnUntraced(function* (typed: URLSearchParams) {
  const phone = typed.get("phone") ?? ""
  const chat_id = pasted(typed.get("chat_id") ?? "")
  if (Result.isFailure(parseContactPhone(phone))) return yield* fieldError("phone", problem("not_mobile"))
  if (chatIdProblem(chat_id) !== null) return yield* fieldError("chat_id", problem("not_chat_id"))
  return [{ phone, chat_id }]
})

/** Links phones to chats: one that was typed, or many that were pasted. */
export const submitContacts = (view: View, typed: URLSearchParams) =>
  Effect.gen(function* () {
    const lines = typed.get("contacts")
    const contacts = yield* lines === null ? typedContact(typed) : pastedContacts(lines)
    const link = formAction(importContacts, {
      target: pathId,
      input: () => ({ contacts }),
      done: (_, { account, imported }) =>
        seeOther(withCount(withNotice(`${CHANNELS_PATH}/${account}`, "linked"), imported))
    })
    return yield* link(view, typed)
  }).pipe(
    Effect.catch(
      rerender(view, (errors) =>
        Effect.flatMap(pathId, (id) => accountPage(view, id, { form: "contacts", errors, typed }))
      )
    )
  )

export const submitContactRemoval = (view: View, typed: URLSearchParams) =>
  Effect.flatMap(pathId, (id) =>
    formAction(removeContact, {
      target: Effect.succeed({ id, phone: typed.get("phone") ?? "" }),
      done: () => seeOther(withNotice(`${CHANNELS_PATH}/${id}`, "deleted"))
    })(view, typed)
  )
