import { Clock, Effect } from "effect"
import { formatInstant, type Instant } from "../../domain/Instant.ts"
import { isTimePosition } from "../../domain/Paging.ts"
import type { Plan } from "../../domain/customer/Customer.ts"
import type { ConsolePages } from "./ConsolePages.ts"
import { pathOf } from "./Navigation.ts"
import { BUDGET_PATH, budgetPart, type RefusedBudget, submitBudget } from "./BudgetPart.ts"
import { allRows, csvFile } from "./frame/CsvFile.ts"
import { icon } from "./frame/Document.ts"
import { html, type Html } from "./frame/Html.ts"
import type { Page } from "./frame/Layout.ts"
import { change, page, raw, type View } from "./frame/SignedRoutes.ts"
import { addressWith } from "./frame/Visit.ts"
import { badge } from "./parts/Badge.ts"
import {
  choiceProblems,
  emptyState,
  type Filter,
  filters,
  noResults,
  orderFilter,
  orderIn,
  orderLink,
  pager,
  pageRequest,
  readTimes,
  refusedSearch,
  searchProblems,
  table,
  timeFilters,
  withinFilter
} from "./parts/Lists.ts"
import { tiles } from "./parts/Panels.ts"
import { channelName, shortId } from "./parts/Text.ts"
import { savedViews } from "./SavedViewsPage.ts"
import { showStatement, STATEMENT_PATH } from "./StatementPage.ts"
import { CustomerRecords } from "../../services/customer/CustomerRecords.ts"
import {
  type Balance,
  type Hold,
  type LedgerEntry,
  type LedgerKind,
  LedgerKind as Kinds,
  Wallets
} from "../../services/Wallets.ts"

const HOLDS_PATH = `${pathOf("wallet")}/holds` as const

/** The page of what was paid for. */
const subjectLink = (
  { subjectType, subjectId }: Pick<LedgerEntry, "subjectType" | "subjectId">,
  { navigation }: View
): Html => {
  if (subjectType === null || subjectId === null) return html`<span class="muted">–</span>`
  const name = subjectType === "message" ? "messages" : "verifications"
  return navigation.some(({ pages }) => pages.some((each) => each.name === name))
    ? html`<a href="${pathOf(name)}/${subjectId}">${shortId(subjectId)}</a>`
    : shortId(subjectId)
}

const titleOf = ({ say }: View["locale"]): string =>
  say("Held for sends in progress", "رزروشده برای ارسال‌های در حال انجام")

const holdsTable = (holds: ReadonlyArray<Hold>, view: View): Html => {
  const { say, time, rials } = view.locale
  return table(
    say("Held", "رزروشده"),
    [
      {
        header: say("Held since", "زمان رزرو"),
        kind: "title",
        cell: ({ createdAt }: Hold) => time(createdAt)
      },
      { header: say("Code or message", "کد یا پیام"), cell: (hold) => subjectLink(hold, view) },
      { header: say("Amount", "مبلغ"), kind: "number", cell: ({ amount }) => rials(amount) }
    ],
    holds
  )
}

const MAX_SHOWN = 10

/** A part of the page of the wallet; null if nothing is held. */
const newestHolds = Effect.fnUntraced(function* (view: View) {
  const { say, number } = view.locale
  const wallets = yield* Wallets
  const { items, next } = yield* wallets.holds(view.actor.customerId, { limit: MAX_SHOWN, after: null })
  if (items.length === 0) return null
  return html`<section class="panel" aria-labelledby="holds-title">
    <div class="panel-head">
      <h2 id="holds-title">${titleOf(view.locale)}</h2>
      ${
        next !== null &&
        html`<span class="muted">
          ${say(`Newest ${number(MAX_SHOWN)}.`, `${number(MAX_SHOWN)} مورد آخر.`)}
          <a href="${HOLDS_PATH}">${say("Show all", "نمایش همه")}</a>
        </span>`
      }
    </div>
    ${holdsTable(items, view)}
  </section>`
})

