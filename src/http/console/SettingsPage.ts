import { Effect } from "effect"
import { PLATFORM } from "../../domain/customer/Customer.ts"
import { Locale as TextLocale } from "../../domain/verification/CodeText.ts"
import type { ConsolePages } from "./ConsolePages.ts"
import { SECURITY_PATH, SIGN_IN_PATH } from "./ConsolePaths.ts"
import { pathOf } from "./Navigation.ts"
import { signOutEverywhereButton } from "./SecurityPage.ts"
import { creating, formAction } from "./forms/ActionForms.ts"
import {
  byField,
  errorSummary,
  type FieldErrors,
  inputField,
  noFieldErrors,
  selectField,
  textAreaField
} from "./forms/FormFields.ts"
import { csrfField, submittedEntries } from "./forms/Forms.ts"
import { seeOther } from "./frame/Responses.ts"
import { clearSession } from "./frame/Cookies.ts"
import { html, type Html } from "./frame/Html.ts"
import type { Page } from "./frame/Layout.ts"
import { change, form, inOwnLog, page, type View } from "./frame/SignedRoutes.ts"
import { addressWith } from "./frame/Visit.ts"
import { badge } from "./parts/Badge.ts"
import { withNotice } from "./parts/Notice.ts"
import { facts } from "./parts/Panels.ts"
import { ltr } from "./parts/Text.ts"
import { mayPerform } from "../../services/Action.ts"
import {
  type CustomerRecord,
  CustomerRecords,
  changeCustomer
} from "../../services/customer/CustomerRecords.ts"
import { setOwnPassword } from "../../services/user/Users.ts"

const SETTINGS_PATH = pathOf("settings")

/** Which form was refused, with what was typed. */
interface Refused {
  readonly form: "customer" | "password"
  readonly submitted: URLSearchParams
  readonly errors: FieldErrors
}

const languageName = (locale: TextLocale, { say }: View["locale"]): string =>
  locale === "fa" ? say("Persian", "فارسی") : say("English", "انگلیسی")

const customerFacts = (customer: CustomerRecord, view: View): Html => {
  const { id, name, plan, brand, locale, webOtpHost, webOtpOrigins, appHash } = customer
  const { say, number } = view.locale
  const none = say("None", "ندارد")
  return facts([
    [say("Name", "نام"), name],
    [say("Customer number", "شمارهٔ مشتری"), number(id)],
    [say("Plan", "پلن"), badge("info", plan)],
    [say("Brand in codes", "نام برند در کد"), brand ?? none],
    [say("Language of codes", "زبان کد"), languageName(locale, view.locale)],
    [say("WebOTP site", "سایت WebOTP"), webOtpHost === null ? none : ltr(webOtpHost)],
    [say("WebOTP sites", "سایت‌های WebOTP"), webOtpOrigins.length === 0 ? none : ltr(webOtpOrigins.join(" "))],
    [say("Android app hash", "هش برنامهٔ اندروید"), appHash === null ? none : ltr(appHash)]
  ])
}

/** Several sites, and the app, that read codes by themselves. */
const appFields = (
  { locale: { say } }: View,
  { webOtpOrigins, appHash }: CustomerRecord,
  value: (name: string, stored: string | null) => string,
  errors: FieldErrors
): Html =>
  html`${textAreaField({
    name: "webotp_origins",
    label: say("Several WebOTP sites", "چند سایت WebOTP"),
    hint: say(
      "Addresses such as https://shop.example.ir, one per line, in place of the site above. A request names one of them; otherwise the first is used.",
      "نشانی‌هایی مثل https://shop.example.ir، در هر خط یکی، به جای سایت بالا. درخواست یکی را نام می‌برد؛ وگرنه اولی استفاده می‌شود."
    ),
    value: value("webotp_origins", webOtpOrigins.join("\n")),
    rows: 2,
    isCode: true,
    errors
  })}
  ${inputField({
    name: "app_hash",
    label: say("Android app hash", "هش برنامهٔ اندروید"),
    hint: say(
      "Your app can then read the code from the SMS automatically (SMS Retriever).",
      "برنامهٔ شما می‌تواند کد را خودکار از پیامک بخواند (SMS Retriever)."
    ),
    placeholder: "FA+9qCX9VSu",
    value: value("app_hash", appHash),
    isLtr: true,
    errors
  })}`

