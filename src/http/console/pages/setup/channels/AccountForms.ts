import { Effect } from "effect"
import { type AccountFinding, checkResultOf } from "../../../../../domain/account/AccountFinding.ts"
import { sendsNothing } from "../../../../../domain/people/Customer.ts"
import { ProviderAdapters } from "../../../../../services/provider/ProviderAdapter.ts"
import { settingFields, typedSettings } from "../../../../../services/provider/SettingFields.ts"
import {
  type AccountChange,
  type AccountRecord,
  Accounts
} from "../../../../../services/resources/accounts/Accounts.ts"
import {
  accountEntry,
  auditedChange,
  examineFirst
} from "../../../../../services/resources/accounts/AccountWrites.ts"
import { AccountChangeBody } from "../../../../manage/setup/AccountsApi.ts"
import type { NoticeKey } from "../../../parts/Notice.ts"
import { writeAs } from "../../../frame/forms/Writes.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { decodeInput } from "../../../../errors/SchemaErrors.ts"
import { typedNumber } from "../../../frame/forms/TypedBody.ts"
import { bySetting, inputName } from "./SettingInputs.ts"

const fieldsOfProvider = Effect.fnUntraced(function* (provider: string) {
  const adapter = (yield* ProviderAdapters).get(provider)
  return adapter === undefined ? [] : settingFields(adapter.settings)
})

/** How to go on although the provider refuses. */
export const uncheckedWay = ({ locale: { say } }: View): string =>
  say("untick the check to save it anyway", "برای ذخیره با این همه، تیک بررسی را بردارید")

/** Changes an account, in the user's name. */
export const updateAccount = (view: View, id: number, change: AccountChange, version: number | null = null) =>
  Effect.flatMap(Accounts, (accounts) =>
    writeAs(
      view,
      "account.update",
      Effect.map(accounts.update(view.actor.customerId, id, change, version), (result) => ({
        result,
        audit: accountEntry("update", id, auditedChange(change))
      }))
    )
  )

/** What the page says of settings that were saved: nothing good of an account that cannot send, or may not. */
export const savedNotice = (
  verb: "created" | "saved",
  account: AccountRecord,
  finding: AccountFinding | undefined
): NoticeKey => {
  if (sendsNothing(account)) return `${verb}_incomplete`
  return finding?._tag === "NotReached" ? `${verb}_not_reached` : verb
}

/** What the page says of a check. */
export const checkedNotice = (finding: AccountFinding): NoticeKey =>
  `checked_${checkResultOf(finding).result}`

/** The version of the account that the form was made from. */
const versionOf = (typed: URLSearchParams): number | null => {
  const version = Number(typed.get("version") ?? "")
  return Number.isSafeInteger(version) && version > 0 ? version : null
}

/** The label, and the pace. */
export const saveDetails = Effect.fnUntraced(function* (view: View, id: number, typed: URLSearchParams) {
  const { label, gap_ms, per_minute } = yield* decodeInput(AccountChangeBody, {
    label: typed.get("label")?.trim(),
    gap_ms: typedNumber(typed.get("gap_ms")),
    per_minute: typedNumber(typed.get("per_minute"))
  })
  const change = { label: label ?? undefined, gapMillis: gap_ms, perMinute: per_minute }
  return yield* updateAccount(view, id, change, versionOf(typed))
})

/** Other settings in place of all that there were. */
export const saveSettings = Effect.fnUntraced(function* (
  view: View,
  { id, channel, provider }: AccountRecord,
  typed: URLSearchParams
) {
  const fields = yield* fieldsOfProvider(provider)
  const settings = typedSettings(fields, (name) => typed.get(inputName(name)))
  const finding = typed.has("check")
    ? yield* Effect.mapError(
        examineFirst(view.actor.customerId, { channel, provider, settings }, uncheckedWay(view)),
        bySetting(fields)
      )
    : undefined
  const change = { settings, finding }
  const saved = yield* Effect.mapError(updateAccount(view, id, change, versionOf(typed)), bySetting(fields))
  return savedNotice("saved", saved, finding)
})
