import { Clock, Effect } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type { ConsolePages } from "./ConsolePages.ts"
import { pathOf } from "./Navigation.ts"
import { icon } from "./frame/Document.ts"
import { html, type Html } from "./frame/Html.ts"
import type { Page } from "./frame/Layout.ts"
import { operatorPage, type View } from "./frame/SignedRoutes.ts"
import { badge, stateBadge, type Tone } from "./parts/Badge.ts"
import { type Column, table } from "./parts/Lists.ts"
import { type Tile, tiles } from "./parts/Panels.ts"
import { channelName, isolated, ltr, mono } from "./parts/Text.ts"
import { CustomerRecords } from "../../services/customer/CustomerRecords.ts"
import {
  type CustomerFigures,
  type GuardTotals,
  InstallationReports,
  MAX_COUNTED,
  type ServingProcess
} from "../../services/system/InstallationReports.ts"
import {
  type DueTimers,
  type FailingAccount,
  type FailingWebhook,
  type HealthReport,
  HealthReports,
  Readiness
} from "../../services/system/HealthReports.ts"

const HEALTH_PATH = pathOf("health")
/** Timers that are due for longer are late. */
const LATE_MILLIS = 5000
const MILLIS_PER_SECOND = 1000

const owner = (
  { customerId, customerName }: Pick<FailingAccount, "customerId" | "customerName">,
  { locale: { say } }: View
): Html =>
  customerId === null
    ? html`<a href="${pathOf("shared-accounts")}">${say("Shared account", "حساب مشترک")}</a>`
    : html`<a href="${pathOf("customers")}/${customerId}">${isolated(customerName ?? "")}</a>`

const lateOf = ({ oldestAt }: DueTimers, now: Instant): boolean =>
  oldestAt !== null && now - oldestAt > LATE_MILLIS

/** Rials; a customer that pays for sends can soon send no more. */
const LOW_BALANCE = 100_000

const units = [
  ["B", "بایت"],
  ["kB", "کیلوبایت"],
  ["MB", "مگابایت"],
  ["GB", "گیگابایت"],
  ["TB", "ترابایت"]
] as const

const bytesText = (bytes: number, { number, say }: View["locale"]): string => {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1000 ** power
  const [english = "", persian = ""] = units[power] ?? []
  return `${number(value < 10 ? Math.round(value * 10) / 10 : Math.round(value))} ${say(english, persian)}`
}

/** The figures of all customers together. */
interface Totals {
  readonly customers: number
  readonly low: number
  readonly codes: number
  readonly messages: number
  /** Of some customer, not all sends were counted. */
  readonly isMore: boolean
  readonly storeBytes: number
  readonly guard: GuardTotals
  readonly processes: ReadonlyArray<ServingProcess>
  /** Of this process. */
  readonly version: string
}

const readTotals = Effect.fnUntraced(function* (now: Instant) {
  const all = yield* (yield* CustomerRecords).list
  const reports = yield* InstallationReports
  const figures = yield* reports.customers(
    all.map(({ id }) => id),
    now
  )
  const each = [...figures.values()]
  const sum = (of: (one: CustomerFigures) => number) => each.reduce((total, one) => total + of(one), 0)
  return {
    customers: all.length,
    low: all.filter(({ id, plan }) => plan !== "free" && (figures.get(id)?.available ?? 0) < LOW_BALANCE)
      .length,
    codes: sum(({ codes }) => codes),
    messages: sum(({ messages }) => messages),
    isMore: each.some(({ codes, messages }) => codes === MAX_COUNTED || messages === MAX_COUNTED),
    storeBytes: yield* reports.storeBytes,
    guard: yield* reports.guard(now),
    processes: yield* reports.processes(now),
    version: reports.version
  } satisfies Totals
})

const guardTile = (
  { enforcing, alarmed, openAlarms, refused, flagged, flaggedVerified }: GuardTotals,
  { locale: { say, number } }: View
): Tile => ({
  label: say("Guard, 7 days", "نگهبان، ۷ روز"),
  value: say(`${number(refused)} refused`, `${number(refused)} رد شد`),
  note: html`${say(
      `${number(flagged)} more would be, ${number(flaggedVerified)} of them verified`,
      `${number(flagged)} تای دیگر رد می‌شد که ${number(flaggedVerified)} تا تأیید شد`
    )}<br />${
      openAlarms === 0
        ? say(
            `no open alarm; ${number(enforcing)} enforcing`,
            `هشدار بازی نیست؛ ${number(enforcing)} مشتری مسدود می‌کند`
          )
        : say(
            `${number(openAlarms)} open ${openAlarms === 1 ? "alarm" : "alarms"} of ${number(alarmed)} ${alarmed === 1 ? "customer" : "customers"}; ${number(enforcing)} enforcing`,
            `${number(openAlarms)} هشدار باز از ${number(alarmed)} مشتری؛ ${number(enforcing)} مشتری مسدود می‌کند`
          )
    }`,
  ...(openAlarms > 0 ? { tone: "warn" as const } : {})
})

