import { Effect, Result } from "effect"
import { fieldError } from "../../../domain/Errors.ts"
import { parseContactPhone } from "../../../domain/Phone.ts"
import { problem } from "../../../domain/Problem.ts"
import { SimulatedOutcome } from "../../../domain/ProviderOutcome.ts"
import { type AccountFinding, checkResultOf } from "../../../domain/account/AccountState.ts"
import { chatIdProblem, MAX_CONTACTS, readContacts } from "../../../domain/account/Contacts.ts"
import { sendsNothing } from "../../../domain/customer/Customer.ts"
import { pasted } from "../../../domain/text/PastedText.ts"
import { accountPage } from "./AccountPage.ts"
import { chosen, type Refused } from "./AccountParts.ts"
import { CHANNELS_PATH } from "./ChannelsPage.ts"
import { bySetting, inputName, removalName } from "./SettingInputs.ts"
import { formAction, rerender } from "../forms/ActionForms.ts"
import type { FieldErrors } from "../forms/FormFields.ts"
import { submittedNumber } from "../forms/Forms.ts"
import { seeOther } from "../frame/Responses.ts"
import { pathId, type View } from "../frame/SignedRoutes.ts"
import { type NoticeKey, withCount, withNotice } from "../parts/Notice.ts"
import {
  Accounts,
  changeAccount,
  type Examined,
  forceOutcome,
  removeAccount,
  rotateInbox,
  setStandby
} from "../../../services/account/Accounts.ts"
import { importContacts, removeContact } from "../../../services/account/Contacts.ts"
import { ProviderAdapters } from "../../../services/provider/ProviderAdapter.ts"
import { settingFields, typedSettings } from "../../../services/provider/SettingFields.ts"

const backTo = (id: number, key: NoticeKey) => seeOther(withNotice(`${CHANNELS_PATH}/${id}`, key))

/** A refused form, on the page of its account. */
const again = (form: Refused["form"]) => (view: View, submitted: URLSearchParams, errors: FieldErrors) =>
  Effect.flatMap(pathId, (id) => accountPage(view, id, { form, errors, submitted }))

/** What the page says of settings that were saved: nothing good of an account that cannot send, or may not. */
export const savedNotice = <Verb extends "created" | "saved">(
  verb: Verb,
  { account, finding }: Examined
): Verb | `${Verb}_incomplete` | `${Verb}_not_reached` => {
  if (sendsNothing(account)) return `${verb}_incomplete`
  return finding?._tag === "NotReached" ? `${verb}_not_reached` : verb
}

/** What the page says of a check. */
export const checkedNotice = (finding: AccountFinding): NoticeKey =>
  `checked_${checkResultOf(finding).result}`

/** The typed settings of a provider's account, and whether the provider is to be asked. */
export const submittedConnection = Effect.fnUntraced(function* (
  provider: string,
  submitted: URLSearchParams
) {
  const adapter = (yield* ProviderAdapters).get(provider)
  const fields = adapter === undefined ? [] : settingFields(adapter.settings)
  const settings = typedSettings(fields, (name) => submitted.get(inputName(name)))
  return { fields, input: { settings, check: submitted.has("check") } }
})

/** The label, and the pace. */
export const submitDetails = formAction(changeAccount, {
  target: pathId,
  input: (submitted) => ({
    label: submitted.get("label")?.trim(),
    gap_ms: submittedNumber(submitted.get("gap_ms")),
    per_minute: submittedNumber(submitted.get("per_minute"))
  }),
  done: (_, { account }) => backTo(account.id, "saved"),
  again: again("details")
})

