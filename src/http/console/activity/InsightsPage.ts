import { type Array as Arr, Clock, Effect, Stream } from "effect"
import { insightKinds, type KeyedSums, noCodeSums } from "../../../domain/Insights.ts"
import { monthBefore } from "../../../domain/Calendar.ts"
import type { Instant } from "../../../domain/Instant.ts"
import { TEHRAN } from "../../../domain/TimeZones.ts"
import type { KeyMode } from "../../../domain/customer/Customer.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { pathOf } from "../Navigation.ts"
import { type CsvCell, csvFile } from "../frame/CsvFile.ts"
import { icon } from "../frame/Document.ts"
import { savedViews } from "../SavedViewsPage.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import { makeLocale } from "../frame/Locale.ts"
import { page, raw, type View } from "../frame/SignedRoutes.ts"
import { addressWith } from "../frame/Visit.ts"
import {
  type ChoiceFilter,
  choiceProblems,
  emptyState,
  filters,
  refusedSearch,
  searchProblems,
  timeFilters
} from "../parts/Lists.ts"
import { stillSummingUp } from "../parts/Panels.ts"
import { calendarOf, daysText, monthText } from "../parts/Periods.ts"
import { type ComparedPeriods, fallbackPart, findingsPart, readFindings } from "./InsightFindings.ts"
import { namesOf, operatorName } from "./InsightNames.ts"
import { groupTable, hourCharts, insightCharts, insightTiles } from "./InsightParts.ts"
import { bucketsOf, type InsightPeriod, presetLinks, readPeriod } from "./InsightPeriods.ts"
import { toInsightRow } from "../../manage/InsightsApi.ts"
import {
  type InsightFilter,
  type InsightGrouping,
  insightGroupings,
  Insights
} from "../../../services/activity/Insights.ts"
import { GuardRecords } from "../../../services/guard/GuardRecords.ts"

const PATH = pathOf("insights")
const CSV_PATH = `${PATH}/insights.csv` as const

type Totals = ReadonlyArray<KeyedSums & { readonly kind: string }>

const ofKind = (rows: Totals, wanted: string): ReadonlyArray<KeyedSums> =>
  rows
    .filter(({ kind }) => kind === wanted)
    .toSorted((one, other) => other.codes - one.codes || (one.key < other.key ? -1 : 1))

const allOf = (rows: Totals): KeyedSums => ofKind(rows, "all")[0] ?? { key: "", ...noCodeSums }

const modeFilter = ({ locale: { say } }: View): ChoiceFilter => ({
  name: "mode",
  label: say("Mode", "حالت"),
  any: say("Live", "واقعی"),
  anyValue: "live",
  choices: [["test", say("Sandbox", "آزمایشی")]]
})

/** What the address asks for. */
const readSearch = Effect.fnUntraced(function* (view: View) {
  const now = yield* Clock.currentTimeMillis
  const mode: KeyMode = view.query.get("mode") === "test" ? "test" : "live"
  const filter = modeFilter(view)
  const period = readPeriod(view, now)
  const problems = [...choiceProblems(view, [filter]), ...period.problems]
  const chosen: InsightFilter = { customerId: view.actor.customerId, mode }
  return { now, filter, period, problems, chosen }
})
type Search = Effect.Success<ReturnType<typeof readSearch>>

/** The sums of each bucket of the period, and of the same buckets before. */
const readSeries = Effect.fnUntraced(function* (
  chosen: InsightFilter,
  { data, previous }: InsightPeriod,
  zone: string
) {
  const insights = yield* Insights
  const { unit, begins } = bucketsOf(data, zone)
  const shift = data.from - previous.from
  const [first, ...rest] = begins
  const before: Arr.NonEmptyReadonlyArray<Instant> = [first - shift, ...rest.map((begin) => begin - shift)]
  const [now, earlier] = yield* Effect.all(
    [insights.buckets(chosen, begins, data.to), insights.buckets(chosen, before, previous.to)],
    { concurrency: "unbounded" }
  )
  const inOrder = (rows: typeof now) =>
    begins.map((_, nth) => rows.find(({ bucket }) => bucket === nth) ?? noCodeSums)
  return { unit, begins, data: inOrder(now), previous: inOrder(earlier) }
})

