import { Clock, DateTime, Effect } from "effect"
import { DAY_MILLIS, HOUR_MILLIS, type Instant } from "../../../domain/Instant.ts"
import {
  type ActivityFigures,
  type ActivitySlot,
  type ActivitySums,
  channelsOf,
  secondsWithin,
  SLOT_MILLIS,
  slotOf,
  sumOf
} from "../../../domain/Activity.ts"
import { TEHRAN } from "../../../domain/TimeZones.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { type PageName, pathOf } from "../Navigation.ts"
import { concernsPart } from "./Concerns.ts"
import { html, type Html } from "../frame/Html.ts"
import { makeLocale } from "../frame/Locale.ts"
import { page, type View } from "../frame/SignedRoutes.ts"
import { addressWith } from "../frame/Visit.ts"
import { chart } from "../parts/Chart.ts"
import { emptyState, searchProblems, table } from "../parts/Lists.ts"
import { pageLink, stillSummingUp, type Tile, tiles } from "../parts/Panels.ts"
import { channelName } from "../parts/Text.ts"
import { AccountSummaries, type AccountSummary } from "../../../services/activity/AccountSummaries.ts"
import { ActivityReports } from "../../../services/activity/ActivityReports.ts"

const periods = {
  "24h": { unit: "hour", length: DAY_MILLIS, english: "24 hours", persian: "۲۴ ساعت" },
  "7d": { unit: "day", length: 7 * DAY_MILLIS, english: "7 days", persian: "۷ روز" },
  "30d": { unit: "day", length: 30 * DAY_MILLIS, english: "30 days", persian: "۳۰ روز" }
} as const
type Period = keyof typeof periods

const isPeriod = (text: string): text is Period => Object.hasOwn(periods, text)

/** The period that the address names, or the shortest; null if there is no such period. */
const periodOf = ({ query }: Pick<View, "query">): Period | null => {
  const wanted = query.get("period") ?? ""
  return wanted === "" ? "24h" : isPeriod(wanted) ? wanted : null
}

/** Days are those of Tehran, as in insights and usage; hours are the viewer's. */
const zoneOf = (period: Period, { locale }: View): string =>
  periods[period].unit === "day" ? TEHRAN : locale.zone

/** The hour, or the day, in which an instant is. */
const beginOf = (at: Instant, unit: "hour" | "day", zone: string): Instant =>
  DateTime.toEpochMillis(DateTime.startOf(DateTime.makeZonedUnsafe(at, { timeZone: zone }), unit))

/** Where the period begins: with a whole hour or day. */
const beginOfPeriod = (period: Period, now: Instant, zone: string): Instant => {
  const { unit, length } = periods[period]
  return beginOf(now - length + (unit === "hour" ? HOUR_MILLIS : DAY_MILLIS), unit, zone)
}

interface Bucket {
  readonly begin: Instant
  readonly slots: ReadonlyArray<ActivitySlot>
}

/** The slots of each hour or day of the period, also of those without any. */
const bucketsOf = (
  slots: ReadonlyArray<ActivitySlot>,
  period: Period,
  now: Instant,
  zone: string
): ReadonlyArray<Bucket> => {
  const { unit } = periods[period]
  const known = new Map(slots.map((slot) => [slot.startsAt, slot]))
  const buckets: Array<{ readonly begin: Instant; readonly slots: Array<ActivitySlot> }> = []
  let nextBegin = -Infinity
  for (let at = slotOf(beginOfPeriod(period, now, zone)); at <= now; at += SLOT_MILLIS) {
    if (at >= nextBegin) {
      const begin = beginOf(at, unit, zone)
      buckets.push({ begin, slots: [] })
      // a day has 23 to 25 hours; finding where it begins takes long
      nextBegin = beginOf(begin + 1.5 * (unit === "day" ? DAY_MILLIS : HOUR_MILLIS), unit, zone)
    }
    const slot = known.get(at)
    if (slot !== undefined) buckets.at(-1)?.slots.push(slot)
  }
  return buckets
}

/** Links to the periods, the shown one marked. */
const periodLinks = (view: View, shown: Period | null): Html =>
  html`<nav class="segments" aria-label="${view.locale.say("Period", "بازه")}">
    ${Object.entries(periods).map(
      ([name, { english, persian }]) =>
        html`<a href="${addressWith(view, { period: name })}" ${name === shown && html`aria-current="true"`}>
          ${view.locale.say(english, persian)}
        </a>`
    )}
  </nav>`

