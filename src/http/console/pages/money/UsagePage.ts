import { Effect, Stream } from "effect"
import type { UsageGroup } from "../../../../domain/money/Usage.ts"
import { UsageReports } from "../../../../services/money/UsageReports.ts"
import type { ConsolePages } from "../../ConsolePages.ts"
import { type CsvCell, csvFile } from "../../frame/CsvFile.ts"
import { icon } from "../../frame/Document.ts"
import { html } from "../../frame/Html.ts"
import type { Page } from "../../frame/Layout.ts"
import { page, raw, type View } from "../../frame/SignedRoutes.ts"
import { addressWith } from "../../frame/Visit.ts"
import { pathOf } from "../../Navigation.ts"
import { filters } from "../../parts/lists/Filters.ts"
import { refusedSearch, searchProblems } from "../../parts/lists/TimeFilters.ts"
import { figuresOf } from "./UsageFigures.ts"
import { monthName, readMonth } from "./UsageMonths.ts"

const USAGE_PATH = pathOf("usage")
const CSV_PATH = `${USAGE_PATH}/usage.csv` as const

const showUsage = Effect.fnUntraced(function* (view: View) {
  const { locale } = view
  const { month, filter, problems, now } = yield* readMonth(view)
  const isRead = problems.length === 0
  const file = addressWith({ path: CSV_PATH, query: view.query }, { notice: null })
  const made: Page = {
    title: locale.say("Usage", "مصرف"),
    name: "usage",
    lead: isRead ? monthName(month, locale) : null,
    actions: html`<a class="button" href="${file}">${icon("download")}<span>CSV</span></a>`,
    content: html`${filters(view, [filter])} ${searchProblems(problems)}
    ${isRead && (yield* figuresOf(view, month, now))}`
  }
  return made
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
