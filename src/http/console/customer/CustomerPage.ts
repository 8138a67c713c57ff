import { Effect, Struct } from "effect"
import { LimitOverrides } from "../../../domain/customer/Admission.ts"
import { CUSTOMERS_PATH, planField, planName } from "./CustomersPage.ts"
import { errorSummary, type FieldErrors, noFieldErrors } from "../forms/FieldErrors.ts"
import { inputField } from "../forms/Fields.ts"
import { csrfField, onceField } from "../forms/Forms.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { postButton } from "../parts/Confirm.ts"
import { tiles } from "../parts/Panels.ts"
import { type CustomerRecord, CustomerRecords } from "../../../services/customer/CustomerRecords.ts"
import { type Balance, Wallets } from "../../../services/money/Wallets.ts"

/** Which form was refused, with what was typed. */
export interface Refused {
  readonly form: "details" | "limits" | "top-up"
  readonly typed: URLSearchParams
  readonly errors: FieldErrors
}

const limitWords = {
  phone_hour: ["Codes to a phone in an hour", "کد به یک شماره در ساعت"],
  phone_day: ["Codes to a phone in a day", "کد به یک شماره در روز"],
  message_phone_hour: ["Messages to a phone in an hour", "پیام به یک شماره در ساعت"],
  message_phone_day: ["Messages to a phone in a day", "پیام به یک شماره در روز"],
  key_minute: ["Requests of a key in a minute", "درخواست هر کلید در دقیقه"],
  monthly_quota: ["Requests in a month (free plan)", "درخواست در ماه (طرح رایگان)"]
} as const satisfies Record<keyof LimitOverrides, readonly [string, string]>

const limitNames = Struct.keys(LimitOverrides.fields)
const partOf = (refused: Refused | null, form: Refused["form"]) =>
  refused?.form === form ? refused : { typed: null, errors: noFieldErrors }

const detailsForm = (view: View, { id, name, plan }: CustomerRecord, refused: Refused | null): Html => {
  const { say } = view.locale
  const { typed, errors } = partOf(refused, "details")
  return html`<section class="panel" aria-labelledby="details-title">
    <div class="panel-head"><h2 id="details-title">${say("Name and plan", "نام و طرح")}</h2></div>
    <form class="panel-body fields" method="post" action="${CUSTOMERS_PATH}/${id}">
      ${csrfField(view.csrf)} ${errorSummary(errors, view.locale)}
      ${inputField({ name: "name", label: say("Name", "نام"), value: typed?.get("name") ?? name, isRequired: true, errors })}
      ${planField(view.locale, typed?.get("plan") ?? plan, errors)}
      <div><button class="button primary">${say("Save", "ذخیره")}</button></div>
    </form>
  </section>`
}

const topUpForm = (view: View, { id }: CustomerRecord, refused: Refused | null): Html => {
  const { say } = view.locale
  const { typed, errors } = partOf(refused, "top-up")
  return html`<section class="panel" aria-labelledby="top-up-title">
    <div class="panel-head"><h2 id="top-up-title">${say("Top up the wallet", "افزایش موجودی")}</h2></div>
    <form class="panel-body fields" method="post" action="${CUSTOMERS_PATH}/${id}/top-up">
      ${csrfField(view.csrf)}${onceField()} ${errorSummary(errors, view.locale)}
      ${inputField({
        name: "amount",
        label: say("Amount in rials", "مبلغ به ریال"),
        value: typed?.get("amount") ?? "",
        isRequired: true,
        isNumber: true,
        errors
      })}
      <div><button class="button">${say("Top up", "افزایش")}</button></div>
    </form>
  </section>`
}

const limitsForm = (view: View, id: number, limits: LimitOverrides, refused: Refused | null): Html => {
  const { say } = view.locale
  const { typed, errors } = partOf(refused, "limits")
  return html`<section class="panel" aria-labelledby="limits-title">
    <div class="panel-head"><h2 id="limits-title">${say("Limits", "محدودیت‌ها")}</h2></div>
    <form class="panel-body fields" method="post" action="${CUSTOMERS_PATH}/${id}/limits">
      ${csrfField(view.csrf)} ${errorSummary(errors, view.locale)}
      <p class="hint">
        ${say("Empty: the installation's limit. 0: no limit.", "خالی: محدودیت این نصب. ۰: بی‌سقف.")}
      </p>
      ${limitNames.map((name) => {
        const [english, persian] = limitWords[name]
        const value = typed?.get(name) ?? String(limits[name] ?? "")
        return inputField({ name, label: say(english, persian), value, isNumber: true, errors })
      })}
      <div><button class="button primary">${say("Save", "ذخیره")}</button></div>
    </form>
  </section>`
}

const balanceTiles = ({ balance, held }: Balance, customer: CustomerRecord, view: View): Html => {
  const { say, rials, time } = view.locale
  return tiles([
    { label: say("Plan", "طرح"), value: planName(customer.plan, view.locale) },
    { label: say("Available", "در دسترس"), value: rials(balance - held) },
    { label: say("Held", "نگه‌داشته"), value: rials(held) },
    { label: say("Since", "از"), value: html`<span class="tile-time">${time(customer.createdAt)}</span>` }
  ])
}

/** The query of the page after a top-up. */
export const TOPPED_UP = "notice=topped_up"

/** What was just added to the wallet, from the ledger: an address must not make the page claim an amount. */
const addedPart = Effect.fnUntraced(function* ({ query, locale }: View, id: number) {
  if (query.get("notice") !== "topped_up") return null
  const { items } = yield* (yield* Wallets).ledger(id, { limit: 1, after: null, kind: "top_up" })
  const [last] = items
  if (last === undefined) return null
  const amount = locale.rials(last.amount)
  return html`<p class="notice good" role="status">
    ${locale.say(`${amount} were added to the wallet.`, `${amount} به کیف پول افزوده شد.`)}
  </p>`
})

/** One customer, for operators; after a form that was refused, with what was typed. */
export const customerPage = Effect.fnUntraced(function* (view: View, id: number, refused: Refused | null) {
  const { say } = view.locale
  const customers = yield* CustomerRecords
  const customer = yield* customers.find(id)
  const limits = yield* customers.limits(id)
  const balance = yield* (yield* Wallets).balance(id)
  const made: Page = {
    title: customer.name,
    name: "customers",
    lead: html`<a href="${CUSTOMERS_PATH}">${say("Customers", "مشتریان")}</a> / ${view.locale.number(id)}`,
    actions: postButton(view, {
      action: `${CUSTOMERS_PATH}/${id}/enter`,
      label: say("Open their console", "باز کردن کنسول او"),
      kind: "primary"
    }),
    content: html`${yield* addedPart(view, id)} ${balanceTiles(balance, customer, view)}
      <div class="columns">
        <div class="stack">${limitsForm(view, id, limits, refused)}</div>
        <div class="stack">${detailsForm(view, customer, refused)} ${topUpForm(view, customer, refused)}</div>
      </div>`
  }
  return made
})
