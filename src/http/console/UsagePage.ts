import { Array as Arr, Clock, DateTime, Effect, Stream } from "effect"
import { DAY_MILLIS, type Instant } from "../../domain/Instant.ts"
import type { TimeSpan } from "../../domain/Paging.ts"
import {
  type ActivityFigures,
  type ActivitySlot,
  type ActivitySums,
  channelsOf,
  sumOf
} from "../../domain/Activity.ts"
import type { UsageGroup } from "../../domain/money/Usage.ts"
import type { ConsolePages } from "./ConsolePages.ts"
import { pathOf } from "./Navigation.ts"
import { jalaliMonth } from "./forms/LocalTime.ts"
import { type CsvCell, csvFile } from "./frame/CsvFile.ts"
import { icon } from "./frame/Document.ts"
import { html, type Html } from "./frame/Html.ts"
import type { Page } from "./frame/Layout.ts"
import { TEHRAN } from "../../domain/TimeZones.ts"
import { page, raw, type View } from "./frame/SignedRoutes.ts"
import { addressWith } from "./frame/Visit.ts"
import { chart } from "./parts/Chart.ts"
import {
  type ChoiceFilter,
  choiceProblems,
  emptyState,
  filters,
  refusedSearch,
  searchProblems,
  table
} from "./parts/Lists.ts"
import { stillSummingUp, tiles } from "./parts/Panels.ts"
import { channelName } from "./parts/Text.ts"
import { ActivityReports } from "../../services/activity/ActivityReports.ts"
import { UsageReports } from "../../services/UsageReports.ts"

const SHOWN_MONTHS = 12

interface Month extends TimeSpan {
  /** `2026-11` */
  readonly id: string
}

const utcMonth = (now: Instant, ago: number): Month => {
  const from = DateTime.subtract(DateTime.startOf(DateTime.makeUnsafe(now), "month"), { months: ago })
  return {
    id: DateTime.formatIsoDateUtc(from).slice(0, 7),
    from: DateTime.toEpochMillis(from),
    to: DateTime.toEpochMillis(DateTime.add(from, { months: 1 }))
  }
}

/** The calendar of the page: in Persian that of Iran, with the days of Tehran; else months and days in UTC. */
const zoneOf = ({ language }: View["locale"]): string => (language === "fa" ? TEHRAN : "UTC")

/** This month and those before it, the newest first. */
const monthsUntil = (now: Instant, locale: View["locale"]): Arr.NonEmptyReadonlyArray<Month> =>
  Arr.makeBy(SHOWN_MONTHS, (ago) =>
    locale.language === "fa" ? jalaliMonth(now, ago, TEHRAN) : utcMonth(now, ago)
  )

const monthFormats = {
  fa: new Intl.DateTimeFormat("fa-IR-u-ca-persian-nu-arabext", {
    year: "numeric",
    month: "long",
    timeZone: TEHRAN
  }),
  en: new Intl.DateTimeFormat("en-GB", { year: "numeric", month: "long", timeZone: "UTC" })
}

const monthName = ({ from }: Month, { language }: View["locale"]): string =>
  monthFormats[language].format(from)

/** The month that the address names; without one it is this month. */
const readMonth = (view: View) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const { query, locale } = view
    const [current, ...earlier] = monthsUntil(now, locale)
    const filter: ChoiceFilter = {
      name: "month",
      label: locale.say("Month", "ماه"),
      any: locale.say("This month", "این ماه"),
      anyValue: current.id,
      choices: earlier.map((each) => [each.id, monthName(each, locale)] as const)
    }
    const month = earlier.find(({ id }) => id === query.get("month")) ?? current
    return { month, filter, problems: choiceProblems(view, [filter]), now }
  })

/** The day of an instant in the page's calendar: `2026-11-24`. */
const dayOf = (at: Instant, zone: string): string =>
  DateTime.formatIsoZoned(DateTime.makeZonedUnsafe(at, { timeZone: zone })).slice(0, 10)

const daysOf = ({ from, to }: Month, now: Instant, zone: string): ReadonlyArray<string> => {
  const end = Math.min(to, now + 1)
  return Array.from({ length: Math.ceil((end - from) / DAY_MILLIS) }, (_, index) =>
    dayOf(from + index * DAY_MILLIS, zone)
  )
}

const allOf =
  (kind: ActivityFigures["kind"]) =>
  (figures: ActivityFigures): boolean =>
    figures.kind === kind && figures.channel === null

const dailyChart = (
  slots: ReadonlyArray<ActivitySlot>,
  days: ReadonlyArray<string>,
  { locale }: View
): Html => {
  const { say, day: dayName } = locale
  const byDay = Map.groupBy(slots, ({ startsAt }) => dayOf(startsAt, zoneOf(locale)))
  return html`<section class="panel" aria-labelledby="days-title">
    <div class="panel-head">
      <h2 id="days-title">
        ${say("Accepted requests per day (UTC)", "درخواست‌های پذیرفته‌شده در هر روز (به وقت تهران)")}
      </h2>
    </div>
    <div class="panel-body">
      ${chart(
        {
          title: say("Accepted requests per day", "درخواست‌های پذیرفته‌شده در هر روز"),
          unit: say("Day", "روز"),
          series: [
            { label: say("Codes", "کد"), kind: "bar" },
            { label: say("Messages", "پیام"), kind: "bar" }
          ],
          points: days.map((day) => {
            const ofDay = byDay.get(day) ?? []
            return {
              label: dayName(day),
              values: [sumOf(ofDay, allOf("code")).accepted, sumOf(ofDay, allOf("message")).accepted]
            }
          })
        },
        locale
      )}
    </div>
  </section>`
}

interface ChannelUsage {
  readonly channel: string
  readonly all: ActivitySums
  readonly codes: ActivitySums
}

