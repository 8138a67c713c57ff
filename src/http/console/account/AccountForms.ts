import { Effect } from "effect"
import { type AccountFinding, checkResultOf } from "../../../domain/account/AccountState.ts"
import { sendsNothing } from "../../../domain/customer/Customer.ts"
import { SimulatedOutcome } from "../../../domain/ProviderOutcome.ts"
import type { Refused } from "./AccountChangeForms.ts"
import { accountPage } from "./AccountPage.ts"
import { CHANNELS_PATH } from "./ChannelsPage.ts"
import { bySetting, inputName } from "./SettingInputs.ts"
import { chosen } from "./StandbyPart.ts"
import { formAction, rerender } from "../forms/ActionForms.ts"
import type { FieldErrors } from "../forms/FieldErrors.ts"
import { typedNumber } from "../forms/Forms.ts"
import { seeOther } from "../frame/Answers.ts"
import { pathId, type View } from "../frame/SignedRoutes.ts"
import { type NoticeKey, withNotice } from "../parts/Notice.ts"
import {
  changeAccount,
  type Examined,
  forceOutcome,
  removeAccount,
  rotateInbox,
  setStandby
} from "../../../services/account/AccountActions.ts"
import { Accounts } from "../../../services/account/Accounts.ts"
import { ProviderAdapters } from "../../../services/provider/ProviderAdapter.ts"
import { settingFields, typedSettings } from "../../../services/provider/SettingFields.ts"

const backTo = (id: number, key: NoticeKey) => seeOther(withNotice(`${CHANNELS_PATH}/${id}`, key))

/** A refused form, on the page of its account. */
const again = (form: Refused["form"]) => (view: View, typed: URLSearchParams, errors: FieldErrors) =>
  Effect.flatMap(pathId, (id) => accountPage(view, id, { form, errors, typed }))

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
export const typedConnection = Effect.fnUntraced(function* (provider: string, typed: URLSearchParams) {
  const adapter = (yield* ProviderAdapters).get(provider)
  const fields = adapter === undefined ? [] : settingFields(adapter.settings)
  const settings = typedSettings(fields, (name) => typed.get(inputName(name)))
  return { fields, input: { settings, check: typed.has("check") } }
})

/** The label, and the pace. */
export const submitDetails = formAction(changeAccount, {
  target: pathId,
  input: (typed) => ({
    label: typed.get("label")?.trim(),
    gap_ms: typedNumber(typed.get("gap_ms")),
    per_minute: typedNumber(typed.get("per_minute"))
  }),
  done: (_, { account }) => backTo(account.id, "saved"),
  again: again("details")
})

/** Other settings in place of all that there were. */
export const submitSettings = Effect.fnUntraced(function* (view: View, typed: URLSearchParams) {
  const id = yield* pathId
  const { provider } = yield* (yield* Accounts).find(view.actor.customerId, id)
  const { fields, input } = yield* typedConnection(provider, typed)
  const save = formAction(changeAccount, {
    target: pathId,
    input: () => input,
    done: (_, saved) => backTo(id, savedNotice("saved", saved))
  })
  return yield* save(view, typed).pipe(
    Effect.mapError(bySetting(fields)),
    Effect.catch(rerender(view, (errors) => again("settings")(view, typed, errors)))
  )
})

export const submitStandby = formAction(setStandby, {
  target: pathId,
  input: (typed) => ({ account_ids: chosen(typed) }),
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
  input: (typed) => ({ outcome: outcomeIn(typed.get("outcome")) }),
  done: (_, id, typed) => (typed.get("back") === "simulator" ? seeOther("/simulator") : backTo(id, "saved"))
})