/** Everything that is held. */
const showHolds = Effect.fnUntraced(function* (view: View) {
  const { say } = view.locale
  const wallets = yield* Wallets
  const { items, next } = yield* wallets.holds(
    view.actor.customerId,
    yield* pageRequest(view, isTimePosition)
  )
  return {
    title: titleOf(view.locale),
    name: "wallet",
    lead: html`<a href="${pathOf("wallet")}">${say("Wallet", "کیف پول")}</a>`,
    content: html`<div class="panel">
      ${
        items.length > 0
          ? holdsTable(items, view)
          : emptyState(
              say("Nothing held", "مبلغی رزرو نشده است"),
              say(
                "The price of a send is held until it is charged or released.",
                "هزینهٔ هر ارسال رزرو می‌شود تا برداشت یا آزاد شود."
              )
            )
      }
      ${pager(view, next)}
    </div>`
  } satisfies Page
})

const kindText = (kind: LedgerKind, { say }: View["locale"]): string =>
  kind === "top_up" ? say("Top-up", "شارژ") : say("Send", "ارسال")

const signed = (amount: number, { signedRials }: View["locale"]): Html =>
  html`<span class="nowrap">${signedRials(amount)}</span>`

/** “Code 019c…”, with a link to it. */
const subjectPart = (entry: LedgerEntry, view: View): Html => {
  const { say } = view.locale
  const kind = entry.subjectType === "message" ? say("Message", "پیام") : say("Code", "کد")
  if (entry.subjectType === null)
    return html`<span class="muted"
      ><span class="table-word">–</span
      ><span class="card-word">${kindText(entry.kind, view.locale)}</span></span
    >`
  const channel = entry.channel === null ? null : ` · ${channelName(entry.channel, view.locale)}`
  return html`<span class="muted">${kind}</span> ${subjectLink(entry, view)}${
      channel !== null && html`<span class="card-word">${channel}</span>`
    }`
}

const ledgerTable = (entries: ReadonlyArray<LedgerEntry>, view: View): Html => {
  const { locale } = view
  const { say, time } = locale
  const none = html`<span class="muted">–</span>`
  return table(
    say("Ledger", "تراکنش‌ها"),
    [
      {
        header: say("Time", "زمان"),
        kind: "title",
        order: orderLink(view),
        cell: ({ occurredAt }: LedgerEntry) => time(occurredAt)
      },
      {
        header: say("Type", "نوع"),
        cell: ({ kind }) => badge(kind === "top_up" ? "good" : "plain", kindText(kind, locale))
      },
      {
        header: say("Code or message", "کد یا پیام"),
        card: "detail",
        cell: (entry) => subjectPart(entry, view)
      },
      {
        header: say("Channel", "کانال"),
        cell: ({ channel }) => (channel === null ? none : channelName(channel, locale))
      },
      {
        header: say("Amount", "مبلغ"),
        kind: "number",
        card: "state",
        cell: ({ amount }) => signed(amount, locale)
      },
      {
        header: say("Balance", "موجودی"),
        kind: "number",
        card: "time",
        cell: ({ balanceAfter }) => (balanceAfter === null ? none : locale.rials(balanceAfter))
      }
    ],
    entries,
    { idOf: ({ id }) => id, isCompact: true }
  )
}

const shownFilters = ({ locale }: View): ReadonlyArray<Filter> => [
  {
    name: "kind",
    label: locale.say("Type", "نوع"),
    any: locale.say("All", "همه"),
    choices: Kinds.literals.map((kind) => [kind, kindText(kind, locale)] as const)
  },
  withinFilter(locale)
]

const moreFilters = ({ locale }: View): ReadonlyArray<Filter> => [orderFilter(locale), ...timeFilters(locale)]

const ledgerSearch = (view: View, now: Instant) => {
  const { from, to, problems } = readTimes(view, now)
  const kind = Kinds.literals.find((each) => each === view.query.get("kind"))
  return {
    search: { kind, from, to, order: orderIn(view) },
    problems: [...choiceProblems(view, [...shownFilters(view), ...moreFilters(view)]), ...problems]
  }
}

const WALLET_PATH = pathOf("wallet")
const CSV_PATH = `${WALLET_PATH}/ledger.csv` as const

const balanceTiles = ({ balance, held }: Balance, { locale: { say, rials } }: View): Html =>
  tiles([
    { label: say("Available", "قابل استفاده"), value: rials(balance - held) },
    {
      label: say("Held", "رزروشده"),
      value: rials(held),
      note: say("for sends in progress", "برای ارسال‌های در حال انجام")
    },
    { label: say("Balance", "موجودی"), value: rials(balance) }
  ])