const allCodes = ({ kind, channel }: ActivityFigures) => kind === "code" && channel === null
const allMessages = ({ kind, channel }: ActivityFigures) => kind === "message" && channel === null
const anyChannel = ({ channel }: ActivityFigures) => channel !== null

const share = (part: number, whole: number, { locale }: View): string =>
  whole === 0 ? "–" : locale.percent(part / whole)

const time = (sums: ActivitySums, portion: number, { locale }: View): string => {
  const seconds = secondsWithin(sums, portion)
  return seconds === null ? "–" : locale.duration(seconds)
}

/** Where a figure is explained; nothing for those who are not served the page. */
const leadsTo = ({ navigation }: View, name: PageName): Pick<Tile, "href"> =>
  navigation.some(({ pages }) => pages.some((page) => page.name === name)) ? { href: pathOf(name) } : {}

const moneyTiles = ({ wallet, quota }: AccountSummary, view: View): ReadonlyArray<Tile> => {
  const { say, number, rials } = view.locale
  return [
    ...(wallet === null
      ? []
      : [
          {
            label: say("Wallet", "کیف پول"),
            value: rials(wallet.balance - wallet.held),
            note: say(`${rials(wallet.held)} held`, `${rials(wallet.held)} رزروشده`),
            ...leadsTo(view, "wallet")
          }
        ]),
    ...(quota === null
      ? []
      : [
          {
            label: say("This month", "این ماه"),
            value: number(quota.used),
            note: say(`of ${number(quota.limit)} sends`, `از ${number(quota.limit)} ارسال`),
            ...leadsTo(view, "usage")
          }
        ])
  ]
}

const figureTiles = (view: View, slots: ReadonlyArray<ActivitySlot>, summary: AccountSummary): Html => {
  const { say, number, rials } = view.locale
  const codes = sumOf(slots, allCodes)
  const messages = sumOf(slots, allMessages)
  return tiles([
    {
      label: say("Codes", "کدها"),
      value: number(codes.accepted),
      note: say(`${number(codes.verified)} verified`, `${number(codes.verified)} تأیید شد`),
      ...leadsTo(view, "verifications")
    },
    {
      label: say("Conversion", "نرخ تأیید"),
      value: share(codes.verified, codes.accepted, view),
      note: say("of codes verified", "از کدها تأیید شد"),
      ...leadsTo(view, "insights")
    },
    {
      label: say("Median time to verify", "میانهٔ زمان تأیید"),
      value: time(codes, 0.5, view),
      ...leadsTo(view, "insights"),
      ...(codes.verified > 0 && {
        note: say(`95th percentile: ${time(codes, 0.95, view)}`, `صدک ۹۵: ${time(codes, 0.95, view)}`)
      })
    },
    {
      label: say("Messages", "پیام‌ها"),
      value: number(messages.accepted),
      ...leadsTo(view, "messages")
    },
    {
      label: say("Cost", "هزینه"),
      value: rials(sumOf(slots, anyChannel).cost),
      note: say("in this period", "در این بازه"),
      ...leadsTo(view, "usage")
    },
    ...moneyTiles(summary, view)
  ])
}

const bucketLabels = (period: Period, view: View): ((begin: Instant) => string) => {
  const { hour, localDay } = makeLocale(view.locale.language, zoneOf(period, view))
  return periods[period].unit === "hour" ? hour : localDay
}

interface CountedBucket {
  readonly label: string
  readonly codes: ActivitySums
}

/** On an axis of its own: a share is no count. */
const conversionChart = (view: View, unit: string, buckets: ReadonlyArray<CountedBucket>): Html => {
  const { say, percent } = view.locale
  return chart(
    {
      title: say("Conversion over time", "روند نرخ تأیید"),
      unit,
      isSmall: true,
      isPercent: true,
      series: [{ label: say("Conversion", "نرخ تأیید"), kind: "line" }],
      points: buckets.map(({ label, codes: { accepted, verified } }) => ({
        label,
        values: [accepted === 0 ? null : Math.round((verified / accepted) * 1000) / 10]
      })),
      format: (value) => percent(value / 100)
    },
    view.locale
  )
}