const readFigures = Effect.fnUntraced(function* (view: View, { chosen, period, now }: Search) {
  const insights = yield* Insights
  const zone = TEHRAN
  const month = { from: monthBefore(now, 0, calendarOf(view.locale)).from, to: now + 1 }
  const isComplete = yield* insights.bringUpToDate(
    chosen.customerId,
    [period.data, period.previous, month],
    "short"
  )
  const { data, previous } = period
  const read = yield* Effect.all(
    {
      data: insights.totals(chosen, insightKinds, data),
      previous: insights.totals(chosen, insightKinds, previous),
      series: readSeries(chosen, period, zone),
      hours: insights.hours(chosen, data, zone),
      hoursBefore: insights.hours(chosen, previous, zone),
      month: insights.totals({ ...chosen, mode: "live" }, ["all", "channel"], month)
    },
    { concurrency: "unbounded" }
  )
  return { ...read, isComplete, monthBegin: month.from }
})
type Figures = Effect.Success<ReturnType<typeof readFigures>>

const nothingSent = (view: View): Html => {
  const { say } = view.locale
  const hasTest = view.navigation.some(({ pages }) => pages.some(({ name }) => name === "test"))
  return html`<section class="panel">
    ${emptyState(
      say("No codes in this period", "در این بازه کدی فرستاده نشده است"),
      say(
        "Choose a longer period, or send a code and see here what becomes of it.",
        "بازهٔ بلندتری انتخاب کنید، یا یک کد بفرستید و نتیجه‌اش را همین‌جا ببینید."
      ),
      hasTest ? { href: pathOf("test"), label: say("Send a test", "ارسال آزمایشی") } : null
    )}
  </section>`
}

const groupTables = Effect.fnUntraced(function* (view: View, figures: Figures) {
  const { locale } = view
  const { say } = locale
  const names = yield* namesOf(view)
  const kinds = [
    ["channel", say("By channel", "به تفکیک کانال"), say("Channel", "کانال")],
    ["account", say("By account", "به تفکیک حساب"), say("Account", "حساب")],
    ["operator", say("By operator", "به تفکیک اپراتور"), say("Operator", "اپراتور")],
    ["template", say("By template", "به تفکیک قالب"), say("Template", "قالب")]
  ] as const
  return kinds.map(([kind, title, header]) =>
    groupTable(
      {
        title,
        header,
        name: names[kind],
        data: ofKind(figures.data, kind),
        previous: ofKind(figures.previous, kind)
      },
      locale
    )
  )
})

const smsNote = ({ say }: View["locale"]): Html =>
  html`<p class="muted">
    ${say(
      "Cost is what Peyk charged. SMS is paid to its provider and is not in it. A code counts for each channel, account and template that was tried, and as verified for the last.",
      "هزینه همان است که پیک برداشته؛ پیامک را به سرویس‌دهنده‌اش می‌پردازید و در آن نیست. هر کد برای هر کانال، حساب و قالبی که امتحان شده شمرده می‌شود و تأییدش برای آخری است."
    )}
  </p>`

const REFRESH_SECONDS = 15
/** Somebody waits for the first code. */
const EMPTY_SECONDS = 5
const SOON_SECONDS = 2

const fallbackOf = Effect.fnUntraced(function* (view: View, { month, monthBegin }: Figures) {
  const { smsPrice } = yield* (yield* GuardRecords).settings(view.actor.customerId)
  const name = monthText(monthBegin, view.locale)
  return fallbackPart({ name, all: allOf(month), channels: ofKind(month, "channel"), smsPrice }, view.locale)
})

const detailsOf = Effect.fnUntraced(function* (view: View, { chosen }: Search, figures: Figures) {
  return [
    insightCharts(figures.series, makeLocale(view.locale.language, TEHRAN)),
    chosen.mode === "live" ? yield* fallbackOf(view, figures) : null,
    hourCharts(figures.hours, figures.hoursBefore, view.locale),
    smsNote(view.locale),
    ...(yield* groupTables(view, figures))
  ]
})

/** Lists have the same presets, and the same fields for a free range. */
const listTimeOf = ({ query }: View, { preset }: InsightPeriod): URLSearchParams =>
  preset === null
    ? new URLSearchParams([...query].filter(([name]) => name === "from" || name === "to"))
    : new URLSearchParams({ within: preset })