const customerForm = (view: View, customer: CustomerRecord, refused: Refused | null): Html => {
  const { say } = view.locale
  const { submitted, errors } =
    refused?.form === "customer" ? refused : { submitted: null, errors: noFieldErrors }
  const value = (name: string, stored: string | null) => submitted?.get(name) ?? stored ?? ""
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
      label: say("Brand in codes", "نام برند در کد"),
      hint: say("Shown in the default text of codes.", "در متن پیش‌فرض کد می‌آید."),
      value: value("brand", customer.brand),
      errors
    })}
    ${selectField({
      name: "locale",
      label: say("Language of codes", "زبان کد"),
      hint: say(
        "For the default text, if a request names no language.",
        "برای متن پیش‌فرض، اگر درخواست زبان نداشته باشد."
      ),
      value: value("locale", customer.locale),
      choices: TextLocale.literals.map((each) => [each, languageName(each, view.locale)] as const),
      errors
    })}
    ${inputField({
      name: "webotp_host",
      label: say("WebOTP site", "سایت WebOTP"),
      hint: say(
        "Pages of this site can read the code from the SMS automatically.",
        "صفحه‌های این سایت می‌توانند کد را خودکار از پیامک بخوانند."
      ),
      placeholder: "shop.example.ir",
      value: value("webotp_host", customer.webOtpHost),
      isLtr: true,
      errors
    })}
    ${appFields(view, customer, value, errors)}
    <div><button class="button primary">${say("Save", "ذخیره")}</button></div>
  </form>`
}

const customerPanel = (view: View, customer: CustomerRecord, refused: Refused | null): Html =>
  html`<section class="panel" aria-labelledby="customer-title">
    <div class="panel-head"><h2 id="customer-title">${view.locale.say("Account", "حساب")}</h2></div>
    ${
      mayPerform(view.actor, changeCustomer.access)
        ? customerForm(view, customer, refused)
        : html`<div class="panel-body">${customerFacts(customer, view)}</div>`
    }
  </section>`

const displayPanel = (view: View): Html => {
  const { language, say, zone } = view.locale
  const choice = (changes: Record<string, string>, label: string, isChosen: boolean, lang?: string) =>
    html`<a
      class="button small"
      href="${addressWith(view, { ...changes, notice: null })}"
      ${lang !== undefined && html`lang="${lang}"`}
      ${isChosen && html`aria-current="true"`}
      >${label}</a
    >`
  return html`<section class="panel" aria-labelledby="view-title">
    <div class="panel-head"><h2 id="view-title">${say("Display", "نمایش")}</h2></div>
    <div class="panel-body">
      ${facts([
        [
          say("Language", "زبان"),
          html`<span class="badges">
            ${choice({ lang: "fa" }, "فارسی", language === "fa", "fa")}
            ${choice({ lang: "en" }, "English", language === "en", "en")}
          </span>`
        ],
        [
          say("Theme", "ظاهر"),
          html`<span class="badges">
            ${choice({ theme: "system" }, say("System", "مانند دستگاه"), view.theme === null)}
            ${choice({ theme: "light" }, say("Light", "روشن"), view.theme === "light")}
            ${choice({ theme: "dark" }, say("Dark", "تیره"), view.theme === "dark")}
          </span>`
        ],
        [say("Time zone", "منطقهٔ زمانی"), ltr(zone)]
      ])}
    </div>
  </section>`
}

const passwordForm = (view: View, refused: Refused | null): Html => {
  const { say } = view.locale
  const errors = refused?.form === "password" ? refused.errors : noFieldErrors
  return html`<section class="panel" aria-labelledby="password-title">
    <div class="panel-head"><h2 id="password-title">${say("Password", "گذرواژه")}</h2></div>
    <form class="panel-body fields" method="post" action="${SETTINGS_PATH}/password">
      ${csrfField(view.csrf)} ${errorSummary(errors, view.locale)}
      <input type="hidden" name="username" value="${view.session.user.email}" autocomplete="username" />
      ${inputField({
        name: "password",
        label: say("New password", "گذرواژهٔ جدید"),
        type: "password",
        autocomplete: "new-password",
        hint: say(
          "At least 8 characters. You are signed out everywhere and sign in with the new password.",
          "حداقل ۸ نویسه. از همه‌جا خارج می‌شوید و باید با گذرواژهٔ جدید وارد شوید."
        ),
        isRequired: true,
        isLtr: true,
        errors
      })}
      <div><button class="button">${say("Change password", "تغییر گذرواژه")}</button></div>
    </form>
  </section>`
}

const sessionsPanel = (view: View): Html => {
  const { say } = view.locale
  return html`<section class="panel" aria-labelledby="sessions-title">
    <div class="panel-head"><h2 id="sessions-title">${say("Sessions", "نشست‌ها")}</h2></div>
    <div class="panel-body fields">
      <p>
        <a href="${SECURITY_PATH}">${say("Second factor and all sessions", "ورود دومرحله‌ای و همهٔ نشست‌ها")}</a>
      </p>
      <p>
        ${say("Ends all your sessions, in browsers and with the API.", "همهٔ نشست‌های شما در مرورگرها و API تمام می‌شود.")}
      </p>
      <div>${signOutEverywhereButton(view)}</div>
    </div>
  </section>`
}

/** An operator, who has entered no customer's console, sees only what is their own. */
const settingsPage = Effect.fnUntraced(function* (view: View, refused: Refused | null) {
  const { say } = view.locale
  const { customerId } = view.actor
  const customer = customerId === PLATFORM ? null : yield* (yield* CustomerRecords).find(customerId)
  return {
    title: say("Settings", "تنظیمات"),
    name: "settings",
    content: html`<div class="columns">
      ${customer !== null && customerPanel(view, customer, refused)}
      <div class="stack">${displayPanel(view)} ${passwordForm(view, refused)} ${sessionsPanel(view)}</div>
    </div>`
  } satisfies Page
})

/** The fields that the form has: only owners change the account's name. An empty one ends what was set. */
const customerInput = (fields: URLSearchParams) => {
  const submitted = ["brand", "locale", "webotp_host", "app_hash"].filter((name) => fields.has(name))
  const entries = submitted.map((name) => [name, fields.get(name)?.trim() || null] as const)
  const name = fields.get("name")?.trim()
  const origins = fields.get("webotp_origins")
  return {
    ...Object.fromEntries(entries),
    ...(origins === null ? {} : { webotp_origins: submittedEntries(origins) }),
    ...(name === undefined ? {} : { name })
  }
}

const submitCustomer = formAction(changeCustomer, {
  target: creating,
  input: customerInput,
  done: () => seeOther(withNotice(SETTINGS_PATH, "saved")),
  again: (view, fields, errors) =>
    settingsPage(view, { form: "customer", submitted: fields, errors: byField(errors) })
})

/** A new password of their own. They sign in with it. */
const submitPassword = formAction(setOwnPassword, {
  target: creating,
  as: inOwnLog,
  input: (fields) => ({ password: fields.get("password") }),
  done: (view) => clearSession(seeOther(withNotice(SIGN_IN_PATH, "password_set")), view),
  again: (view, fields, errors) => settingsPage(view, { form: "password", submitted: fields, errors })
})

/** The account's own details, and what everybody sets for themselves. */
export const settingsPages = {
  name: "settings",
  routes: [
    page(SETTINGS_PATH, (view) => settingsPage(view, null)),
    change(SETTINGS_PATH, submitCustomer),
    form(`${SETTINGS_PATH}/password`, submitPassword)
  ]
} as const satisfies ConsolePages
