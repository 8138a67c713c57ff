import { GuardMode } from "../../../../domain/guard/GuardSettings.ts"
import type { SavedGuard } from "../../../../services/resources/activity/GuardRecords.ts"
import { csrfField } from "../../frame/forms/Forms.ts"
import { html, type Html } from "../../frame/Html.ts"
import type { View } from "../../frame/SignedRoutes.ts"
import { facts } from "../../parts/Facts.ts"
import { errorSummary } from "../../parts/fields/ErrorSummary.ts"
import { inputField, selectField } from "../../parts/fields/Fields.ts"
import { CHANGED } from "../../parts/fields/FieldErrors.ts"
import { versionField } from "../../parts/fields/VersionField.ts"
import { GUARD_PATH, mayChange, type ShownForm } from "./GuardForms.ts"
import { modeWords } from "./GuardWords.ts"

const settingLabels = ({ say }: View["locale"]) => ({
  mode: say("Mode", "حالت"),
  unverifiedHour: say("Unverified codes in an hour", "کدهای تأییدنشده در ساعت"),
  smsPrice: say("Price of an SMS, in rials", "بهای یک پیامک به ریال")
})

/** The settings as they are stored. */
const savedFacts = ({ mode, unverifiedHour, smsPrice }: SavedGuard, { locale }: View): Html => {
  const { say, number } = locale
  const labels = settingLabels(locale)
  return facts([
    [labels.mode, modeWords(mode, locale)],
    [
      labels.unverifiedHour,
      unverifiedHour === null
        ? say("By your traffic", "بر پایهٔ ترافیک شما")
        : unverifiedHour === 0
          ? say("No limit", "بی‌حد")
          : number(unverifiedHour)
    ],
    [labels.smsPrice, smsPrice === null ? "–" : number(smsPrice)]
  ])
}

/** The settings for those who may only read. */
const savedSettings = (saved: SavedGuard, view: View): Html =>
  html`<section class="panel panel-body" aria-label="${view.locale.say("Settings", "تنظیمات")}">
    ${savedFacts(saved, view)}
  </section>`

export const settingsForm = (saved: SavedGuard, { errors, typed }: ShownForm, view: View): Html => {
  if (!mayChange(view)) return savedSettings(saved, view)
  const { locale } = view
  const { say } = locale
  const labels = settingLabels(locale)
  return html`<form class="panel panel-body fields narrow" method="post" action="${GUARD_PATH}">
    ${csrfField(view.csrf)} ${versionField(saved.version, typed, errors)} ${errorSummary(errors, locale)}
    ${
      errors.has(CHANGED) &&
      html`<p class="hint">${say("Saved now:", "اکنون ذخیره است:")}</p>
        ${savedFacts(saved, view)}`
    }
    ${selectField({
      name: "mode",
      label: labels.mode,
      value: typed?.get("mode") ?? saved.mode,
      choices: GuardMode.literals.map((mode) => [mode, modeWords(mode, locale)] as const),
      hint: say(
        "Record only counts what enforcing would refuse.",
        "فقط ثبت، آنچه را اعمال رد می‌کرد می‌شمارد."
      ),
      errors
    })}
    ${inputField({
      name: "unverified_hour",
      label: labels.unverifiedHour,
      isNumber: true,
      value: typed?.get("unverified_hour") ?? String(saved.unverifiedHour ?? ""),
      hint: say("Empty: by your traffic. 0: no limit.", "خالی: بر پایهٔ ترافیک شما. ۰: بی‌حد."),
      errors
    })}
    ${inputField({
      name: "sms_price",
      label: labels.smsPrice,
      isNumber: true,
      value: typed?.get("sms_price") ?? String(saved.smsPrice ?? ""),
      hint: say("For the report of what was saved.", "برای گزارش صرفه‌جویی."),
      errors
    })}
    <div class="actions"><button class="button primary">${say("Save", "ذخیره")}</button></div>
  </form>`
}