const noEntries = ({ locale: { say } }: View, isFiltered: boolean): Html =>
  isFiltered
    ? noResults({ say })
    : emptyState(
        say("No entries yet", "هنوز تراکنشی نیست"),
        say("The operator tops up the wallet.", "مدیر سامانه کیف پول را شارژ می‌کند.")
      )

const whatIsCharged = (plan: Plan, { locale: { say } }: View): string =>
  plan === "free"
    ? say(
        "Sends on the free plan cost nothing. Other plans use the wallet.",
        "ارسال در پلن رایگان هزینه‌ای ندارد. کیف پول برای پلن‌های دیگر است."
      )
    : say(
        "Each send that a messenger accepts is charged. SMS is charged by its provider.",
        "هزینهٔ هر ارسالی که پیام‌رسان بپذیرد کم می‌شود. هزینهٔ پیامک را سرویس‌دهندهٔ پیامک می‌گیرد."
      )

const walletPage = Effect.fnUntraced(function* (view: View, refused: RefusedBudget | null) {
  const { customerId } = view.actor
  const { say } = view.locale
  const wallets = yield* Wallets
  const customer = yield* (yield* CustomerRecords).find(customerId)
  const balance = yield* wallets.balance(customerId)
  const request = yield* pageRequest(view, isTimePosition)
  const { search, problems } = ledgerSearch(view, yield* Clock.currentTimeMillis)
  const { items, next } =
    problems.length > 0
      ? { items: [], next: null }
      : yield* wallets.ledger(customerId, { ...request, ...search })
  const holds = balance.held === 0 ? null : yield* newestHolds(view)
  const file = addressWith({ path: CSV_PATH, query: view.query }, { cursor: null, notice: null })
  const isFiltered =
    problems.length > 0 || Object.values({ ...search, order: undefined }).some((part) => part !== undefined)
  return {
    title: say("Wallet", "کیف پول"),
    name: "wallet",
    lead: whatIsCharged(customer.plan, view),
    actions: html`<a class="button" href="${STATEMENT_PATH}">${say("Monthly statement", "صورت‌حساب ماه")}</a>
      <a class="button" href="${file}">${icon("download")}<span>${say("Export CSV", "خروجی CSV")}</span></a>`,
    content: html`${balanceTiles(balance, view)}
      ${customer.plan !== "free" && (yield* budgetPart(view, yield* Clock.currentTimeMillis, refused))}
      ${holds}
      <h2 class="section-title">${say("Ledger", "تراکنش‌ها")}</h2>
      ${filters(view, shownFilters(view), moreFilters(view))} ${yield* savedViews(view, "wallet")}
      ${searchProblems(problems)}
      <div class="panel">
        ${items.length > 0 ? ledgerTable(items, view) : noEntries(view, isFiltered)} ${pager(view, next)}
      </div>`
  } satisfies Page
})

const ledgerFile = Effect.fnUntraced(function* (view: View) {
  const wallets = yield* Wallets
  const { search, problems } = ledgerSearch(view, yield* Clock.currentTimeMillis)
  if (problems.length > 0) return yield* Effect.fail(refusedSearch(problems))
  return csvFile<LedgerEntry>(
    "ledger.csv",
    [
      ["id", ({ id }) => id],
      ["time", ({ occurredAt }) => formatInstant(occurredAt)],
      ["kind", ({ kind }) => kind],
      ["amount_rials", ({ amount }) => amount],
      ["subject_type", ({ subjectType }) => subjectType],
      ["subject_id", ({ subjectId }) => subjectId],
      ["channel", ({ channel }) => channel],
      ["balance_rials", ({ balanceAfter }) => balanceAfter]
    ],
    yield* allRows((part) => wallets.ledger(view.actor.customerId, { ...search, ...part }))
  )
})

/** The balance, what is held, and every movement. */
export const walletPages = {
  name: "wallet",
  routes: [
    page(WALLET_PATH, (view) => walletPage(view, null)),
    change(BUDGET_PATH, submitBudget(walletPage)),
    page(HOLDS_PATH, showHolds),
    page(STATEMENT_PATH, showStatement),
    raw(CSV_PATH, ledgerFile)
  ]
} as const satisfies ConsolePages
