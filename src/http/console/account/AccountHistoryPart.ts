import { Clock, DateTime, Effect } from "effect"
import { HOUR_MILLIS, type Instant } from "../../../domain/Instant.ts"
import { pathOf } from "../Navigation.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { stateBadge } from "../parts/Badge.ts"
import { chart } from "../parts/Chart.ts"
import { emptyState, table } from "../parts/Lists.ts"
import { tiles } from "../parts/Panels.ts"
import { phoneMark } from "../parts/Phones.ts"
import { attemptState } from "../parts/Runs.ts"
import { isolated, mono, phonePart } from "../parts/Text.ts"
import { whatWentWrong } from "../runs/FailureTexts.ts"
import type { AccountRecord } from "../../../services/account/Accounts.ts"
import {
  AccountHistories,
  type AccountHistory,
  type AccountSend,
  type Balance,
  type SendCount
} from "../../../services/account/AccountHistories.ts"

const totalOf = (counts: ReadonlyArray<SendCount>, isCounted: (each: SendCount) => boolean): number =>
  counts.reduce((sum, each) => (isCounted(each) ? sum + each.count : sum), 0)

const share = (part: number, whole: number, { percent }: Locale): string =>
  whole === 0 ? "–" : percent(part / whole)

const figures = ({ counts }: AccountHistory, locale: Locale): Html => {
  const { say, number } = locale
  const all = totalOf(counts, () => true)
  const accepted = totalOf(counts, ({ status }) => status === "sent")
  const reported = totalOf(counts, ({ delivery }) => delivery !== null)
  const delivered = totalOf(counts, ({ delivery }) => delivery === "delivered")
  return tiles([
    { label: say("Sends", "ارسال‌ها"), value: number(all) },
    {
      label: say("Accepted", "پذیرفته شد"),
      value: share(accepted, all, locale),
      note: say(`${number(all - accepted)} failed`, `${number(all - accepted)} ناموفق`)
    },
    {
      label: say("Delivered", "تحویل شد"),
      value: share(delivered, reported, locale),
      note:
        reported === 0
          ? say("no reports", "گزارشی نرسیده")
          : say(`of ${number(reported)} with a report`, `از ${number(reported)} دارای گزارش`)
    }
  ])
}

/** The hours of the viewer's zone, which can begin with a half hour of UTC. */
export const hoursOf = (from: Instant, now: Instant, zone: string): ReadonlyArray<Instant> => {
  const shift = DateTime.zonedOffset(DateTime.makeZonedUnsafe(now, { timeZone: zone })) % HOUR_MILLIS
  const first = Math.floor((from + shift) / HOUR_MILLIS) * HOUR_MILLIS - shift
  return Array.from(
    { length: Math.ceil((now - first + 1) / HOUR_MILLIS) },
    (_, index) => first + index * HOUR_MILLIS
  )
}

const sendsChart = ({ counts, from }: AccountHistory, now: Instant, locale: Locale): Html => {
  const { say, zone, hour: hourText } = locale
  const within = (hour: Instant, wanted: SendCount["status"]) =>
    totalOf(counts, ({ slot, status }) => slot >= hour && slot < hour + HOUR_MILLIS && status === wanted)
  return chart(
    {
      title: say("Sends by hour", "ارسال‌ها در هر ساعت"),
      unit: say("Hour", "ساعت"),
      series: [
        { label: say("Accepted", "پذیرفته شد"), kind: "bar" },
        { label: say("Failed", "ناموفق"), kind: "bar", tone: "bad" }
      ],
      points: hoursOf(from, now, zone).map((hour) => ({
        label: hourText(hour),
        values: [within(hour, "sent"), within(hour, "failed")]
      }))
    },
    locale
  )
}

const errorTable = ({ counts }: AccountHistory, locale: Locale): Html | null => {
  const { say, number } = locale
  const failed = totalOf(counts, ({ status }) => status === "failed")
  if (failed === 0) return null
  const codes = new Set(counts.flatMap(({ errorCode }) => errorCode ?? []))
  const rows = [...codes]
    .map((code) => ({ code, count: totalOf(counts, ({ errorCode }) => errorCode === code) }))
    .toSorted((a, b) => b.count - a.count)
  type Row = (typeof rows)[number]
  return table<Row>(
    say("Errors", "خطاها"),
    [
      {
        header: say("Error", "خطا"),
        kind: "title",
        cell: ({ code }) => html`${mono(code)}<span class="sub">${whatWentWrong(code, locale)}</span>`
      },
      { header: say("Sends", "ارسال‌ها"), kind: "number", cell: ({ count }) => number(count) },
      {
        header: say("Of failures", "سهم از خطاها"),
        kind: "number",
        cell: ({ count }) => share(count, failed, locale)
      }
    ],
    rows
  )
}

