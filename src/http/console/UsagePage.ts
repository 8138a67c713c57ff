import { Clock, Effect, Stream } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import { tehranDay } from "../../domain/Calendar.ts"
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
import { type CsvCell, csvFile } from "./frame/CsvFile.ts"
import { icon } from "./frame/Document.ts"
import { html, type Html } from "./frame/Html.ts"
import type { Page } from "./frame/Layout.ts"
import { daysOf, TEHRAN } from "../../domain/TimeZones.ts"
import { page, raw, type View } from "./frame/SignedRoutes.ts"
import { addressWith } from "./frame/Visit.ts"
import { savedViews } from "./SavedViewsPage.ts"
import { chart } from "./parts/Chart.ts"
import {
  type ChoiceFilter,
  choiceProblems,
  emptyState,
  filters,
  refusedSearch,
  searchProblems,
  table,
  timeFilters
} from "./parts/Lists.ts"
import { presetLinks, readPeriod } from "./activity/InsightPeriods.ts"
import { daysText, monthsUntil, monthText, type Preset } from "./parts/Periods.ts"
import { stillSummingUp, tiles } from "./parts/Panels.ts"
import { channelName } from "./parts/Text.ts"
import { ActivityReports } from "../../services/activity/ActivityReports.ts"
import { UsageReports } from "../../services/UsageReports.ts"

const SHOWN_MONTHS = 12

interface Period {
  /** What the page calls it. */
  readonly name: string
  readonly span: TimeSpan
  /** Null: it is a free range, or a month by its name. */
  readonly preset: Preset | null
  readonly problems: ReadonlyArray<string>
}

/** A month has a name of its own; this one goes on. */
const isMonth = (preset: Preset | null): boolean => preset === "month" || preset === "last-month"

/** The time that the address names: a free range, a month or a preset; without any it is this month. */
const readUsage = (view: View) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const { query, locale } = view
    const [current, ...earlier] = monthsUntil(now, SHOWN_MONTHS, locale)
    const filter: ChoiceFilter = {
      name: "month",
      label: locale.say("Month", "ماه"),
      any: locale.say("Choose a month", "انتخاب ماه"),
      anyValue: current?.id ?? "",
      choices: earlier.map((each) => [each.id, monthText(each.from, locale)] as const)
    }
    const { data, preset, problems } = readPeriod(view, now, "month")
    const isFree = preset === null && problems.length === 0
    const month =
      isFree || query.has("period") ? undefined : earlier.find(({ id }) => id === query.get("month"))
    const span = month ?? data
    const period: Period = {
      name: month !== undefined || isMonth(preset) ? monthText(span.from, locale) : daysText(span, locale),
      span,
      preset: month === undefined ? preset : null,
      problems: [...choiceProblems(view, [filter]), ...problems]
    }
    return { period, filter, now }
  })

const daysShown = ({ from, to }: TimeSpan, now: Instant): ReadonlyArray<string> =>
  daysOf({ from, to: Math.min(to, now + 1) }, TEHRAN).map(tehranDay)

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
  const byDay = Map.groupBy(slots, ({ startsAt }) => tehranDay(startsAt))
  return html`<section class="panel" aria-labelledby="days-title">
    <div class="panel-head">
      <h2 id="days-title">
        ${say("Accepted requests per day (Tehran time)", "درخواست‌های پذیرفته‌شده در هر روز (به وقت تهران)")}
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

const channelsPanel = (slots: ReadonlyArray<ActivitySlot>, view: View): Html | null => {
  const { say } = view.locale
  const rows = channelsOf(slots).map(usageOf(slots))
  if (rows.length === 0) return null
  return html`<section class="panel figures" aria-labelledby="channels-title">
    <div class="panel-head"><h2 id="channels-title">${say("By channel", "به تفکیک کانال")}</h2></div>
    ${channelTable(rows, view)}
  </section>`
}

const nothingSent = ({ locale: { say } }: View): Html =>
  html`<section class="panel">
    ${emptyState(
      say("Nothing sent in this time", "در این بازه چیزی ارسال نشده است"),
      say(
        "Choose a longer time. Sandbox requests do not count.",
        "بازهٔ بلندتری انتخاب کنید. درخواست‌های محیط آزمایشی حساب نمی‌شوند."
      )
    )}
  </section>`

const isEmpty = (slots: ReadonlyArray<ActivitySlot>): boolean => sumOf(slots, () => true).accepted === 0

const SOON_SECONDS = 2

const figuresOf = Effect.fnUntraced(function* (view: View, span: TimeSpan, now: Instant) {
  const { slots, isComplete } = yield* (yield* ActivityReports).read(view.actor.customerId, span)
  return html`<div id="usage" class="sections" ${!isComplete && html`data-live="${SOON_SECONDS}"`}>
    ${!isComplete && stillSummingUp(view.locale)} ${totals(slots, view)}
    ${
      isEmpty(slots)
        ? isComplete && nothingSent(view)
        : html`${dailyChart(slots, daysShown(span, now), view)} ${channelsPanel(slots, view)}`
    }
  </div>`
})

const USAGE_PATH = pathOf("usage")
const CSV_PATH = `${USAGE_PATH}/usage.csv` as const

const showUsage = Effect.fnUntraced(function* (view: View) {
  const { locale } = view
  const { period, filter, now } = yield* readUsage(view)
  const { name, span, preset, problems } = period
  const isRead = problems.length === 0
  const file = addressWith({ path: CSV_PATH, query: view.query }, { notice: null })
  return {
    title: locale.say("Usage", "مصرف"),
    name: "usage",
    lead: isRead ? name : null,
    actions: html`${presetLinks(view, preset)}
      <a class="button" href="${file}"
        >${icon("download")}<span>${locale.say("Export CSV", "خروجی CSV")}</span></a
      >`,
    content: html`${filters(view, [filter, ...timeFilters(locale)])} ${yield* savedViews(view, "usage")}
    ${searchProblems(problems)} ${isRead && (yield* figuresOf(view, span, now))}`
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
  const { period } = yield* readUsage(view)
  const { span, problems } = period
  if (problems.length > 0) return yield* Effect.fail(refusedSearch(problems))
  const reports = yield* UsageReports
  const grouping = { byDay: true, byChannel: true, zone: TEHRAN }
  const groups = yield* reports.report(view.actor.customerId, span, grouping)
  return csvFile(`usage-${tehranDay(span.from)}.csv`, columns, Stream.fromIterable(groups))
})

/** How much was sent, with what success, for how much. */
export const usagePages = {
  name: "usage",
  routes: [page(USAGE_PATH, showUsage), raw(CSV_PATH, usageFile)]
} as const satisfies ConsolePages
