import { Effect, Schema, Struct } from "effect"
import type { HttpServerResponse } from "effect/http"
import { LimitOverrides } from "../../domain/customer/Limits.ts"
import { Plan } from "../../domain/customer/Customer.ts"
import type { ConsolePages } from "./ConsolePages.ts"
import { CUSTOMERS_PATH, NEW_CUSTOMER_PATH, planName, showCustomers } from "./CustomerList.ts"
import { HOME_PATH, LEAVE_PATH } from "./ConsolePaths.ts"
import { creating, formAction, onceFormAction } from "./forms/ActionForms.ts"
import { errorSummary, type FieldErrors, inputField, noFieldErrors, selectField } from "./forms/FormFields.ts"
import { csrfField, emptyForm, onceField, submittedNumber } from "./forms/Forms.ts"
import { seeOther } from "./frame/Responses.ts"
import { html, type Html } from "./frame/Html.ts"
import type { Page } from "./frame/Layout.ts"
import type { ConsoleError } from "./frame/Refusals.ts"
import { asPlatform, inLogOf, operatorForm, operatorPage, pathId, type View } from "./frame/SignedRoutes.ts"
import { postButton } from "./parts/Confirm.ts"
import { withNotice } from "./parts/Notice.ts"
import { tiles } from "./parts/Panels.ts"
import {
  type CustomerRecord,
  CustomerRecords,
  changeCustomer,
  createCustomer,
  enterCustomer,
  setLimits,
  topUp
} from "../../services/customer/CustomerRecords.ts"
import { type Balance, Wallets } from "../../services/Wallets.ts"
import { Settings, type SettingsShape } from "../../services/Settings.ts"
import { ConsoleSessions } from "../../services/user/ConsoleSessions.ts"

const planField = (locale: View["locale"], value: string, errors: FieldErrors): Html =>
  selectField({
    name: "plan",
    label: locale.say("Plan", "پلن"),
    value,
    choices: Plan.literals.map((plan) => [plan, planName(plan, locale)] as const),
    errors
  })

const newCustomerPage = (view: View, submitted: URLSearchParams, errors: FieldErrors): Page => {
  const { say } = view.locale
  return {
    title: say("New customer", "مشتری جدید"),
    name: "customers",
    lead: html`<a href="${CUSTOMERS_PATH}">${say("Customers", "مشتری‌ها")}</a>`,
    content: html`<form class="panel panel-body fields narrow" method="post" action="${NEW_CUSTOMER_PATH}">
      ${csrfField(view.csrf)}${onceField()} ${errorSummary(errors, view.locale)}
      ${inputField({ name: "name", label: say("Name", "نام"), value: submitted.get("name") ?? "", isRequired: true, errors })}
      ${planField(view.locale, submitted.get("plan") ?? "start", errors)}
      <div class="actions">
        <button class="button primary">${say("Create customer", "ساخت مشتری")}</button>
        <a class="button quiet" href="${CUSTOMERS_PATH}">${say("Cancel", "انصراف")}</a>
      </div>
    </form>`
  }
}

/** Which form was refused, with what was typed. */
interface Refused {
  readonly form: "details" | "limits" | "top-up"
  readonly submitted: URLSearchParams
  readonly errors: FieldErrors
}

const limitText = {
  phone_hour: ["Codes per phone and hour", "کد به یک شماره در ساعت"],
  phone_day: ["Codes per phone and day", "کد به یک شماره در روز"],
  message_phone_hour: ["Messages per phone and hour", "پیام به یک شماره در ساعت"],
  message_phone_day: ["Messages per phone and day", "پیام به یک شماره در روز"],
  key_minute: ["Requests per key and minute", "درخواست هر کلید در دقیقه"],
  monthly_quota: ["Requests per month (free plan)", "درخواست در ماه (پلن رایگان)"]
} as const satisfies Record<keyof LimitOverrides, readonly [string, string]>

const limitNames = Struct.keys(LimitOverrides.fields)
const partOf = (refused: Refused | null, form: Refused["form"]) =>
  refused?.form === form ? refused : { submitted: null, errors: noFieldErrors }

