import { Effect } from "effect"
import { SimulatedOutcome } from "../../../domain/ProviderOutcome.ts"
import { MAX_STANDBY } from "../../../domain/account/Standby.ts"
import { sendsNothing } from "../../../domain/customer/Customer.ts"
import { accountPath, CHANNELS_PATH } from "./ChannelsPage.ts"
import { changeInputs } from "./SettingInputs.ts"
import {
  CHANGED,
  checkField,
  errorSummary,
  type FieldErrors,
  inputField,
  noFieldErrors,
  selectField,
  versionField
} from "../forms/FormFields.ts"
import { csrfField } from "../forms/Forms.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Signed } from "../frame/Layout.ts"
import type { Locale } from "../frame/Locale.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { badge } from "../parts/Badge.ts"
import { facts } from "../parts/Panels.ts"
import { isolated } from "../parts/Text.ts"
import { type AccountRecord, Accounts } from "../../../services/account/Accounts.ts"
import { ProviderAdapters } from "../../../services/provider/ProviderAdapter.ts"
import { Simulator } from "../../../services/system/Simulator.ts"

const SIMULATOR = "simulator"

const outcomes: Readonly<Record<SimulatedOutcome, readonly [english: string, persian: string]>> = {
  accepted: ["Accepted", "پذیرفته شد"],
  rejected: ["Rejected", "رد شد"],
  unreachable: ["Recipient unreachable", "گیرنده در دسترس نیست"],
  throttled: ["Rate limited", "سرعت زیاد"],
  unavailable: ["Provider unavailable", "سرویس‌دهنده در دسترس نیست"],
  unknown: ["Unknown", "نامعلوم"]
}

const outcomeName = (outcome: SimulatedOutcome, { say }: Locale): string => say(...outcomes[outcome])

export const isSimulated = ({ provider }: Pick<AccountRecord, "provider">): boolean => provider === SIMULATOR

/** Buttons that force the outcome of an account's next send, once. `back` is the page that they are on. */
export const outcomeButtons = (
  view: Pick<Signed, "csrf" | "locale">,
  id: number,
  forced: SimulatedOutcome | undefined,
  back: "account" | "simulator"
): Html => {
  const { say } = view.locale
  return html`<form class="outcomes" method="post" action="${CHANNELS_PATH}/${id}/outcome">
    ${csrfField(view.csrf)} <input type="hidden" name="back" value="${back}" />
    ${SimulatedOutcome.literals.map(
      (outcome) =>
        html`<button
          class="button small"
          name="outcome"
          value="${outcome}"
          aria-pressed="${forced === outcome ? "true" : "false"}"
        >
          ${outcomeName(outcome, view.locale)}
        </button>`
    )}
    ${
      forced !== undefined &&
      html`<button class="button small quiet" name="outcome" value="">${say("Default", "پیش‌فرض")}</button>`
    }
  </form>`
}

export const simulatorPanel = Effect.fnUntraced(function* (view: View, { id }: AccountRecord) {
  const { say } = view.locale
  const simulator = yield* Simulator
  const forced = (yield* simulator.forced([id])).get(id)
  return html`<section class="panel" aria-labelledby="outcome-title">
    <div class="panel-head">
      <h2 id="outcome-title">${say("Next send", "ارسال بعدی")}</h2>
      ${forced !== undefined && badge("warn", outcomeName(forced, view.locale))}
    </div>
    <div class="panel-body stack-tight">
      <p class="muted">
        ${say(
          "Choose the outcome of the next send, once. See the phones in",
          "نتیجهٔ ارسال بعدی این حساب را تعیین کنید (فقط یک بار). گوشی‌ها در"
        )}
        <a href="/simulator">${say("the simulator", "شبیه‌ساز")}</a>.
      </p>
      ${view.actor.scope === "full" && simulator.isOn && outcomeButtons(view, id, forced, "account")}
    </div>
  </section>`
})

const MAX_CANDIDATES = 100

/** The customer's other accounts of the same channel. */
const candidatesOf = Effect.fnUntraced(function* (view: View, { id, channel }: AccountRecord) {
  const accounts = yield* Accounts
  const { items } = yield* accounts.list(view.actor.customerId, {
    limit: MAX_CANDIDATES,
    after: null,
    channel
  })
  return items.filter((each) => each.id !== id)
})