const healthTiles = (
  report: HealthReport,
  { customers, low, codes, messages, isMore, storeBytes, guard, version }: Totals,
  isReady: boolean,
  now: Instant,
  view: View
): Html => {
  const { say, number, rials } = view.locale
  const due = report.timers.reduce((sum, { count }) => sum + count, 0)
  const isLate = report.timers.some((each) => lateOf(each, now))
  const failing = report.accounts.length + report.webhooks.length
  const toneIf = (isBad: boolean, tone: Tone): Pick<Tile, "tone"> => (isBad ? { tone } : {})
  return tiles([
    {
      label: say("This process", "این پردازه"),
      value: isReady ? say("Ready", "آماده") : say("Not ready", "ناآماده"),
      note: mono("/readyz"),
      ...toneIf(!isReady, "bad")
    },
    {
      label: say("PostgreSQL response time", "زمان پاسخ PostgreSQL"),
      value: `${number(Math.round(report.roundTripMillis * 10) / 10)} ${say("ms", "میلی‌ثانیه")}`,
      note: say(
        `${number(report.connections)} ${report.connections === 1 ? "connection" : "connections"} from all processes`,
        `${number(report.connections)} اتصال از همهٔ پردازه‌ها`
      )
    },
    {
      label: say("Store size", "حجم پایگاه داده"),
      value: bytesText(storeBytes, view.locale),
      note: `${say("Peyk", "پیک")} ${version}`
    },
    {
      label: say("Sends, 24 h", "ارسال، ۲۴ ساعت"),
      value: `${number(codes + messages)}${isMore ? "+" : ""}`,
      note: say(
        `${number(codes)} codes, ${number(messages)} messages`,
        `${number(codes)} کد، ${number(messages)} پیام`
      ),
      href: `${pathOf("customers")}?sort=volume`
    },
    {
      label: say("Customers", "مشتری‌ها"),
      value: number(customers),
      note: say(
        `${number(low)} with a wallet below ${rials(LOW_BALANCE)}`,
        `${number(low)} با موجودی کمتر از ${rials(LOW_BALANCE)}`
      ),
      href: `${pathOf("customers")}?sort=balance`
    },
    guardTile(guard, view),
    {
      label: say("Due timers", "تایمرهای سررسیده"),
      value: number(due),
      note: isLate ? say("some are late", "بعضی دیر شده‌اند") : say("none is late", "هیچ‌کدام دیر نشده است"),
      ...toneIf(isLate, "warn")
    },
    {
      label: say("Failing now", "ناموفق در حال حاضر"),
      value: number(failing),
      note: say("accounts and webhooks", "حساب‌ها و وب‌هوک‌ها"),
      ...toneIf(failing > 0, "warn")
    }
  ])
}

interface HealthPanel<Row> {
  readonly id: string
  readonly title: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  /** Shown instead of an empty table. */
  readonly goodNews: string
}

const panel = <Row>({ id, title, columns, rows, goodNews }: HealthPanel<Row>): Html =>
  html`<div class="panel">
    <div class="panel-head"><h2 id="${id}">${title}</h2></div>
    ${
      rows.length === 0
        ? html`<div class="panel-body"><p class="all-well">${icon("check")}${goodNews}</p></div>`
        : table<Row>(title, columns, rows)
    }
  </div>`

const timersPanel = ({ timers }: HealthReport, now: Instant, { locale }: View): Html => {
  const { say, number, duration } = locale
  return panel<DueTimers>({
    id: "timers-title",
    title: say("Due timers", "تایمرهای سررسیده"),
    columns: [
      { header: say("Type", "نوع"), kind: "title", cell: ({ kind }) => mono(kind) },
      { header: say("Due", "سررسیده"), kind: "number", cell: ({ count }) => number(count) },
      {
        header: say("Oldest", "قدیمی‌ترین"),
        kind: "number",
        cell: (each) => (each.oldestAt === null ? "–" : duration((now - each.oldestAt) / MILLIS_PER_SECOND))
      },
      {
        header: say("Status", "وضعیت"),
        cell: (each) =>
          lateOf(each, now) ? badge("warn", say("Late", "دیر شده")) : badge("good", say("On time", "به‌موقع"))
      }
    ],
    rows: timers.filter(({ count }) => count > 0),
    goodNews: say("No timer is waiting.", "هیچ تایمری منتظر نیست.")
  })
}

