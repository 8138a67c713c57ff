import type { Instant } from "../../../../../domain/Instant.ts"
import { type ActivitySlot, sumOf } from "../../../../../domain/activity/Activity.ts"
import { html, type Html } from "../../../frame/Html.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { chart } from "../../../parts/Chart.ts"
import { allCodes, allMessages } from "./Figures.ts"
import { bucketsOf, type Period, periods } from "./OverviewPeriods.ts"

const bucketLabel = (begin: Instant, period: Period, { locale }: View): string =>
  periods[period].unit === "hour" ? locale.hour(begin) : locale.localDay(begin)

export const activityChart = (
  view: View,
  slots: ReadonlyArray<ActivitySlot>,
  period: Period,
  now: Instant
): Html => {
  const { say } = view.locale
  const points = bucketsOf(slots, period, now, view.locale.zone).map(({ begin, slots: within }) => {
    const { accepted, verified } = sumOf(within, allCodes)
    return {
      label: bucketLabel(begin, period, view),
      values: [verified, accepted - verified, sumOf(within, allMessages).accepted]
    }
  })
  return html`<section class="panel">
    <div class="panel-head"><h2>${say("Over time", "در گذر زمان")}</h2></div>
    <div class="panel-body">
      ${chart(
        {
          title: say("Codes and messages over time", "کدها و پیام‌ها در گذر زمان"),
          unit: periods[period].unit === "hour" ? say("Hour", "ساعت") : say("Day", "روز"),
          series: [
            { label: say("Codes verified", "کدهای تأییدشده"), kind: "bar" },
            { label: say("Codes not verified", "کدهای تأییدنشده"), kind: "bar" },
            { label: say("Messages", "پیام‌ها"), kind: "line" }
          ],
          points
        },
        view.locale
      )}
    </div>
  </section>`
}
