import { Clock, Effect } from "effect"
import { channelsOf, sumOf } from "../../../../../domain/activity/Activity.ts"
import { AccountSummaries } from "../../../../../services/activity/AccountSummaries.ts"
import { ActivityReports } from "../../../../../services/activity/ActivityReports.ts"
import type { ConsolePages } from "../../../ConsolePages.ts"
import { html, type Html } from "../../../frame/Html.ts"
import { page, type View } from "../../../frame/SignedRoutes.ts"
import { pathOf } from "../../../Navigation.ts"
import { emptyState } from "../../../parts/lists/EmptyState.ts"
import { searchProblems } from "../../../parts/lists/TimeFilters.ts"
import { stillSummingUp } from "../../../parts/StillSummingUp.ts"
import { activityChart } from "./ActivityChart.ts"
import { channelTable } from "./ChannelTable.ts"
import { concernsPart } from "./Concerns.ts"
import { figureTiles } from "./FigureTiles.ts"
import { beginOfPeriod, type Period, periodLinks, periodOf } from "./OverviewPeriods.ts"

const firstSteps = (view: View): Html => {
  const { say } = view.locale
  const hasTest = view.navigation.some(({ pages }) => pages.some(({ name }) => name === "test"))
  return html`<section class="panel">
    ${emptyState(
      say("Nothing was sent in this time", "در این بازه چیزی فرستاده نشده است"),
      say(
        "Send a code or a message: it appears here, with what became of it.",
        "کدی یا پیامی بفرستید: همین‌جا دیده می‌شود، با آنچه بر سرش آمد."
      ),
      hasTest ? { href: pathOf("test"), label: say("Send a test", "ارسال آزمایشی") } : null
    )}
  </section>`
}

const REFRESH_SECONDS = 15
const SOON_SECONDS = 2

const noSuchPeriod = ({ locale: { say } }: View) =>
  searchProblems([say("There is no such period. Choose one.", "چنین بازه‌ای نیست. یکی را برگزینید.")])

/** The present activity and the present problems. */
const overviewOf = Effect.fnUntraced(function* (view: View, period: Period) {
  const { customerId } = view.actor
  const [summaries, reports] = [yield* AccountSummaries, yield* ActivityReports]
  const now = yield* Clock.currentTimeMillis
  const [{ summary, concerns }, { slots, isComplete }] = yield* Effect.all(
    [
      Effect.gen(function* () {
        const read = yield* summaries.read(customerId, null)
        return { summary: read, concerns: yield* concernsPart(view, read) }
      }),
      reports.read(customerId, { from: beginOfPeriod(period, now, view.locale.zone) })
    ],
    { concurrency: "unbounded" }
  )
  const isEmpty = isComplete && channelsOf(slots).length === 0 && sumOf(slots, () => true).accepted === 0
  return {
    lead: summary.customer.name,
    content: html`<div
      id="overview"
      class="sections"
      data-live="${isComplete ? REFRESH_SECONDS : SOON_SECONDS}"
    >
      ${!isComplete && stillSummingUp(view.locale)} ${concerns} ${figureTiles(view, slots, summary)}
      ${isEmpty ? firstSteps(view) : [activityChart(view, slots, period, now), channelTable(view, slots)]}
    </div>`
  }
})

const showOverview = Effect.fnUntraced(function* (view: View) {
  const period = periodOf(view)
  return {
    title: view.locale.say("Overview", "نمای کلی"),
    name: "overview",
    actions: periodLinks(view, period),
    ...(period === null ? { content: html`${noSuchPeriod(view)}` } : yield* overviewOf(view, period))
  } as const
})

export const overviewPages = {
  name: "overview",
  routes: [page(pathOf("overview"), showOverview)]
} as const satisfies ConsolePages
