import { DateTime, Effect } from "effect"
import type { Instant } from "../../../../domain/Instant.ts"
import {
  type ActivityFigures,
  type ActivitySlot,
  type ActivitySums,
  channelsOf,
  sumOf
} from "../../../../domain/activity/Activity.ts"
import { ActivityReports } from "../../../../services/activity/ActivityReports.ts"
import { html, type Html } from "../../frame/Html.ts"
import type { View } from "../../frame/SignedRoutes.ts"
import { chart } from "../../parts/Chart.ts"
import { emptyState } from "../../parts/lists/EmptyState.ts"
import { table } from "../../parts/lists/Table.ts"
import { stillSummingUp } from "../../parts/StillSummingUp.ts"
import { channelName } from "../../parts/Text.ts"
import { tiles } from "../../parts/Tiles.ts"
import { daysOf, type Month } from "./UsageMonths.ts"

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
  const byDay = Map.groupBy(slots, ({ startsAt }) => DateTime.formatIsoDateUtc(DateTime.makeUnsafe(startsAt)))
  return html`<section class="panel" aria-labelledby="days-title">
    <div class="panel-head">
      <h2 id="days-title">${say("Accepted requests by day (UTC)", "درخواست‌های پذیرفته در هر روز (UTC)")}</h2>
    </div>
    <div class="panel-body">
      ${chart(
        {
          title: say("Accepted requests by day", "درخواست‌های پذیرفته در هر روز"),
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
    say("Sends and cost of each channel", "ارسال و هزینهٔ هر کانال"),
    [
      {
        header: say("Channel", "کانال"),
        kind: "title",
        cell: ({ channel }) => channelName(channel, locale)
      },
      column(say("Sent", "فرستاده"), ({ all }) => number(all.sent)),
      column(say("Failed", "ناموفق"), ({ all }) => number(all.failed)),
      column(say("Delivered", "رسیده"), ({ all }) => number(all.delivered)),
      column(say("Codes verified", "کد تأییدشده"), ({ codes }) => number(codes.verified)),
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
      label: say("Verified", "تأییدشده"),
      value: accepted === 0 ? "–" : percent(verified / accepted),
      note: say("of the codes", "از کدها")
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
            say("Nothing was sent in this month", "در این ماه چیزی فرستاده نشده"),
            say("Sandbox requests do not count.", "درخواست‌های محیط آزمایشی به حساب نمی‌آیند.")
          )
    }
  </section>`
}

const SOON_SECONDS = 2

export const figuresOf = Effect.fnUntraced(function* (view: View, month: Month, now: Instant) {
  const { slots, isComplete } = yield* (yield* ActivityReports).read(view.actor.customerId, month)
  return html`<div id="usage" class="sections" ${!isComplete && html`data-live="${SOON_SECONDS}"`}>
    ${!isComplete && stillSummingUp(view.locale)} ${totals(slots, view)}
    ${dailyChart(slots, daysOf(month, now), view)} ${channelsPanel(slots, view)}
  </div>`
})
