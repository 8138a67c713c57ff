import { Clock, Effect, Schema } from "effect"
import { Locale as TextLocale } from "../../../../domain/message/CodeText.ts"
import { fieldError } from "../../../../domain/Errors.ts"
import { PLATFORM } from "../../../../domain/people/Customer.ts"
import { LINK_LIFE_MILLIS } from "../../../../domain/people/ConsoleSession.ts"
import { instantOf } from "../../../../domain/TimePosition.ts"
import { type CustomerRecord, CustomerRecords } from "../../../../services/resources/CustomerRecords.ts"
import { auditEntriesOf } from "../../../../services/resources/ManagementWrites.ts"
import { Users } from "../../../../services/resources/access/Users.ts"
import { MeChange } from "../../../manage/access/MeApi.ts"
import { Name } from "../../../manage/wire/ManageFields.ts"
import { NewPassword } from "../../../manage/wire/UserFields.ts"
import { SIGN_IN_PATH, SIGN_OUT_PATH } from "../../ConsolePaths.ts"
import type { ConsolePages } from "../../ConsolePages.ts"
import { seeOther } from "../../frame/Answers.ts"
import { clearSession } from "../../frame/Cookies.ts"
import { csrfField } from "../../frame/forms/Forms.ts"
import { html, type Html } from "../../frame/Html.ts"
import type { Page } from "../../frame/Layout.ts"
import { showAgain } from "../../frame/forms/ShownAgain.ts"
import { asPlatform, form, ownerChange, page, type View } from "../../frame/SignedRoutes.ts"
import { readTyped } from "../../frame/forms/TypedBody.ts"
import { addressWith } from "../../frame/Visit.ts"
import { writeAs } from "../../frame/forms/Writes.ts"
import { pathOf } from "../../Navigation.ts"
import { badge } from "../../parts/Badge.ts"
import { confirmButton } from "../../parts/Confirm.ts"
import { facts } from "../../parts/Facts.ts"
import { errorSummary, type FieldErrors, inputField, noFieldErrors, selectField } from "../../parts/Fields.ts"
import { withNotice } from "../../parts/Notice.ts"
import { ltr } from "../../parts/Text.ts"
import { hashed, userEntry } from "./UserForms.ts"

const SETTINGS_PATH = pathOf("settings")

const customerEntry = auditEntriesOf("customer")

export const CustomerForm = Schema.Struct({ ...MeChange.fields, name: Name })
const PasswordForm = Schema.Struct({ password: NewPassword })

/** Which form was refused, with what was typed. */
interface Refused {
  readonly form: "customer" | "password"
  readonly typed: URLSearchParams
  readonly errors: FieldErrors
}

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
    ${inputField({ name: "name", label: say("Name", "نام"), value: value("name", customer.name), isRequired: true, errors })}
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

const passwordForm = (view: View, refused: Refused | null): Html => {
  const { say } = view.locale
  const errors = refused?.form === "password" ? refused.errors : noFieldErrors
  return html`<section class="panel" aria-labelledby="password-title">
    <div class="panel-head"><h2 id="password-title">${say("Your password", "گذرواژهٔ شما")}</h2></div>
    <form class="panel-body fields" method="post" action="${SETTINGS_PATH}/password">
      ${csrfField(view.csrf)} ${errorSummary(errors, view.locale)}
      <input type="hidden" name="username" value="${view.session.user.email}" autocomplete="username" />
      ${inputField({
        name: "password",
        label: say("New password", "گذرواژهٔ تازه"),
        type: "password",
        autocomplete: "new-password",
        hint: say(
          "At least 8 characters. You are signed out everywhere, and sign in with it.",
          "دست‌کم ۸ نویسه. از همه‌جا خارج می‌شوید و با آن وارد می‌شوید."
        ),
        isRequired: true,
        isLtr: true,
        errors
      })}
      <div><button class="button">${say("Set the password", "ثبت گذرواژه")}</button></div>
    </form>
  </section>`
}

const sessionsPanel = (view: View): Html => {
  const { say } = view.locale
  return html`<section class="panel" aria-labelledby="sessions-title">
    <div class="panel-head"><h2 id="sessions-title">${say("Sessions", "نشست‌ها")}</h2></div>
    <div class="panel-body fields">
      <p>
        ${say("Ends every session of yours, in browsers and by the API.", "همهٔ نشست‌های شما را در مرورگرها و API پایان می‌دهد.")}
      </p>
      <div>
        ${confirmButton(view, {
          action: `${SIGN_OUT_PATH}-everywhere`,
          label: say("Sign out everywhere", "خروج از همه‌جا"),
          kind: "danger",
          question: say("You are signed out here too.", "از اینجا هم خارج می‌شوید."),
          confirm: say("Sign out everywhere", "خروج از همه‌جا")
        })}
      </div>
    </div>
  </section>`
}

