import { Effect } from "effect"
import { accountPath } from "./ChannelsPage.ts"
import { settingInputs } from "./SettingInputs.ts"
import { CHANGED, errorSummary, type FieldErrors, noFieldErrors } from "../forms/FieldErrors.ts"
import { checkField, inputField, versionField } from "../forms/Fields.ts"
import { csrfField } from "../forms/Forms.ts"
import { html, type Html } from "../frame/Html.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { facts } from "../parts/Panels.ts"
import { foreign } from "../parts/Text.ts"
import type { AccountRecord } from "../../../services/account/Accounts.ts"
import { ProviderAdapters } from "../../../services/provider/ProviderAdapter.ts"

/** Which form of the page was refused, with what was typed. */
export interface Refused {
  readonly form: "details" | "settings" | "contacts" | "standby"
  readonly errors: FieldErrors
  readonly typed: URLSearchParams
}

/** What somebody else has saved meanwhile. */
const savedDetails = ({ label, gapMillis, perMinute }: AccountRecord, { locale }: View): Html => {
  const { say, number } = locale
  const orDefault = (value: number | null) => (value === null ? say("The default", "پیش‌فرض") : number(value))
  return html`<p class="hint">${say("Saved now:", "اکنون ذخیره است:")}</p>
    ${facts([
      [say("Label", "نام حساب"), foreign(label)],
      [say("Gap between two sends (ms)", "فاصلهٔ دو ارسال (میلی‌ثانیه)"), orDefault(gapMillis)],
      [say("Sends in a minute", "ارسال در دقیقه"), orDefault(perMinute)]
    ])}`
}

export const detailsForm = (view: View, account: AccountRecord, refused: Refused | null): Html => {
  const { say } = view.locale
  const { typed, errors } = refused?.form === "details" ? refused : { typed: null, errors: noFieldErrors }
  const value = (name: string, stored: number | string | null) => typed?.get(name) ?? String(stored ?? "")
  return html`<section class="panel" aria-labelledby="details-title">
    <div class="panel-head"><h2 id="details-title">${say("Label and pace", "نام و آهنگ ارسال")}</h2></div>
    <form class="panel-body fields" method="post" action="${accountPath(account)}">
      ${csrfField(view.csrf)} ${versionField(account.version, typed, errors)}
      ${errorSummary(errors, view.locale)} ${errors.has(CHANGED) && savedDetails(account, view)}
      ${inputField({ name: "label", label: say("Label", "نام حساب"), value: value("label", account.label), isRequired: true, errors })}
      ${inputField({
        name: "gap_ms",
        label: say("Gap between two sends (ms)", "فاصلهٔ دو ارسال (میلی‌ثانیه)"),
        hint: say("Empty: the default of this installation.", "خالی: پیش‌فرض این نصب."),
        value: value("gap_ms", account.gapMillis),
        isNumber: true,
        errors
      })}
      ${inputField({
        name: "per_minute",
        label: say("Sends in a minute", "ارسال در دقیقه"),
        hint: say("Empty: the channel's default. 0: no limit.", "خالی: پیش‌فرض کانال. ۰: بی‌سقف."),
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
  const { typed, errors } = refused?.form === "settings" ? refused : { typed: null, errors: noFieldErrors }
  return html`<section class="panel" aria-labelledby="settings-title">
    <details class="panel-details" ${typed !== null && html`open`}>
      <summary class="panel-head">
        <h2 id="settings-title">${say("Provider settings", "تنظیمات سرویس‌دهنده")}</h2>
      </summary>
      <form class="panel-body fields" method="post" action="${accountPath(account, "/settings")}">
        ${csrfField(view.csrf)} ${versionField(account.version, typed, errors)}
        ${errorSummary(errors, view.locale)}
        <p class="hint">
          ${say(
            "What is stored is never shown. Saving replaces all of it: fill in every field that you need.",
            "آنچه نگه داشته شده نشان داده نمی‌شود. ذخیره، همه را جایگزین می‌کند: هر فیلد لازم را پر کنید."
          )}
        </p>
        ${adapter !== undefined && settingInputs(adapter, (name) => typed?.get(name) ?? null, errors, view.locale)}
        ${checkField({
          name: "check",
          label: say("Ask the provider first", "نخست از سرویس‌دهنده پرسیده شود"),
          isChecked: typed === null || typed.has("check")
        })}
        <div><button class="button">${say("Replace the settings", "جایگزینی تنظیمات")}</button></div>
      </form>
    </details>
  </section>`
})