/** How the account's sends of the last day went. */
const dayPanel = (history: AccountHistory, now: Instant, locale: Locale): Html => {
  const { say, clock } = locale
  return html`<section class="panel" aria-labelledby="day-title" id="day" data-live="15">
    <div class="panel-head">
      <h2 id="day-title">${say("Last 24 hours", "۲۴ ساعت گذشته")}</h2>
      ${
        !history.isWhole &&
        html`<span class="muted"
          >${say("the latest 5,000 sends, since", "۵٬۰۰۰ ارسال آخر، از")} ${clock(history.from)}</span
        >`
      }
    </div>
    ${
      history.counts.length === 0
        ? emptyState(
            say("No sends", "ارسالی نبوده است"),
            say("Nothing was sent over this account.", "چیزی با این حساب فرستاده نشده است.")
          )
        : html`<div class="panel-body stack-tight flat-tiles">
              ${figures(history, locale)} ${sendsChart(history, now, locale)}
            </div>
            ${errorTable(history, locale)}`
    }
  </section>`
}

const sendPath = ({ kind, id }: AccountSend): string =>
  `${pathOf(kind === "code" ? "verifications" : "messages")}/${id}`

const outcome = ({ status, errorCode, providerError, delivery }: AccountSend, locale: Locale): Html => {
  const state = status === "sent" ? (delivery ?? status) : attemptState({ status, error_code: errorCode })
  return html`${stateBadge(state, locale)}
  ${errorCode !== null && html`<span class="sub">${whatWentWrong(errorCode, locale)}</span>`}
  ${providerError !== null && html`<span class="sub">${isolated(providerError)}</span>`}`
}

const lastPanel = ({ last }: AccountHistory, now: Instant, { locale }: View): Html | null => {
  const { say, number, ago } = locale
  if (last.length === 0) return null
  const title = say(`Last ${number(last.length)} sends`, `${number(last.length)} ارسال آخر`)
  return html`<section class="panel" id="last" data-live="15">
    <div class="panel-head"><h2>${title}</h2></div>
    ${table<AccountSend>(
      title,
      [
        {
          header: say("Phone", "شماره"),
          kind: "title",
          cell: (send) =>
            html`<a class="row-link" href="${sendPath(send)}">${phonePart(send.phone, locale)}</a
              >${phoneMark(send.phone, { locale })}`
        },
        {
          header: say("Type", "نوع"),
          card: "detail",
          cell: ({ kind }) => (kind === "code" ? say("Code", "کد") : say("Message", "پیام"))
        },
        { header: say("Result", "نتیجه"), card: "state", cell: (send) => outcome(send, locale) },
        { header: say("Time", "زمان"), kind: "number", card: "time", cell: ({ at }) => ago(at, now) }
      ],
      last,
      { isCompact: true }
    )}
  </section>`
}

/** The balance at the provider, day by day, in the provider's own unit. */
const balancePanel = (balances: ReadonlyArray<Balance>, locale: Locale): Html | null => {
  const { say, number, localDay, time } = locale
  const newest = balances.at(-1)
  if (newest === undefined) return null
  return html`<section class="panel" aria-labelledby="balance-title">
    <div class="panel-head">
      <h2 id="balance-title">${say("Balance at the provider", "موجودی نزد سرویس‌دهنده")}</h2>
      <span class="muted">${time(newest.at)}</span>
    </div>
    <div class="panel-body stack-tight">
      <p>
        <strong class="figure">${number(newest.credit)}</strong>
        <span class="muted">${say("in the provider's own unit", "به واحد خود سرویس‌دهنده")}</span>
      </p>
      ${
        balances.length > 1 &&
        chart(
          {
            title: say("Balance by day", "موجودی هر روز"),
            unit: say("Day", "روز"),
            series: [{ label: say("Balance", "موجودی"), kind: "line" }],
            points: balances.map(({ at, credit }) => ({ label: localDay(at), values: [credit] }))
          },
          locale
        )
      }
    </div>
  </section>`
}

/** The sends over an account, and its balance over time. */
export const historyParts = Effect.fnUntraced(function* (view: View, { id }: AccountRecord) {
  const histories = yield* AccountHistories
  const now = yield* Clock.currentTimeMillis
  const [history, balances] = yield* Effect.all(
    [histories.sends(view.actor.customerId, id), histories.balances(id, view.locale.zone)],
    { concurrency: "unbounded" }
  )
  return {
    sends: html`${dayPanel(history, now, view.locale)} ${lastPanel(history, now, view)}`,
    balance: balancePanel(balances, view.locale)
  }
})