const viewPanel = (view: View): Html => {
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
          say("Theme", "پوسته"),
          html`<span class="badges">
            ${choice({ theme: "light" }, say("Light", "روشن"), view.theme === "light")}
            ${choice({ theme: "dark" }, say("Dark", "تیره"), view.theme === "dark")}
          </span>`
        ],
        [say("Time zone", "منطقهٔ زمانی"), ltr(zone)]
      ])}
    </div>
  </section>`
}

const customerPanel = (view: View, customer: CustomerRecord, refused: Refused | null): Html =>
  html`<section class="panel" aria-labelledby="customer-title">
    <div class="panel-head"><h2 id="customer-title">${view.locale.say("Account", "حساب")}</h2></div>
    ${
      view.actor.isOwner
        ? customerForm(view, customer, refused)
        : html`<div class="panel-body">${customerFacts(customer, view)}</div>`
    }
  </section>`

/** An operator, who has entered no customer's console, sees only what is their own. */
const settingsPage = Effect.fnUntraced(function* (view: View, refused: Refused | null) {
  const { say } = view.locale
  const { customerId } = view.actor
  const customer = customerId === PLATFORM ? null : yield* (yield* CustomerRecords).find(customerId)
  const made: Page = {
    title: say("Settings", "تنظیمات"),
    name: "settings",
    content: html`<div class="columns">
      ${customer !== null && customerPanel(view, customer, refused)}
      <div class="stack">${viewPanel(view)} ${passwordForm(view, refused)} ${sessionsPanel(view)}</div>
    </div>`
  }
  return made
})

const saveCustomer = (view: View, fields: URLSearchParams) =>
  Effect.gen(function* () {
    const customers = yield* CustomerRecords
    const typed = (name: string) => {
      const text = (fields.get(name) ?? "").trim()
      return text === "" ? null : text
    }
    const { name, brand, locale, webotp_host } = yield* readTyped(CustomerForm, {
      name: fields.get("name")?.trim(),
      brand: typed("brand"),
      locale: typed("locale"),
      webotp_host: typed("webotp_host")
    })
    const change = { name, brand, webOtpHost: webotp_host, ...(locale == null ? {} : { locale }) }
    yield* writeAs(
      view,
      "customer.update",
      Effect.map(customers.update(view.actor.customerId, change), (result) => ({
        result,
        audit: customerEntry("update", result.id, { name, brand, locale, webotp_host })
      }))
    )
    return seeOther(withNotice(SETTINGS_PATH, "saved"))
  }).pipe(
    Effect.catch(showAgain(view, (errors) => settingsPage(view, { form: "customer", typed: fields, errors })))
  )

/** A new password needs a recent sign-in: a person who finds an open session must not take over the account. */
const requireFresh = Effect.fnUntraced(function* ({ session, locale: { say } }: View) {
  const age = (yield* Clock.currentTimeMillis) - instantOf(session.id)
  if (age > LINK_LIFE_MILLIS) {
    const text = say(
      "Sign out and in again first: this needs a sign-in of the last 10 minutes",
      "نخست خارج و دوباره وارد شوید: این کار ورودی از ۱۰ دقیقهٔ گذشته می‌خواهد"
    )
    return yield* fieldError("password", text)
  }
})

/** People change their own password in their own account's audit log; operators in the platform's. */
const inOwnLog = (view: View): View => (view.session.user.isOperator === true ? asPlatform(view) : view)

const setPassword = (view: View, fields: URLSearchParams) =>
  Effect.gen(function* () {
    yield* requireFresh(view)
    const own = inOwnLog(view)
    const users = yield* Users
    const { password } = yield* readTyped(PasswordForm, { password: fields.get("password") })
    const passwordHash = yield* hashed(own, password)
    yield* writeAs(
      own,
      "user.set_password",
      Effect.map(users.setPassword(own.actor.customerId, view.session.user.id, passwordHash), (result) => ({
        result,
        audit: userEntry("set_password", result.id)
      }))
    )
    return clearSession(seeOther(withNotice(SIGN_IN_PATH, "password_set")), view)
  }).pipe(
    Effect.catch(showAgain(view, (errors) => settingsPage(view, { form: "password", typed: fields, errors })))
  )

/** The account's own details, and what everybody sets for themselves. */
export const settingsPages = {
  name: "settings",
  routes: [
    page(SETTINGS_PATH, (view) => settingsPage(view, null)),
    ownerChange(SETTINGS_PATH, saveCustomer),
    form(`${SETTINGS_PATH}/password`, setPassword)
  ]
} as const satisfies ConsolePages