const inOrder = (view: View, standby: ReadonlyArray<number>, others: ReadonlyArray<AccountRecord>): Html => {
  const { say } = view.locale
  const byId = new Map(others.map((each) => [each.id, each]))
  return standby.length === 0
    ? html`<p class="muted">${say("No standby account.", "حساب جایگزین ندارد.")}</p>`
    : html`<ol class="standby">
        ${standby.map(
          (id) =>
            html`<li>
              <a href="${CHANNELS_PATH}/${id}">${isolated(byId.get(id)?.label ?? String(id))}</a>
            </li>`
        )}
      </ol>`
}

/** The accounts that were chosen, without the empty places. */
export const chosen = (submitted: URLSearchParams): ReadonlyArray<number> =>
  Array.from({ length: MAX_STANDBY }, (_, index) => Number(submitted.get(`standby.${index}`) ?? "")).filter(
    (id) => Number.isSafeInteger(id) && id > 0
  )

interface ShownForm {
  readonly errors: FieldErrors
  /** Null: nothing was chosen yet. */
  readonly submitted: URLSearchParams | null
}

const standbyForm = (
  view: View,
  { id, version, standby = [] }: AccountRecord,
  others: ReadonlyArray<AccountRecord>,
  { errors, submitted }: ShownForm
): Html => {
  const { say, number } = view.locale
  const filled = Math.max(standby.length, submitted === null ? 0 : chosen(submitted).length)
  const places = Math.min(filled + 2, others.length, MAX_STANDBY)
  const shown = new Map(
    [...errors].map(([name, message]) => [name.startsWith("account_ids") ? "standby.0" : name, message])
  )
  const choices = [
    ["", say("None", "هیچ")] as const,
    ...others.map(({ id: other, label }) => [String(other), label] as const)
  ]
  return html`<form class="fields" method="post" action="${CHANNELS_PATH}/${id}/standby">
    ${csrfField(view.csrf)} ${versionField(version, submitted, errors)} ${errorSummary(shown, view.locale)}
    ${
      errors.has(CHANGED) &&
      html`<p class="hint">${say("Saved value:", "مقدار ذخیره‌شده:")}</p>
        ${inOrder(view, standby, others)}`
    }
    ${Array.from({ length: places }, (_, index) =>
      selectField({
        name: `standby.${index}`,
        label: say(`Standby ${number(index + 1)}`, `جایگزین ${number(index + 1)}`),
        value: submitted?.get(`standby.${index}`) ?? String(standby[index] ?? ""),
        choices,
        errors: shown
      })
    )}
    <div><button class="button">${say("Save", "ذخیره")}</button></div>
  </form>`
}

/** The accounts that take over with codes while this one cannot send. */
export const standbyPanel = Effect.fnUntraced(function* (
  view: View,
  account: AccountRecord,
  shown: ShownForm
) {
  const { say } = view.locale
  const others = yield* candidatesOf(view, account)
  const standby = account.standby ?? []
  if (others.length === 0 && standby.length === 0) return null
  return html`<section class="panel" aria-labelledby="standby-title">
    <div class="panel-head"><h2 id="standby-title">${say("Standby accounts", "حساب‌های جایگزین")}</h2></div>
    <div class="panel-body fields">
      <p class="hint">
        ${say(
          "If this account cannot send a code (cooldown, rate limit, refused by the provider), they send it, in this order.",
          "اگر این حساب نتواند کد را بفرستد (توقف موقت، پر شدن سقف، رد سرویس‌دهنده)، این حساب‌ها به ترتیب آن را می‌فرستند."
        )}
      </p>
      ${
        view.actor.scope === "full"
          ? standbyForm(view, account, others, shown)
          : inOrder(view, standby, others)
      }
    </div>
  </section>`
})

/** Which form of the page was refused, with what was typed. */
export interface Refused {
  readonly form: "details" | "settings" | "contacts" | "standby"
  readonly errors: FieldErrors
  readonly submitted: URLSearchParams
}

