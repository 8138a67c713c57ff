import { Clock, Effect, Result } from "effect"
import { type LocalCalendar, type Month, tehranDay } from "../../domain/Calendar.ts"
import { DAY_MILLIS, type Instant } from "../../domain/Instant.ts"
import { statementMonth } from "../../domain/money/Statement.ts"
import { TEHRAN } from "../../domain/TimeZones.ts"
import { foldDigits, pasted } from "../../domain/text/PastedText.ts"
import { pathOf } from "./Navigation.ts"
import { icon } from "./frame/Document.ts"
import { html, type Html, type Part } from "./frame/Html.ts"
import type { Page } from "./frame/Layout.ts"
import type { View } from "./frame/SignedRoutes.ts"
import { type ChoiceFilter, filters, searchProblems } from "./parts/Lists.ts"
import { daysText, monthsUntil, monthText } from "./parts/Periods.ts"
import { channelName, isolated, isolatedText } from "./parts/Text.ts"
import { CustomerRecords } from "../../services/customer/CustomerRecords.ts"
import { type LedgerEntry, type Statement, Wallets } from "../../services/Wallets.ts"

export const STATEMENT_PATH = `${pathOf("wallet")}/statement` as const

const SHOWN_MONTHS = 12
/** Payments that are listed one by one. */
const MAX_TOP_UPS = 100

/** Months of the calendar of Iran have lower numbers: an address names its month in either language. */
const calendarIn = (name: string): LocalCalendar["calendar"] =>
  /^1[345]/.test(name) ? "jalali" : "gregorian"

const readMonth = (view: View, now: Instant) => {
  const { query, locale } = view
  const months = monthsUntil(now, SHOWN_MONTHS, locale)
  const wanted = foldDigits(pasted(query.get("month") ?? ""))
  const named = statementMonth(wanted === "" ? (months[0]?.id ?? "") : wanted, {
    calendar: calendarIn(wanted === "" ? (months[0]?.id ?? "") : wanted),
    zone: TEHRAN
  })
  const filter: ChoiceFilter = {
    name: "month",
    label: locale.say("Month", "ماه"),
    any: monthText(months[0]?.from ?? now, locale),
    choices: months.slice(1).map(({ id, from }) => [id, monthText(from, locale)] as const)
  }
  return { filter, month: Result.getOrNull(named) }
}

/** A month of the calendar of the page has a name, one of the other calendar only its days. */
const titleOf = ({ id, from, to }: Month, { locale }: View): string =>
  (calendarIn(id) === "jalali") === (locale.language === "fa")
    ? monthText(from, locale)
    : daysText({ from, to }, locale)

interface Line {
  readonly name: Part
  readonly amount: Part
  readonly kind?: "total"
}

const lineOf = ({ name, amount, kind }: Line): Html =>
  html`<tr class="${kind ?? ""}">
    <th scope="row">${name}</th>
    <td class="end">${amount}</td>
  </tr>`

const moved = (amount: number, { signedRials }: View["locale"]): Html =>
  html`<span class="nowrap">${signedRials(amount)}</span>`

const sumsTable = ({ opening, topUps, captures, closing }: Statement, { locale }: View): Html => {
  const { say, rials } = locale
  const channels = Object.entries(captures).toSorted(([, one], [, other]) => other - one)
  const spent = channels.reduce((sum, [, amount]) => sum + amount, 0)
  const lines: ReadonlyArray<Line> = [
    { name: say("Opening balance", "ماندهٔ اول دوره"), amount: rials(opening), kind: "total" },
    { name: say("Top-ups", "شارژ"), amount: moved(topUps, locale) },
    ...channels.map(([channel, amount]) => ({
      name: say(`Sends over ${channelName(channel, locale)}`, `ارسال با ${channelName(channel, locale)}`),
      amount: moved(-amount, locale)
    })),
    { name: say("Spent in total", "جمع هزینه"), amount: moved(-spent, locale) },
    { name: say("Closing balance", "ماندهٔ پایان دوره"), amount: rials(closing), kind: "total" }
  ]
  return html`<table class="statement">
    <caption class="hidden">
      ${say("Statement", "صورت‌حساب")}
    </caption>
    <thead>
      <tr>
        <th scope="col">${say("Item", "شرح")}</th>
        <th scope="col" class="end">${say("Amount", "مبلغ")}</th>
      </tr>
    </thead>
    <tbody>
      ${lines.map(lineOf)}
    </tbody>
  </table>`
}

