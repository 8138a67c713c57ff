import { Effect } from "effect"
import { Plan } from "../../../domain/customer/Customer.ts"
import { pastedText } from "../../../domain/text/PastedText.ts"
import { pathOf } from "../Navigation.ts"
import { errorSummary, type FieldErrors } from "../forms/FieldErrors.ts"
import { inputField, selectField } from "../forms/Fields.ts"
import { csrfField, onceField } from "../forms/Forms.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { badge } from "../parts/Badge.ts"
import { emptyState, filters, pager, table } from "../parts/Lists.ts"
import { foreign } from "../parts/Text.ts"
import { type CustomerRecord, CustomerRecords } from "../../../services/customer/CustomerRecords.ts"

export const CUSTOMERS_PATH = pathOf("customers")
export const NEW_CUSTOMER_PATH = `${CUSTOMERS_PATH}/new` as const

const ROWS = 50

const plans: Readonly<Record<Plan, readonly [english: string, persian: string]>> = {
  free: ["Free", "رایگان"],
  start: ["Start", "شروع"],
  business: ["Business", "کسب‌وکار"]
}

export const planName = (plan: Plan, { say }: View["locale"]): string => say(...plans[plan])

export const planField = (locale: View["locale"], value: string, errors: FieldErrors): Html =>
  selectField({
    name: "plan",
    label: locale.say("Plan", "طرح"),
    value,
    choices: Plan.literals.map((plan) => [plan, planName(plan, locale)] as const),
    errors
  })

const customerTable = (customers: ReadonlyArray<CustomerRecord>, { locale }: View): Html => {
  const { say, time, number } = locale
  return table(
    say("Customers", "مشتریان"),
    [
      {
        header: say("Name", "نام"),
        kind: "title",
        cell: ({ id, name }: CustomerRecord) => html`<a href="${CUSTOMERS_PATH}/${id}">${foreign(name)}</a>`
      },
      { header: say("Number", "شماره"), cell: ({ id }) => number(id) },
      { header: say("Plan", "طرح"), cell: ({ plan }) => badge("info", planName(plan, locale)) },
      { header: say("Since", "از"), cell: ({ createdAt }) => time(createdAt) }
    ],
    customers
  )
}

const isFound =
  (wanted: string) =>
  ({ id, name }: CustomerRecord): boolean =>
    String(id) === wanted || name.toLowerCase().includes(wanted)

/** All customers, the newest first; found by their number or by a part of their name. */
export const showCustomers = Effect.fnUntraced(function* (view: View) {
  const { query, locale } = view
  const { say } = locale
  const all = yield* (yield* CustomerRecords).list
  const wanted = pastedText(query.get("q") ?? "").toLowerCase()
  const found = (wanted === "" ? all : all.filter(isFound(wanted))).toSorted((a, b) => b.id - a.id)
  const after = Number(query.get("cursor") ?? Number.MAX_SAFE_INTEGER)
  const rest = found.filter(({ id }) => id < after)
  const shown = rest.slice(0, ROWS)
  const made: Page = {
    title: say("Customers", "مشتریان"),
    name: "customers",
    lead: say("All customers of this installation.", "همهٔ کسانی که از این نصب استفاده می‌کنند."),
    actions: html`<a class="button primary" href="${NEW_CUSTOMER_PATH}"
      >${say("New customer", "مشتری تازه")}</a
    >`,
    content: html`${filters(view, [{ name: "q", label: say("Name or number", "نام یا شماره") }])}
      <div class="panel">
        ${
          shown.length > 0
            ? customerTable(shown, view)
            : emptyState(
                say("No such customer", "چنین مشتری‌ای نیست"),
                say("Try a part of the name.", "بخشی از نام را امتحان کنید.")
              )
        }
        ${pager(view, rest.length > ROWS ? String(shown.at(-1)?.id ?? "") : null)}
      </div>`
  }
  return made
})

export const newCustomerPage = (view: View, typed: URLSearchParams, errors: FieldErrors): Page => {
  const { say } = view.locale
  return {
    title: say("New customer", "مشتری تازه"),
    name: "customers",
    lead: html`<a href="${CUSTOMERS_PATH}">${say("Customers", "مشتریان")}</a>`,
    content: html`<form class="panel panel-body fields narrow" method="post" action="${NEW_CUSTOMER_PATH}">
      ${csrfField(view.csrf)}${onceField()} ${errorSummary(errors, view.locale)}
      ${inputField({ name: "name", label: say("Name", "نام"), value: typed.get("name") ?? "", isRequired: true, errors })}
      ${planField(view.locale, typed.get("plan") ?? "start", errors)}
      <div class="actions">
        <button class="button primary">${say("Create the customer", "ساخت مشتری")}</button>
        <a class="button quiet" href="${CUSTOMERS_PATH}">${say("Cancel", "انصراف")}</a>
      </div>
    </form>`
  }
}
