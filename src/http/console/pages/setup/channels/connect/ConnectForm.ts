import type { ProviderAdapter } from "../../../../../../services/provider/ProviderAdapter.ts"
import type { AccountOwner } from "../../../../../../services/account/Accounts.ts"
import { csrfField, onceField } from "../../../../frame/forms/Forms.ts"
import { html, type Html } from "../../../../frame/Html.ts"
import type { View } from "../../../../frame/SignedRoutes.ts"
import { checkField, inputField } from "../../../../parts/fields/Fields.ts"
import { errorSummary } from "../../../../parts/fields/ErrorSummary.ts"
import type { FieldErrors } from "../../../../parts/fields/FieldErrors.ts"
import { channelName } from "../../../../parts/Text.ts"
import { providerName } from "../AccountWords.ts"
import type { ConnectPlace } from "./ConnectPlace.ts"
import type { Choice, Typed } from "./ProviderChoice.ts"
import { settingInputs } from "../SettingInputs.ts"

const settingsPart = (
  { locale }: View,
  adapter: ProviderAdapter,
  typed: Typed,
  errors: FieldErrors
): Html => {
  const { say } = locale
  return html`<fieldset class="fields">
    <legend>${say("Settings from the provider", "آنچه از سرویس‌دهنده گرفته‌اید")}</legend>
    <p class="hint">
      ${say(
        "Stored encrypted, and never shown again: not here, and not by the API.",
        "رمزشده نگه داشته می‌شود و دیگر هیچ‌جا نشان داده نمی‌شود؛ نه اینجا و نه در API."
      )}
    </p>
    ${settingInputs(adapter, (name) => typed.get(name), errors, locale)}
  </fieldset>`
}

const checksPart = ({ locale: { say } }: View, owner: AccountOwner, typed: Typed): Html =>
  html`${
    owner !== null &&
    checkField({
      name: "default",
      label: say("The channel's default account", "حساب پیش‌فرض این کانال"),
      hint: say(
        "Used where a request or the routing order names the channel only.",
        "هر جا درخواست یا مسیر ارسال تنها نام کانال را ببرد، این حساب به کار می‌رود."
      ),
      isChecked: typed.has("default")
    })
  }
  ${checkField({
    name: "check",
    label: say("Ask the provider first whether the account works", "پیش از اتصال از سرویس‌دهنده پرسیده شود"),
    isChecked: typed.has("check") || !typed.has("label")
  })}`

export const connectForm = (
  view: View,
  { owner, connectPath }: ConnectPlace,
  { channel, adapter }: Choice,
  typed: Typed,
  errors: FieldErrors
): Html => {
  const { say } = view.locale
  const suggested = `${channelName(channel, view.locale)} · ${providerName(adapter.name, view.locale)}`
  return html`<form class="panel panel-body fields narrow" method="post" action="${connectPath}">
    ${csrfField(view.csrf)}${onceField()} ${errorSummary(errors, view.locale)}
    <input type="hidden" name="channel" value="${channel}" />
    <input type="hidden" name="provider" value="${adapter.name}" />
    ${inputField({
      name: "label",
      label: say("Label", "نام حساب"),
      hint: say("Only you see it, never your users.", "برای خودتان؛ کاربران شما آن را نمی‌بینند."),
      value: typed.get("label") ?? suggested,
      isRequired: true,
      errors
    })}
    ${settingsPart(view, adapter, typed, errors)} ${checksPart(view, owner, typed)}
    <div class="actions">
      <button class="button primary">${say("Connect", "اتصال")}</button>
      <a class="button quiet" href="${connectPath}">${say("Choose another provider", "سرویس‌دهندهٔ دیگر")}</a>
    </div>
  </form>`
}