/** What somebody else has saved meanwhile. */
const savedDetails = ({ label, gapMillis, perMinute }: AccountRecord, { locale }: View): Html => {
  const { say, number } = locale
  const orDefault = (value: number | null) => (value === null ? say("Default", "پیش‌فرض") : number(value))
  return html`<p class="hint">${say("Saved value:", "مقدار ذخیره‌شده:")}</p>
    ${facts([
      [say("Name", "نام حساب"), isolated(label)],
      [say("Gap between sends (ms)", "فاصلهٔ دو ارسال (میلی‌ثانیه)"), orDefault(gapMillis)],
      [say("Sends per minute", "ارسال در دقیقه"), orDefault(perMinute)]
    ])}`
}

export const detailsForm = (view: View, account: AccountRecord, refused: Refused | null): Html => {
  const { say } = view.locale
  const { submitted, errors } =
    refused?.form === "details" ? refused : { submitted: null, errors: noFieldErrors }
  const value = (name: string, stored: number | string | null) => submitted?.get(name) ?? String(stored ?? "")
  return html`<section class="panel" aria-labelledby="details-title">
    <div class="panel-head"><h2 id="details-title">${say("Name and rate", "نام و سرعت ارسال")}</h2></div>
    <form class="panel-body fields" method="post" action="${accountPath(account)}">
      ${csrfField(view.csrf)} ${versionField(account.version, submitted, errors)}
      ${errorSummary(errors, view.locale)} ${errors.has(CHANGED) && savedDetails(account, view)}
      ${inputField({ name: "label", label: say("Name", "نام حساب"), value: value("label", account.label), isRequired: true, errors })}
      ${inputField({
        name: "gap_ms",
        label: say("Gap between sends (ms)", "فاصلهٔ دو ارسال (میلی‌ثانیه)"),
        hint: say("Empty: the default.", "خالی: پیش‌فرض."),
        value: value("gap_ms", account.gapMillis),
        isNumber: true,
        errors
      })}
      ${inputField({
        name: "per_minute",
        label: say("Sends per minute", "ارسال در دقیقه"),
        hint: say("Empty: the channel's default. 0: no limit.", "خالی: پیش‌فرض کانال. ۰: بدون سقف."),
        value: value("per_minute", account.perMinute),
        isNumber: true,
        errors
      })}
      <div><button class="button primary">${say("Save", "ذخیره")}</button></div>
    </form>
  </section>`
}

export const settingsForm = Effect.fnUntraced(function* (
  view: View,
  account: AccountRecord,
  refused: Refused | null
) {
  const { say } = view.locale
  const adapter = (yield* ProviderAdapters).get(account.provider)
  const stored = yield* (yield* Accounts).storedSettings(view.actor.customerId, account.id)
  const { submitted, errors } =
    refused?.form === "settings" ? refused : { submitted: null, errors: noFieldErrors }
  return html`<section class="panel" id="settings" aria-labelledby="settings-title">
    <details class="panel-details" ${(submitted !== null || sendsNothing(account)) && html`open`}>
      <summary class="panel-head">
        <h2 id="settings-title">${say("Provider settings", "تنظیمات سرویس‌دهنده")}</h2>
      </summary>
      <form class="panel-body fields" method="post" action="${accountPath(account, "/settings")}">
        ${csrfField(view.csrf)} ${versionField(account.version, submitted, errors)}
        ${errorSummary(errors, view.locale)}
        <p class="hint">
          ${say(
            "Stored values are never shown. Fill in only what you want to change.",
            "مقدارهای ذخیره‌شده نشان داده نمی‌شود. فقط چیزی را که می‌خواهید عوض شود پر کنید."
          )}
        </p>
        ${adapter !== undefined && changeInputs(adapter, stored, (name) => submitted?.get(name) ?? null, errors, view.locale)}
        ${checkField({
          name: "check",
          label: say("Check with the provider first", "اول با سرویس‌دهنده بررسی شود"),
          isChecked: submitted === null || submitted.has("check")
        })}
        <div><button class="button">${say("Save settings", "ذخیرهٔ تنظیمات")}</button></div>
      </form>
    </details>
  </section>`
})