const usageOf =
  (slots: ReadonlyArray<ActivitySlot>) =>
  (channel: string): ChannelUsage => ({
    channel,
    all: sumOf(slots, (figures) => figures.channel === channel),
    codes: sumOf(slots, (figures) => figures.channel === channel && figures.kind === "code")
  })

const channelTable = (rows: ReadonlyArray<ChannelUsage>, { locale }: View): Html => {
  const { say, number, rials } = locale
  const column = (header: string, cell: (row: ChannelUsage) => string) =>
    ({ header, kind: "number", cell }) as const
  return table<ChannelUsage>(
    say("Sends and cost by channel", "ارسال و هزینهٔ هر کانال"),
    [
      {
        header: say("Channel", "کانال"),
        kind: "title",
        cell: ({ channel }) => channelName(channel, locale)
      },
      column(say("Sent", "ارسال شد"), ({ all }) => number(all.sent)),
      column(say("Failed", "ناموفق"), ({ all }) => number(all.failed)),
      column(say("Delivered", "تحویل شد"), ({ all }) =>
        all.delivered + all.undelivered === 0 ? say("Not reported", "گزارش نشده") : number(all.delivered)
      ),
      column(say("Codes verified", "کدهای تأییدشده"), ({ codes }) => number(codes.verified)),
      column(say("Cost", "هزینه"), ({ all }) => rials(all.cost))
    ],
    rows
  )
}

const totals = (slots: ReadonlyArray<ActivitySlot>, { locale }: View): Html => {
  const { say, number, percent, rials } = locale
  const { accepted, verified } = sumOf(slots, allOf("code"))
  return tiles([
    { label: say("Codes", "کدها"), value: number(accepted) },
    {
      label: say("Conversion", "نرخ تأیید"),
      value: accepted === 0 ? "–" : percent(verified / accepted),
      note: say("of codes verified", "از کدها تأیید شد")
    },
    { label: say("Messages", "پیام‌ها"), value: number(sumOf(slots, allOf("message")).accepted) },
    { label: say("Cost", "هزینه"), value: rials(sumOf(slots, ({ channel }) => channel !== null).cost) }
  ])
}

const channelsPanel = (slots: ReadonlyArray<ActivitySlot>, view: View): Html => {
  const { say } = view.locale
  const rows = channelsOf(slots).map(usageOf(slots))
  return html`<section class="panel" aria-labelledby="channels-title">
    <div class="panel-head"><h2 id="channels-title">${say("By channel", "به تفکیک کانال")}</h2></div>
    ${
      rows.length > 0
        ? channelTable(rows, view)
        : emptyState(
            say("Nothing sent in this month", "در این ماه چیزی ارسال نشده است"),
            say("Sandbox requests do not count.", "درخواست‌های محیط آزمایشی حساب نمی‌شوند.")
          )
    }
  </section>`
}

const SOON_SECONDS = 2

const figuresOf = Effect.fnUntraced(function* (view: View, month: Month, now: Instant) {
  const { slots, isComplete } = yield* (yield* ActivityReports).read(view.actor.customerId, month)
  return html`<div id="usage" class="sections" ${!isComplete && html`data-live="${SOON_SECONDS}"`}>
    ${!isComplete && stillSummingUp(view.locale)} ${totals(slots, view)}
    ${dailyChart(slots, daysOf(month, now, zoneOf(view.locale)), view)} ${channelsPanel(slots, view)}
  </div>`
})

const USAGE_PATH = pathOf("usage")
const CSV_PATH = `${USAGE_PATH}/usage.csv` as const

const showUsage = Effect.fnUntraced(function* (view: View) {
  const { locale } = view
  const { month, filter, problems, now } = yield* readMonth(view)
  const isRead = problems.length === 0
  const file = addressWith({ path: CSV_PATH, query: view.query }, { notice: null })
  return {
    title: locale.say("Usage", "مصرف"),
    name: "usage",
    lead: isRead ? monthName(month, locale) : null,
    actions: html`<a class="button" href="${file}"
      >${icon("download")}<span>${locale.say("Export CSV", "خروجی CSV")}</span></a
    >`,
    content: html`${filters(view, [filter])} ${searchProblems(problems)}
    ${isRead && (yield* figuresOf(view, month, now))}`
  } satisfies Page
})

const columns: ReadonlyArray<readonly [string, (group: UsageGroup) => CsvCell]> = [
  ["day", ({ day }) => day],
  ["channel", ({ channel }) => channel],
  ["codes_accepted", ({ codes }) => codes.accepted],
  ["codes_sent", ({ codes }) => codes.sent],
  ["codes_failed", ({ codes }) => codes.failed],
  ["codes_verified", ({ codes }) => codes.verified],
  ["codes_cost_rials", ({ codes }) => codes.cost],
  ["messages_accepted", ({ messages }) => messages.accepted],
  ["messages_sent", ({ messages }) => messages.sent],
  ["messages_failed", ({ messages }) => messages.failed],
  ["messages_cost_rials", ({ messages }) => messages.cost]
]

const usageFile = Effect.fnUntraced(function* (view: View) {
  const { month, problems } = yield* readMonth(view)
  if (problems.length > 0) return yield* Effect.fail(refusedSearch(problems))
  const reports = yield* UsageReports
  const groups = yield* reports.report(view.actor.customerId, month, { byDay: true, byChannel: true })
  return csvFile(`usage-${month.id}.csv`, columns, Stream.fromIterable(groups))
})

/** How much was sent, with what success, for how much. */
export const usagePages = {
  name: "usage",
  routes: [page(USAGE_PATH, showUsage), raw(CSV_PATH, usageFile)]
} as const satisfies ConsolePages