/** Some other settings: what was left empty stays, and what was ticked goes. */
export const submitSettings = Effect.fnUntraced(function* (view: View, submitted: URLSearchParams) {
  const id = yield* pathId
  const { provider } = yield* (yield* Accounts).find(view.actor.customerId, id)
  const { fields, input } = yield* submittedConnection(provider, submitted)
  const removed = fields.flatMap(({ name }) =>
    submitted.has(removalName(name)) ? [[name, null] as const] : []
  )
  const settings_change = { ...Object.fromEntries(removed), ...input.settings }
  const save = formAction(changeAccount, {
    target: pathId,
    input: () => ({ settings_change, check: input.check }),
    done: (_, saved) => backTo(id, savedNotice("saved", saved))
  })
  return yield* save(view, submitted).pipe(
    Effect.mapError(bySetting(fields)),
    Effect.catch(rerender(view, (errors) => again("settings")(view, submitted, errors)))
  )
})

export const submitStandby = formAction(setStandby, {
  target: pathId,
  input: (submitted) => ({ account_ids: chosen(submitted) }),
  done: (_, { id }) => backTo(id, "saved"),
  again: again("standby")
})

const changeButton = (input: { readonly default?: true; readonly active?: boolean }, key: NoticeKey) =>
  formAction(changeAccount, {
    target: pathId,
    input: () => input,
    done: (_, { account }) => backTo(account.id, key)
  })

export const makeDefault = changeButton({ default: true }, "saved")
export const enableAccount = changeButton({ active: true }, "enabled")
export const disableAccount = changeButton({ active: false }, "disabled")

export const checkAccount = Effect.fnUntraced(function* (view: View) {
  const id = yield* pathId
  const finding = yield* (yield* Accounts).check(view.actor.customerId, id)
  return backTo(id, checkedNotice(finding))
})

export const submitRemoval = formAction(removeAccount, {
  target: pathId,
  done: () => seeOther(withNotice(CHANNELS_PATH, "deleted"))
})

export const submitInboxRotation = formAction(rotateInbox, {
  target: pathId,
  done: (_, { account }) => backTo(account, "saved")
})

const outcomeIn = (text: string | null): SimulatedOutcome | null =>
  SimulatedOutcome.literals.find((outcome) => outcome === text) ?? null

/** Both the account's page and the simulator's have its buttons. */
export const submitOutcome = formAction(forceOutcome, {
  target: pathId,
  input: (submitted) => ({ outcome: outcomeIn(submitted.get("outcome")) }),
  done: (_, id, submitted) =>
    submitted.get("back") === "simulator" ? seeOther("/simulator") : backTo(id, "saved")
})

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
const submittedContact = Effect.fnUntraced(function* (submitted: URLSearchParams) {
  const phone = submitted.get("phone") ?? ""
  const chat_id = pasted(submitted.get("chat_id") ?? "")
  if (Result.isFailure(parseContactPhone(phone))) return yield* fieldError("phone", problem("not_mobile"))
  if (chatIdProblem(chat_id) !== null) return yield* fieldError("chat_id", problem("not_chat_id"))
  return [{ phone, chat_id }]
})

/** Links phones to chats: one that was typed, or many that were pasted. */
export const submitContacts = (view: View, submitted: URLSearchParams) =>
  Effect.gen(function* () {
    const lines = submitted.get("contacts")
    const contacts = yield* lines === null ? submittedContact(submitted) : pastedContacts(lines)
    const link = formAction(importContacts, {
      target: pathId,
      input: () => ({ contacts }),
      done: (_, { account, imported }) =>
        seeOther(withCount(withNotice(`${CHANNELS_PATH}/${account}`, "linked"), imported))
    })
    return yield* link(view, submitted)
  }).pipe(
    Effect.catch(
      rerender(view, (errors) =>
        Effect.flatMap(pathId, (id) => accountPage(view, id, { form: "contacts", errors, submitted }))
      )
    )
  )

export const submitContactRemoval = (view: View, submitted: URLSearchParams) =>
  Effect.flatMap(pathId, (id) =>
    formAction(removeContact, {
      target: Effect.succeed({ id, phone: submitted.get("phone") ?? "" }),
      done: () => seeOther(withNotice(`${CHANNELS_PATH}/${id}`, "deleted"))
    })(view, submitted)
  )