const activityChart = (
  view: View,
  slots: ReadonlyArray<ActivitySlot>,
  period: Period,
  now: Instant
): Html => {
  const { say } = view.locale
  const unit = periods[period].unit === "hour" ? say("Hour", "ساعت") : say("Day", "روز")
  const labelOf = bucketLabels(period, view)
  const buckets = bucketsOf(slots, period, now, zoneOf(period, view)).map(({ begin, slots: within }) => {
    const codes = sumOf(within, allCodes)
    return { label: labelOf(begin), codes, messages: sumOf(within, allMessages).accepted }
  })
  const points = buckets.map(({ label, codes: { accepted, verified }, messages }) => ({
    label,
    values: [verified, accepted - verified, messages]
  }))
  return html`<section class="panel">
    <div class="panel-head">
      <h2>${say("Over time", "روند")}</h2>
      ${pageLink(view, "insights", say("Insights", "تحلیل"))}
    </div>
    <div class="panel-body">
      ${chart(
        {
          title: say("Codes and messages over time", "روند کدها و پیام‌ها"),
          unit,
          series: [
            { label: say("Codes verified", "کدهای تأییدشده"), kind: "bar" },
            { label: say("Codes not verified", "کدهای تأییدنشده"), kind: "bar" },
            { label: say("Messages", "پیام‌ها"), kind: "line" }
          ],
          points
        },
        view.locale
      )}
      ${conversionChart(view, unit, buckets)}
    </div>
  </section>`
}

const over = (wanted: string) => (figures: ActivityFigures) => figures.channel === wanted
const codesOver = (wanted: string) => (figures: ActivityFigures) =>
  figures.channel === wanted && figures.kind === "code"

const channelTable = (view: View, slots: ReadonlyArray<ActivitySlot>): Html => {
  const { say, number, rials } = view.locale
  const rows = channelsOf(slots).map((channel) => ({
    channel,
    all: sumOf(slots, over(channel)),
    codes: sumOf(slots, codesOver(channel))
  }))
  type Row = (typeof rows)[number]
  const column = (header: string, cell: (row: Row) => string) => ({ header, kind: "number" as const, cell })
  const caption = say("By channel", "به تفکیک کانال")
  return html`<section class="panel figures">
    <div class="panel-head"><h2>${caption}</h2></div>
    ${table<Row>(
      caption,
      [
        {
          header: say("Channel", "کانال"),
          kind: "title",
          cell: ({ channel }) => channelName(channel, view.locale)
        },
        column(say("Attempts", "تلاش‌ها"), ({ all }) => number(all.sent + all.failed)),
        column(say("Accepted", "پذیرفته شد"), ({ all }) => share(all.sent, all.sent + all.failed, view)),
        column(say("Conversion", "نرخ تأیید"), ({ codes }) => share(codes.verified, codes.accepted, view)),
        column(say("Median time to verify", "میانهٔ زمان تأیید"), ({ codes }) => time(codes, 0.5, view)),
        {
          ...column(say("95th percentile", "صدک ۹۵"), ({ codes }) => time(codes, 0.95, view)),
          isOptional: true
        },
        column(say("Cost", "هزینه"), ({ all }) => (all.cost === 0 ? "–" : rials(all.cost)))
      ],
      rows
    )}
  </section>`
}

const firstSteps = (view: View): Html => {
  const { say } = view.locale
  const hasTest = view.navigation.some(({ pages }) => pages.some(({ name }) => name === "test"))
  return html`<section class="panel">
    ${emptyState(
      say("Nothing sent in this period", "در این بازه چیزی ارسال نشده است"),
      say(
        "Send a code or a message, and see it and its result here.",
        "یک کد یا پیام بفرستید و نتیجه‌اش را همین‌جا ببینید."
      ),
      hasTest ? { href: pathOf("test"), label: say("Send a test", "ارسال آزمایشی") } : null
    )}
  </section>`
}

const REFRESH_SECONDS = 15
const SOON_SECONDS = 2

const noSuchPeriod = ({ locale: { say } }: View) =>
  searchProblems([
    say("Unknown period. Choose one of the periods.", "این بازه وجود ندارد. یکی از بازه‌ها را انتخاب کنید.")
  ])

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
      reports.read(customerId, { from: beginOfPeriod(period, now, zoneOf(period, view)) })
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
