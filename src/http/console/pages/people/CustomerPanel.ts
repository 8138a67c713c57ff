import { Locale as TextLocale } from "../../../../domain/message/CodeText.ts"
import type { CustomerRecord } from "../../../../services/resources/CustomerRecords.ts"
import { mayPerform } from "../../../../services/Action.ts"
import { changeCustomer } from "../../../../services/resources/CustomerActions.ts"
import { csrfField } from "../../frame/forms/Forms.ts"
import { html, type Html } from "../../frame/Html.ts"
import type { View } from "../../frame/SignedRoutes.ts"
import { badge } from "../../parts/Badge.ts"
import { facts } from "../../parts/Facts.ts"
import { errorSummary } from "../../parts/fields/ErrorSummary.ts"
import { inputField, selectField } from "../../parts/fields/Fields.ts"
import { noFieldErrors } from "../../parts/fields/FieldErrors.ts"
import { ltr } from "../../parts/Text.ts"
import { type Refused, SETTINGS_PATH } from "./SettingsForms.ts"

const languageName = (locale: TextLocale, { say }: View["locale"]): string =>
  locale === "fa" ? say("Persian", "فارسی") : say("English", "انگلیسی")

const customerFacts = ({ id, name, plan, brand, locale, webOtpHost }: CustomerRecord, view: View): Html => {
  const { say, number } = view.locale
  const none = say("None", "هیچ")
  return facts([
    [say("Name", "نام"), name],
    [say("Number", "شماره"), number(id)],
    [say("Plan", "طرح"), badge("info", plan)],
    [say("Brand in codes", "نام تجاری در کدها"), brand ?? none],
    [say("Language of codes", "زبان کدها"), languageName(locale, view.locale)],
    [say("WebOTP site", "سایت WebOTP"), webOtpHost === null ? none : ltr(webOtpHost)]
  ])
}

const customerForm = (view: View, customer: CustomerRecord, refused: Refused | null): Html => {
  const { say } = view.locale
  const { typed, errors } = refused?.form === "customer" ? refused : { typed: null, errors: noFieldErrors }
  const value = (name: string, stored: string | null) => typed?.get(name) ?? stored ?? ""
  return html`<form class="panel-body fields" method="post" action="${SETTINGS_PATH}">
    ${csrfField(view.csrf)} ${errorSummary(errors, view.locale)}
    ${
      view.actor.isOwner &&
      inputField({
        name: "name",
        label: say("Name", "نام"),
        value: value("name", customer.name),
        isRequired: true,
        errors
      })
    }
    ${inputField({
      name: "brand",
      label: say("Brand in codes", "نام تجاری در کدها"),
      hint: say("The default text of codes names it.", "متن پیش‌فرض کدها آن را می‌آورد."),
      value: value("brand", customer.brand),
      errors
    })}
    ${selectField({
      name: "locale",
      label: say("Language of codes", "زبان کدها"),
      hint: say(
        "Of the default text, where a request names none.",
        "برای متن پیش‌فرض، اگر درخواست زبانی نگوید."
      ),
      value: value("locale", customer.locale),
      choices: TextLocale.literals.map((each) => [each, languageName(each, view.locale)] as const),
      errors
    })}
    ${inputField({
      name: "webotp_host",
      label: say("WebOTP site", "سایت WebOTP"),
      hint: say(
        "Pages of this site can read the code from the SMS by themselves.",
        "صفحه‌هایش کد را خودکار از پیامک می‌خوانند."
      ),
      placeholder: "shop.example.ir",
      value: value("webotp_host", customer.webOtpHost),
      isLtr: true,
      errors
    })}
    <div><button class="button primary">${say("Save", "ذخیره")}</button></div>
  </form>`
}

export const customerPanel = (view: View, customer: CustomerRecord, refused: Refused | null): Html =>
  html`<section class="panel" aria-labelledby="customer-title">
    <div class="panel-head"><h2 id="customer-title">${view.locale.say("Account", "حساب")}</h2></div>
    ${
      mayPerform(view.actor, changeCustomer.access)
        ? customerForm(view, customer, refused)
        : html`<div class="panel-body">${customerFacts(customer, view)}</div>`
    }
  </section>`