const detailsForm = (view: View, { id, name, plan }: CustomerRecord, refused: Refused | null): Html => {
  const { say } = view.locale
  const { submitted, errors } = partOf(refused, "details")
  return html`<section class="panel" aria-labelledby="details-title">
    <div class="panel-head"><h2 id="details-title">${say("Name and plan", "نام و پلن")}</h2></div>
    <form class="panel-body fields" method="post" action="${CUSTOMERS_PATH}/${id}">
      ${csrfField(view.csrf)} ${errorSummary(errors, view.locale)}
      ${inputField({ name: "name", label: say("Name", "نام"), value: submitted?.get("name") ?? name, isRequired: true, errors })}
      ${planField(view.locale, submitted?.get("plan") ?? plan, errors)}
      <div><button class="button primary">${say("Save", "ذخیره")}</button></div>
    </form>
  </section>`
}

const topUpForm = (view: View, { id }: CustomerRecord, refused: Refused | null): Html => {
  const { say } = view.locale
  const { submitted, errors } = partOf(refused, "top-up")
  return html`<section class="panel" aria-labelledby="top-up-title">
    <div class="panel-head"><h2 id="top-up-title">${say("Top up wallet", "شارژ کیف پول")}</h2></div>
    <form class="panel-body fields" method="post" action="${CUSTOMERS_PATH}/${id}/top-up">
      ${csrfField(view.csrf)}${onceField()} ${errorSummary(errors, view.locale)}
      ${inputField({
        name: "amount",
        label: say("Amount in rials", "مبلغ به ریال"),
        value: submitted?.get("amount") ?? "",
        isRequired: true,
        isNumber: true,
        errors
      })}
      <div><button class="button">${say("Top up", "شارژ")}</button></div>
    </form>
  </section>`
}

/** The default limits, for customers without their own. */
const defaultOf = (name: keyof LimitOverrides, settings: SettingsShape): number =>
  ({
    phone_hour: settings.phoneHourLimit,
    phone_day: settings.phoneDayLimit,
    message_phone_hour: settings.messagePhoneHourLimit,
    message_phone_day: settings.messagePhoneDayLimit,
    key_minute: settings.keyMinuteLimit,
    monthly_quota: settings.freeMonthlyQuota
  })[name]

const limitsForm = (
  view: View,
  id: number,
  limits: LimitOverrides,
  settings: SettingsShape,
  refused: Refused | null
): Html => {
  const { say, number } = view.locale
  const { submitted, errors } = partOf(refused, "limits")
  return html`<section class="panel" aria-labelledby="limits-title">
    <div class="panel-head"><h2 id="limits-title">${say("Limits", "سقف‌ها")}</h2></div>
    <form class="panel-body fields" method="post" action="${CUSTOMERS_PATH}/${id}/limits">
      ${csrfField(view.csrf)} ${errorSummary(errors, view.locale)}
      <p class="hint">${say("Empty: the default. 0: no limit.", "خالی: پیش‌فرض. ۰: بدون سقف.")}</p>
      <div class="fields pairs">
        ${limitNames.map((name) => {
          const [english, persian] = limitText[name]
          const value = submitted?.get(name) ?? String(limits[name] ?? "")
          const usual = defaultOf(name, settings)
          const shown = usual === 0 ? say("no limit", "بدون سقف") : number(usual)
          const hint = say(`Default: ${shown}`, `پیش‌فرض: ${shown}`)
          return inputField({ name, label: say(english, persian), value, isNumber: true, hint, errors })
        })}
      </div>
      <div><button class="button primary">${say("Save", "ذخیره")}</button></div>
    </form>
  </section>`
}

const balanceTiles = ({ balance, held }: Balance, customer: CustomerRecord, view: View): Html => {
  const { say, rials, time } = view.locale
  return tiles([
    { label: say("Plan", "پلن"), value: planName(customer.plan, view.locale) },
    { label: say("Available", "قابل استفاده"), value: rials(balance - held) },
    { label: say("Held", "رزروشده"), value: rials(held) },
    {
      label: say("Created", "زمان ایجاد"),
      value: html`<span class="tile-time">${time(customer.createdAt)}</span>`
    }
  ])
}

/** The query of the page after a top-up. */
const TOPPED_UP = "notice=topped_up"

/** What was just added to the wallet, from the ledger: an address must not make the page claim an amount. */
const addedPart = Effect.fnUntraced(function* ({ query, locale }: View, id: number) {
  if (query.get("notice") !== "topped_up") return null
  const { items } = yield* (yield* Wallets).ledger(id, { limit: 1, after: null, kind: "top_up" })
  const [last] = items
  if (last === undefined) return null
  const amount = locale.rials(last.amount)
  return html`<p class="notice good" role="status">
    ${locale.say(`${amount} added to the wallet.`, `${amount} به کیف پول اضافه شد.`)}
  </p>`
})