const topUpsTable = (entries: ReadonlyArray<LedgerEntry>, { locale }: View): Html | null => {
  const { say, time } = locale
  return entries.length === 0
    ? null
    : html`<h3>${say("Top-ups", "شارژها")}</h3>
        <table class="statement">
          <caption class="hidden">
            ${say("Top-ups", "شارژها")}
          </caption>
          <thead>
            <tr>
              <th scope="col">${say("Time", "زمان")}</th>
              <th scope="col" class="end">${say("Amount", "مبلغ")}</th>
            </tr>
          </thead>
          <tbody>
            ${entries.map(({ occurredAt, amount }) => lineOf({ name: time(occurredAt), amount: moved(amount, locale) }))}
          </tbody>
        </table>`
}

const statementPart = Effect.fnUntraced(function* (view: View, month: Month, now: Instant) {
  const { locale, actor } = view
  const { say } = locale
  const wallets = yield* Wallets
  const customer = yield* (yield* CustomerRecords).find(actor.customerId)
  const sums = yield* wallets.statement(actor.customerId, month)
  const topUps = yield* wallets.ledger(actor.customerId, {
    kind: "top_up",
    from: month.from,
    to: month.to,
    limit: MAX_TOP_UPS,
    after: null
  })
  const isOver = month.to <= now
  return html`<article class="panel panel-body statement-sheet">
    <header class="statement-head">
      <div>
        <h2>${say("Statement", "صورت‌حساب")} · ${titleOf(month, view)}</h2>
        <p class="muted">${daysText(month, locale)} · ${say("Tehran time", "به وقت تهران")}</p>
      </div>
      <div class="statement-who">
        <strong>${isolated(customer.name)}</strong>
        <span class="muted"
          >${say("Customer", "مشتری")} ${locale.number(customer.id)} ·
          ${say("Amounts in rials", "مبلغ‌ها به ریال")}</span
        >
      </div>
    </header>
    ${
      !isOver &&
      html`<p class="muted">
        ${say("This month is not over: the figures are those up to now", "این ماه تمام نشده است: ارقام تا این لحظه است")}
        (${locale.time(now)}).
      </p>`
    }
    ${sumsTable(sums, view)} ${topUpsTable(topUps.items.toReversed(), view)}
    ${
      topUps.next !== null &&
      html`<p class="muted">
        ${say(`The newest ${MAX_TOP_UPS}.`, `${locale.number(MAX_TOP_UPS)} مورد آخر.`)}
      </p>`
    }
    <p class="muted">
      ${say(
        "A send is charged when a messenger accepts it. SMS is paid to its provider and is not included.",
        "هزینهٔ هر ارسال وقتی کم می‌شود که پیام‌رسان آن را بپذیرد. پیامک را به سرویس‌دهنده‌اش می‌پردازید و اینجا نیست."
      )}
    </p>
  </article>`
})

/** The sums of a month, ready to be printed, or saved as PDF by the browser. */
export const showStatement = Effect.fnUntraced(function* (view: View) {
  const { say } = view.locale
  const now = yield* Clock.currentTimeMillis
  const { filter, month } = readMonth(view, now)
  const problems =
    month === null
      ? [
          say(
            "Enter a month, such as 2026-11 or 1405-09.",
            `ماه را وارد کنید، مثل ${isolatedText("۱۴۰۵-۰۹")} یا ${isolatedText("۲۰۲۶-۱۱")}.`
          )
        ]
      : []
  const days =
    month === null
      ? ""
      : `?${new URLSearchParams({ from: tehranDay(month.from), to: tehranDay(month.to - DAY_MILLIS) })}`
  return {
    title: say("Monthly statement", "صورت‌حساب ماه"),
    name: "wallet",
    lead: html`<a href="${pathOf("wallet")}">${say("Wallet", "کیف پول")}</a>`,
    actions: html`<a class="button" href="${pathOf("wallet")}${days}"
        >${say("All movements", "همهٔ تراکنش‌ها")}</a
      >
      <button type="button" class="button primary" data-print hidden>
        ${icon("print")}<span>${say("Print or save as PDF", "چاپ یا ذخیرهٔ PDF")}</span>
      </button>`,
    content: html`${filters(view, [filter])} ${searchProblems(problems)}
    ${month !== null && (yield* statementPart(view, month, now))}`
  } satisfies Page
})
