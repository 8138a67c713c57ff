import { Clock, Effect } from "effect"
import type { Plan } from "../../domain/customer/Customer.ts"
import { pastedText } from "../../domain/text/PastedText.ts"
import { pathOf } from "./Navigation.ts"
import { html, type Html } from "./frame/Html.ts"
import type { Page } from "./frame/Layout.ts"
import type { View } from "./frame/SignedRoutes.ts"
import { badge } from "./parts/Badge.ts"
import { emptyState, filters, pager, table } from "./parts/Lists.ts"
import { isolated } from "./parts/Text.ts"
import { type CustomerRecord, CustomerRecords } from "../../services/customer/CustomerRecords.ts"
import { HealthReports } from "../../services/system/HealthReports.ts"
import { InstallationReports, MAX_COUNTED } from "../../services/system/InstallationReports.ts"

export const CUSTOMERS_PATH = pathOf("customers")
export const NEW_CUSTOMER_PATH = `${CUSTOMERS_PATH}/new` as const

const ROWS = 50

const plans: Readonly<Record<Plan, readonly [english: string, persian: string]>> = {
  free: ["Free", "رایگان"],
  start: ["Start", "شروع"],
  business: ["Business", "کسب‌وکار"]
}

export const planName = (plan: Plan, { say }: View["locale"]): string => say(...plans[plan])

/** A customer among the others: its figures, and how many of its accounts and webhooks fail. */
interface CustomerRow extends CustomerRecord {
  readonly sends: number
  readonly available: number
  readonly trouble: number
}

const sortings = {
  newest: ["Newest first", "جدیدترین", (one: CustomerRow, other: CustomerRow) => other.id - one.id],
  volume: ["Most sends", "بیشترین ارسال", (one, other) => other.sends - one.sends || other.id - one.id],
  balance: [
    "Least balance",
    "کمترین موجودی",
    (one, other) => one.available - other.available || other.id - one.id
  ],
  trouble: ["Most trouble", "بیشترین مشکل", (one, other) => other.trouble - one.trouble || other.id - one.id]
} as const satisfies Readonly<
  Record<
    string,
    readonly [english: string, persian: string, (one: CustomerRow, other: CustomerRow) => number]
  >
>

const isSorting = (name: string): name is keyof typeof sortings => Object.hasOwn(sortings, name)

const troubleBadge = (trouble: number, { say, number }: View["locale"]): Html =>
  trouble === 0
    ? html`<span class="muted">–</span>`
    : html`<a href="${pathOf("health")}"
        >${badge("warn", say(`${number(trouble)} failing`, `${number(trouble)} ناموفق`))}</a
      >`

const sendsText = (sends: number, { number }: View["locale"]): string =>
  sends < MAX_COUNTED ? number(sends) : `${number(sends)}+`

const customerTable = (customers: ReadonlyArray<CustomerRow>, { locale }: View): Html => {
  const { say, time, number, rials } = locale
  return table(
    say("Customers", "مشتری‌ها"),
    [
      {
        header: say("Name", "نام"),
        kind: "title",
        cell: ({ id, name }: CustomerRow) =>
          html`<a href="${CUSTOMERS_PATH}/${id}">${isolated(name)}</a> <span class="sub">${number(id)}</span>`
      },
      { header: say("Plan", "پلن"), cell: ({ plan }) => badge("info", planName(plan, locale)) },
      {
        header: say("Sends, 24 h", "ارسال، ۲۴ ساعت"),
        kind: "number",
        cell: ({ sends }) => sendsText(sends, locale)
      },
      {
        header: say("Available", "قابل استفاده"),
        kind: "number",
        cell: ({ plan, available }) =>
          plan === "free" && available === 0 ? html`<span class="muted">–</span>` : rials(available)
      },
      { header: say("Trouble", "مشکل"), cell: ({ trouble }) => troubleBadge(trouble, locale) },
      { header: say("Created", "زمان ایجاد"), cell: ({ createdAt }) => time(createdAt) }
    ],
    customers
  )
}

const isFound =
  (wanted: string) =>
  ({ id, name }: CustomerRecord): boolean =>
    String(id) === wanted || name.toLowerCase().includes(wanted)

const rowsOf = Effect.fnUntraced(function* (customers: ReadonlyArray<CustomerRecord>) {
  const now = yield* Clock.currentTimeMillis
  const reports = yield* InstallationReports
  const figures = yield* reports.customers(
    customers.map(({ id }) => id),
    now
  )
  const { accounts, webhooks } = yield* (yield* HealthReports).read(now)
  const failing = [...accounts, ...webhooks]
  return customers.map((customer): CustomerRow => {
    const { codes = 0, messages = 0, available = 0 } = figures.get(customer.id) ?? {}
    const trouble = failing.filter(({ customerId }) => customerId === customer.id).length
    return { ...customer, sends: codes + messages, available, trouble }
  })
})

/** All customers, the newest first or as the address sorts them; found by their number or by a part of their name. */
export const showCustomers = Effect.fnUntraced(function* (view: View) {
  const { query, locale } = view
  const { say } = locale
  const all = yield* (yield* CustomerRecords).list
  const wanted = pastedText(query.get("q") ?? "").toLowerCase()
  const sort = query.get("sort") ?? ""
  const [, , order] = sortings[isSorting(sort) ? sort : "newest"]
  const found = yield* rowsOf(wanted === "" ? all : all.filter(isFound(wanted)))
  const sorted = found.toSorted(order)
  const after = sorted.findIndex(({ id }) => String(id) === query.get("cursor")) + 1
  const shown = sorted.slice(after, after + ROWS)
  const [{ id: last } = { id: 0 }] = shown.slice(-1)
  return {
    title: say("Customers", "مشتری‌ها"),
    name: "customers",
    lead: say("All customers of this installation.", "همهٔ مشتری‌های این سامانه."),
    actions: html`<a class="button primary" href="${NEW_CUSTOMER_PATH}"
      >${say("New customer", "مشتری جدید")}</a
    >`,
    content: html`${filters(view, [
        { name: "q", label: say("Name or number", "نام یا شماره") },
        {
          name: "sort",
          label: say("Sort", "ترتیب"),
          any: say("Newest first", "جدیدترین"),
          anyValue: "newest",
          choices: Object.entries(sortings)
            .filter(([name]) => name !== "newest")
            .map(([name, [english, persian]]) => [name, say(english, persian)] as const)
        }
      ])}
      <div class="panel">
        ${
          shown.length > 0
            ? customerTable(shown, view)
            : emptyState(
                say("No results", "چیزی پیدا نشد"),
                say("Try part of the name.", "بخشی از نام را امتحان کنید.")
              )
        }
        ${pager(view, sorted.length > after + ROWS ? String(last) : null)}
      </div>`
  } satisfies Page
})