const insightsContent = Effect.fnUntraced(function* (view: View, search: Search) {
  const figures = yield* readFigures(view, search)
  const all = { data: allOf(figures.data), previous: allOf(figures.previous) }
  const { isComplete } = figures
  const findings = yield* readFindings(view.actor.customerId, ofKind(figures.data, "channel"), search.now)
  const isEmpty = all.data.codes === 0
  const groupsOf = (kind: string) => ({
    data: ofKind(figures.data, kind),
    previous: ofKind(figures.previous, kind)
  })
  const compared: ComparedPeriods = {
    all,
    channels: groupsOf("channel"),
    operators: groupsOf("operator"),
    operatorName: (key) => operatorName(key, view.locale),
    listTime: listTimeOf(view, search.period)
  }
  return html`<div
    id="insights"
    class="sections"
    data-live="${!isComplete ? SOON_SECONDS : isEmpty ? EMPTY_SECONDS : REFRESH_SECONDS}"
  >
    ${!isComplete && stillSummingUp(view.locale)}
    ${(isComplete || !isEmpty) && insightTiles(all, view.locale)}
    ${search.chosen.mode === "live" && findingsPart(view, findings, compared)}
    ${isEmpty && isComplete && nothingSent(view)} ${!isEmpty && (yield* detailsOf(view, search, figures))}
  </div>`
})

const leadOf = ({ data, previous }: InsightPeriod, locale: View["locale"]): string =>
  locale.say(
    `${daysText(data, locale)}, compared with ${daysText(previous, locale)}`,
    `${daysText(data, locale)}، در مقایسه با ${daysText(previous, locale)}`
  )

const showInsights = Effect.fnUntraced(function* (view: View) {
  const { locale } = view
  const search = yield* readSearch(view)
  const { period, problems, filter } = search
  const isRead = problems.length === 0
  const file = addressWith({ path: CSV_PATH, query: view.query }, { notice: null })
  return {
    title: locale.say("Insights", "تحلیل"),
    name: "insights",
    lead: isRead ? leadOf(period, locale) : null,
    actions: html`${presetLinks(view, period.preset)}
      <a class="button" href="${file}"
        >${icon("download")}<span>${locale.say("Export CSV", "خروجی CSV")}</span></a
      >`,
    content: html`${filters(view, [...timeFilters(locale), filter])} ${yield* savedViews(view, "insights")}
    ${searchProblems(problems)} ${isRead && (yield* insightsContent(view, search))}`
  } satisfies Page
})

interface FileRow {
  readonly by: InsightGrouping
  readonly period: "current" | "previous"
  readonly sums: KeyedSums
}

const sumColumns = [
  "key",
  "codes",
  "verified",
  "conversion",
  "median_seconds",
  "p95_seconds",
  "fallbacks"
] as const

const columns: ReadonlyArray<readonly [string, (row: FileRow) => CsvCell]> = [
  ["by", ({ by }) => by],
  ["period", ({ period }) => period],
  ...sumColumns.map((name) => [name, ({ sums }: FileRow) => toInsightRow(sums)[name]] as const),
  ["cost_rials", ({ sums }) => sums.cost]
]

const insightsFile = Effect.fnUntraced(function* (view: View) {
  const { chosen, period, problems } = yield* readSearch(view)
  if (problems.length > 0) return yield* Effect.fail(refusedSearch(problems))
  const insights = yield* Insights
  const zone = TEHRAN
  const rows = yield* Effect.forEach(insightGroupings, (by) =>
    Effect.map(insights.report(chosen, by, period, zone), ({ data, previous }): ReadonlyArray<FileRow> => [
      ...data.map((sums) => ({ by, period: "current" as const, sums })),
      ...previous.map((sums) => ({ by, period: "previous" as const, sums }))
    ])
  )
  return csvFile("insights.csv", columns, Stream.fromIterable(rows.flat()))
})

/** How codes are verified, where, and whether that is better or worse than before. */
export const insightsPages = {
  name: "insights",
  routes: [page(PATH, showInsights), raw(CSV_PATH, insightsFile)]
} as const satisfies ConsolePages