const accountsPanel = ({ accounts }: HealthReport, view: View): Html => {
  const { locale } = view
  const { say } = locale
  return panel<FailingAccount>({
    id: "accounts-title",
    title: say("Failing accounts", "حساب‌های ناموفق"),
    columns: [
      { header: say("Account", "حساب"), kind: "title", cell: ({ label }) => isolated(label) },
      { header: say("Channel", "کانال"), cell: ({ channel }) => channelName(channel, locale) },
      { header: say("Customer", "مشتری"), cell: (each) => owner(each, view) },
      {
        header: say("Status", "وضعیت"),
        cell: ({ coolingUntil }) =>
          coolingUntil === null
            ? stateBadge("misconfigured", locale)
            : html`${stateBadge("cooling", locale)}
                <span class="sub">${say("until", "تا")} ${locale.clock(coolingUntil)}</span>`
      }
    ],
    rows: accounts,
    goodNews: say("No account is in cooldown or refused.", "هیچ حسابی در توقف موقت نیست یا رد نشده است.")
  })
}

const webhooksPanel = ({ webhooks }: HealthReport, view: View): Html => {
  const { locale } = view
  const { say } = locale
  return panel<FailingWebhook>({
    id: "webhooks-title",
    title: say("Failing webhooks", "وب‌هوک‌های ناموفق"),
    columns: [
      {
        header: say("URL", "نشانی"),
        kind: "title",
        cell: ({ url }) => ltr(URL.parse(url)?.host ?? url)
      },
      { header: say("Customer", "مشتری"), cell: (each) => owner(each, view) },
      {
        header: say("Status", "وضعیت"),
        cell: ({ failingSince }) =>
          failingSince === null
            ? stateBadge("disabled", locale)
            : html`${badge("bad", say("Failing", "ناموفق"))}
                <span class="sub">${say("since", "از")} ${locale.time(failingSince)}</span>`
      }
    ],
    rows: webhooks,
    goodNews: say("All webhooks accept their events.", "همهٔ وب‌هوک‌ها رویدادها را می‌پذیرند.")
  })
}

const processesPanel = ({ processes, version }: Totals, now: Instant, { locale }: View): Html => {
  const { say, duration } = locale
  return panel<ServingProcess>({
    id: "processes-title",
    title: say("Processes", "پردازه‌ها"),
    columns: [
      {
        header: say("Host", "میزبان"),
        kind: "title",
        cell: ({ host, pid }) => html`${ltr(host)} <span class="sub">${ltr(`pid ${pid}`)}</span>`
      },
      {
        header: say("Version", "نسخه"),
        cell: (each) =>
          html`${mono(each.version)}
          ${each.version !== version && badge("warn", say("Another version", "نسخهٔ دیگر"))}`
      },
      { header: say("Started", "شروع"), cell: ({ startedAt }) => locale.time(startedAt) },
      {
        header: say("Runs for", "مدت اجرا"),
        kind: "number",
        cell: ({ startedAt }) => duration((now - startedAt) / MILLIS_PER_SECOND)
      },
      {
        header: say("Status", "وضعیت"),
        cell: ({ isAlive }) =>
          isAlive ? badge("good", say("Running", "در حال اجرا")) : badge("bad", say("Lost", "بی‌خبر"))
      }
    ],
    rows: processes,
    goodNews: say("No process has reported yet.", "هنوز پردازه‌ای خبر نداده است.")
  })
}

const REFRESH_SECONDS = 10

const showHealth = Effect.fnUntraced(function* (view: View) {
  const { say } = view.locale
  const now = yield* Clock.currentTimeMillis
  const isReady = yield* (yield* Readiness).isReady
  const report = yield* (yield* HealthReports).read(now)
  const totals = yield* readTotals(now)
  return {
    title: say("Health", "وضعیت سامانه"),
    name: "health",
    lead: say("The current state of the whole installation.", "وضعیت فعلی کل سامانه."),
    content: html`<div id="health" class="sections" data-live="${REFRESH_SECONDS}">
      ${healthTiles(report, totals, isReady, now, view)} ${processesPanel(totals, now, view)}
      ${timersPanel(report, now, view)} ${accountsPanel(report, view)} ${webhooksPanel(report, view)}
    </div>`
  } satisfies Page
})

/** For those who run the installation. */
export const healthPages = {
  name: "health",
  routes: [operatorPage(HEALTH_PATH, showHealth)]
} as const satisfies ConsolePages
