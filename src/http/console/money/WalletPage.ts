import { Effect } from "effect"
import { formatInstant } from "../../../domain/Instant.ts"
import { isTimePosition } from "../../../domain/Paging.ts"
import type { Plan } from "../../../domain/customer/Customer.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { pathOf } from "../Navigation.ts"
import { allRows, csvFile } from "../frame/CsvFile.ts"
import { icon } from "../frame/Document.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import { page, raw, type View } from "../frame/SignedRoutes.ts"
import { addressWith } from "../frame/Visit.ts"
import { HOLDS_PATH, newestHolds, showHolds, subjectLink } from "./Holds.ts"
import { badge } from "../parts/Badge.ts"
import {
  choiceProblems,
  emptyState,
  type Filter,
  filters,
  pager,
  pageRequest,
  readTimes,
  refusedSearch,
  searchProblems,
  table,
  timeFilters
} from "../parts/Lists.ts"
import { tiles } from "../parts/Panels.ts"
import { ltr } from "../parts/Text.ts"
import { CustomerRecords } from "../../../services/customer/CustomerRecords.ts"
import {
  type Balance,
  type LedgerEntry,
  type LedgerKind,
  LedgerKind as Kinds,
  Wallets
} from "../../../services/money/Wallets.ts"

const kindWords = (kind: LedgerKind, { say }: View["locale"]): string =>
  kind === "top_up" ? say("Top-up", "افزایش موجودی") : say("Send", "ارسال")

const signed = (amount: number, { rials }: View["locale"]): Html =>
  html`<span class="nowrap">${ltr(amount > 0 ? "+" : amount < 0 ? "−" : "")}${rials(Math.abs(amount))}</span>`

const ledgerTable = (entries: ReadonlyArray<LedgerEntry>, view: View): Html => {
  const { locale } = view
  const { say, time } = locale
  return table(
    say("Ledger", "دفتر کل"),
    [
      { header: say("Time", "زمان"), kind: "title", cell: ({ occurredAt }: LedgerEntry) => time(occurredAt) },
      {
        header: say("Kind", "نوع"),
        cell: ({ kind }) => badge(kind === "top_up" ? "good" : "plain", kindWords(kind, locale))
      },
      { header: say("For", "بابت"), cell: (entry) => subjectLink(entry, view) },
      { header: say("Amount", "مبلغ"), kind: "number", cell: ({ amount }) => signed(amount, locale) }
    ],
    entries
  )
}

const ledgerFilters = ({ locale }: View): ReadonlyArray<Filter> => [
  {
    name: "kind",
    label: locale.say("Kind", "نوع"),
    any: locale.say("All", "همه"),
    choices: Kinds.literals.map((kind) => [kind, kindWords(kind, locale)] as const)
  },
  ...timeFilters(locale)
]

const ledgerSearch = (view: View) => {
  const { from, to, problems } = readTimes(view)
  const kind = Kinds.literals.find((each) => each === view.query.get("kind"))
  return { search: { kind, from, to }, problems: [...choiceProblems(view, ledgerFilters(view)), ...problems] }
}

const WALLET_PATH = pathOf("wallet")
const CSV_PATH = `${WALLET_PATH}/ledger.csv` as const

const balanceTiles = ({ balance, held }: Balance, { locale: { say, rials } }: View): Html =>
  tiles([
    { label: say("Available", "در دسترس"), value: rials(balance - held) },
    {
      label: say("Held", "نگه‌داشته"),
      value: rials(held),
      note: say("for sends under way", "برای ارسال‌های در جریان")
    },
    { label: say("Balance", "موجودی"), value: rials(balance) }
  ])

const noEntries = ({ locale: { say } }: View, isFiltered: boolean): Html =>
  isFiltered
    ? emptyState(
        say("Nothing matches", "چیزی پیدا نشد"),
        say("Choose other filters.", "پالایه‌های دیگری برگزینید.")
      )
    : emptyState(
        say("No movement yet", "هنوز گردشی نیست"),
        say("The operator of this service tops up the wallet.", "گردانندهٔ سرویس موجودی را افزایش می‌دهد.")
      )

const whatIsCharged = (plan: Plan, { locale: { say } }: View): string =>
  plan === "free"
    ? say(
        "Sends on the free plan cost nothing. A wallet is for the other plans.",
        "ارسال در طرح رایگان هزینه‌ای ندارد. کیف پول برای طرح‌های دیگر است."
      )
    : say(
        "A send that a messenger accepted is charged. SMS is charged by its provider.",
        "هزینهٔ ارسالی کم می‌شود که پیام‌رسان پذیرفته باشد. هزینهٔ پیامک را سرویس‌دهنده‌اش می‌گیرد."
      )

const showWallet = Effect.fnUntraced(function* (view: View) {
  const { customerId } = view.actor
  const { say } = view.locale
  const wallets = yield* Wallets
  const customer = yield* (yield* CustomerRecords).find(customerId)
  const balance = yield* wallets.balance(customerId)
  const request = yield* pageRequest(view, isTimePosition)
  const { search, problems } = ledgerSearch(view)
  const { items, next } =
    problems.length > 0
      ? { items: [], next: null }
      : yield* wallets.ledger(customerId, { ...request, ...search })
  const holds = balance.held === 0 ? null : yield* newestHolds(view)
  const file = addressWith({ path: CSV_PATH, query: view.query }, { cursor: null, notice: null })
  const isFiltered = problems.length > 0 || Object.values(search).some((part) => part !== undefined)
  const made: Page = {
    title: say("Wallet", "کیف پول"),
    name: "wallet",
    lead: whatIsCharged(customer.plan, view),
    actions: html`<a class="button" href="${file}"
      >${icon("download")}<span>${say("Ledger as CSV", "دفتر کل، CSV")}</span></a
    >`,
    content: html`${balanceTiles(balance, view)} ${holds}
      <h2 class="section-title">${say("Ledger", "دفتر کل")}</h2>
      ${filters(view, ledgerFilters(view))} ${searchProblems(problems)}
      <div class="panel">
        ${items.length > 0 ? ledgerTable(items, view) : noEntries(view, isFiltered)} ${pager(view, next)}
      </div>`
  }
  return made
})

const ledgerFile = Effect.fnUntraced(function* (view: View) {
  const wallets = yield* Wallets
  const { search, problems } = ledgerSearch(view)
  if (problems.length > 0) return yield* Effect.fail(refusedSearch(problems))
  return csvFile<LedgerEntry>(
    "ledger.csv",
    [
      ["id", ({ id }) => id],
      ["time", ({ occurredAt }) => formatInstant(occurredAt)],
      ["kind", ({ kind }) => kind],
      ["amount_rials", ({ amount }) => amount],
      ["subject_type", ({ subjectType }) => subjectType],
      ["subject_id", ({ subjectId }) => subjectId]
    ],
    yield* allRows((part) => wallets.ledger(view.actor.customerId, { ...search, ...part }))
  )
})

/** The balance, what is held, and every movement. */
export const walletPages = {
  name: "wallet",
  routes: [page(WALLET_PATH, showWallet), page(HOLDS_PATH, showHolds), raw(CSV_PATH, ledgerFile)]
} as const satisfies ConsolePages