/** One customer, for operators; after a form that was refused, with what was typed. */
const customerPage = Effect.fnUntraced(function* (view: View, id: number, refused: Refused | null) {
  const { say } = view.locale
  const customers = yield* CustomerRecords
  const customer = yield* customers.find(id)
  const limits = yield* customers.limits(id)
  const balance = yield* (yield* Wallets).balance(id)
  return {
    title: customer.name,
    name: "customers",
    lead: html`<a href="${CUSTOMERS_PATH}">${say("Customers", "مشتری‌ها")}</a> / ${view.locale.number(id)}`,
    actions: postButton(view, {
      action: `${CUSTOMERS_PATH}/${id}/enter`,
      label: say("Open console", "باز کردن کنسول مشتری"),
      kind: "primary"
    }),
    content: html`${yield* addedPart(view, id)} ${balanceTiles(balance, customer, view)}
      <div class="columns">
        <div class="stack">${limitsForm(view, id, limits, yield* Settings, refused)}</div>
        <div class="stack">${detailsForm(view, customer, refused)} ${topUpForm(view, customer, refused)}</div>
      </div>`
  } satisfies Page
})

const CUSTOMER_PATH = `${CUSTOMERS_PATH}/:id` as const

const detailsInput = (fields: URLSearchParams) => ({
  name: fields.get("name")?.trim(),
  plan: fields.get("plan")
})

const submitNewCustomer = onceFormAction(createCustomer, {
  target: creating,
  as: asPlatform,
  input: detailsInput,
  shown: Schema.Int,
  show: ({ id }) => id,
  done: (_, id) => seeOther(withNotice(`${CUSTOMERS_PATH}/${id}`, "created")),
  again: (view, fields, errors) => Effect.succeed(newCustomerPage(view, fields, errors))
})

/** A form of a customer's page: in the operator's name, and in the customer's audit log. */
const faceOf = (id: number, form: Refused["form"]) => ({
  target: creating,
  as: (view: View) => inLogOf(id, view),
  done: () => seeOther(withNotice(`${CUSTOMERS_PATH}/${id}`, "saved")),
  again: (view: View, submitted: URLSearchParams, errors: FieldErrors) =>
    customerPage(view, id, { form, submitted, errors })
})

const submitDetails = (id: number) =>
  formAction(changeCustomer, { ...faceOf(id, "details"), input: detailsInput })

const submitLimits = (id: number) =>
  formAction(setLimits, {
    ...faceOf(id, "limits"),
    input: (fields) => Object.fromEntries(limitNames.map((name) => [name, submittedNumber(fields.get(name))]))
  })

const submitTopUp = (id: number) =>
  onceFormAction(topUp, {
    ...faceOf(id, "top-up"),
    input: (fields) => ({ amount: submittedNumber(fields.get("amount")) }),
    shown: Schema.Null,
    show: () => null,
    done: () => seeOther(`${CUSTOMERS_PATH}/${id}?${TOPPED_UP}`)
  })

const submitEntry = (id: number) => (view: View, fields: URLSearchParams) =>
  formAction(enterCustomer, {
    target: Effect.succeed(view.session.id),
    as: (visitor) => inLogOf(id, visitor),
    done: () => seeOther(HOME_PATH)
  })(view, fields)

const customerForm = <R>(
  below: string,
  submit: (
    id: number
  ) => (
    view: View,
    fields: URLSearchParams
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse, ConsoleError, R>
) =>
  operatorForm(`${CUSTOMER_PATH}${below}`, (view, fields) =>
    Effect.flatMap(pathId, (id) => submit(id)(view, fields))
  )

const leave = (view: View) =>
  Effect.flatMap(ConsoleSessions, (sessions) =>
    Effect.as(sessions.enter(view.session.id, null), seeOther(CUSTOMERS_PATH))
  )

/** All customers, for those who run the installation. */
export const customerPages = {
  name: "customers",
  routes: [
    operatorPage(CUSTOMERS_PATH, showCustomers),
    operatorPage(NEW_CUSTOMER_PATH, (view) =>
      Effect.succeed(newCustomerPage(view, emptyForm(), noFieldErrors))
    ),
    operatorForm(NEW_CUSTOMER_PATH, submitNewCustomer),
    operatorForm(LEAVE_PATH, leave),
    operatorPage(CUSTOMER_PATH, (view) => Effect.flatMap(pathId, (id) => customerPage(view, id, null))),
    customerForm("", submitDetails),
    customerForm("/limits", submitLimits),
    customerForm("/top-up", submitTopUp),
    customerForm("/enter", submitEntry)
  ]
} as const satisfies ConsolePages
