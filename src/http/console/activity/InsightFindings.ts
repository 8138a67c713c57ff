import { Effect } from "effect"
import {
  type CodeSums,
  conversionFall,
  conversionOfSums,
  fallbackShare,
  fallenGroups,
  inSlots,
  type KeyedSums,
  noCodeSums
} from "../../../domain/Insights.ts"
import type { Instant } from "../../../domain/Instant.ts"
import type { Tally } from "../../../domain/guard/Conversion.ts"
import { type Channel, channelType } from "../../../domain/routing/Channel.ts"
import { icon } from "../frame/Document.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { badge } from "../parts/Badge.ts"
import { type Fact, facts, pageLink } from "../parts/Panels.ts"
import { channelName, channelSubject, isolatedText } from "../parts/Text.ts"
import type { ComparedSums } from "./InsightParts.ts"
import { Insights } from "../../../services/activity/Insights.ts"
import { GuardRecords } from "../../../services/guard/GuardRecords.ts"
import { RouteRecords } from "../../../services/routing/RouteRecords.ts"

/** A channel that got worse, by whoever watches it. */
type Finding =
  | { readonly by: "guard"; readonly channel: string; readonly since: Instant; readonly sums: CodeSums }
  | {
      readonly by: "routing"
      readonly channel: string
      readonly now: Tally
      readonly before: Tally
      readonly sums: CodeSums
    }

const sumsOfChannel = (
  rows: ReadonlyArray<KeyedSums & { readonly kind: string }>,
  channel: string
): CodeSums => rows.find(({ kind, key }) => kind === "channel" && key === channel) ?? noCodeSums

/** What the guard and the measured order found out, with the customer's codes over these channels. */
export const readFindings = Effect.fnUntraced(function* (
  customerId: number,
  channels: ReadonlyArray<KeyedSums>,
  now: Instant
) {
  const guard = yield* GuardRecords
  const routing = yield* RouteRecords
  const insights = yield* Insights
  const { outage } = yield* guard.state(customerId)
  const filter = { customerId, mode: "live" } as const
  const ofGuard =
    outage === null
      ? []
      : [
          {
            by: "guard" as const,
            ...outage,
            sums: sumsOfChannel(
              yield* insights.totals(filter, ["channel"], inSlots({ from: outage.since, to: now + 1 })),
              outage.channel
            )
          }
        ]
  // A process that has sent none of the customer's codes knows nothing yet.
  if (Object.keys(routing.of(customerId).records).length === 0) yield* routing.refresh(customerId)
  const ofRouting = Object.entries(routing.of(customerId).records).flatMap(([channel, { tally, before }]) =>
    before === null || channel === outage?.channel
      ? []
      : [
          {
            by: "routing" as const,
            channel,
            now: tally,
            before: before.tally,
            sums: channels.find(({ key }) => key === channel) ?? noCodeSums
          }
        ]
  )
  return [...ofGuard, ...ofRouting] satisfies ReadonlyArray<Finding>
})

/** The part of the cost that was paid for codes which the channel did not get verified. */
const wasted = ({ cost, codes, verified }: CodeSums): number =>
  codes === 0 ? 0 : Math.round((cost * (codes - verified)) / codes)

const shareText = ([codes, verified]: Tally, { percent }: Locale): string =>
  codes === 0 ? "–" : percent(verified / codes)

const findingText = (finding: Finding, locale: Locale): Html => {
  const { say, number, rials, time } = locale
  const { channel, sums } = finding
  const name = channelSubject(channel, locale)
  const cost = wasted(sums)
  if (finding.by === "guard") {
    const money = cost === 0 ? "" : say(` ${rials(cost)} went to the others.`, ` ${rials(cost)} صرف بقیه شد.`)
    const counts =
      sums.codes === 0
        ? ""
        : say(
            ` Of ${number(sums.codes)} codes over it since then, ${number(sums.verified)} were verified.`,
            ` از ${number(sums.codes)} کد پس از آن، ${number(sums.verified)} کد تأیید شد.`
          )
    return html`${say(`${name} has been down since`, `${name} قطع است، از`)}
    ${time(finding.since)}.${counts}${money}`
  }
  const money =
    cost === 0
      ? ""
      : say(
          ` In this period, ${rials(cost)} went to codes that were not verified over it.`,
          ` در این بازه ${rials(cost)} صرف کدهایی شد که با آن تأیید نشد.`
        )
  return html`${say(
    `${name}: ${shareText(finding.now, locale)} of the codes that try it first are verified there, ${shareText(finding.before, locale)} before it fell.`,
    `${name}: ${shareText(finding.now, locale)} از کدهایی که اول با آن فرستاده می‌شود همان‌جا تأیید می‌شود؛ پیش از افت ${shareText(finding.before, locale)} بود.`
  )}${money}`
}

/** What got worse, where, and what to do. */
export const findingsPart = (
  view: Pick<View, "locale" | "navigation">,
  findings: ReadonlyArray<Finding>,
  periods: ComparedPeriods
): Html => {
  const { locale } = view
  const { say } = locale
  const fall = fallPart(view, periods)
  if (findings.length === 0 && fall === null)
    return html`<p class="all-well">
      ${icon("check")}${say("No channel is down or worse than usual.", "هیچ کانالی قطع یا بدتر از معمول نیست.")}
    </p>`
  return html`<section class="panel concerns" aria-labelledby="worse">
    <div class="panel-head"><h2 id="worse">${say("What got worse", "چه چیزی بدتر شد")}</h2></div>
    <ul>
      ${fall}
      ${findings.map(
        (finding) =>
          html`<li>
            ${
              finding.by === "guard"
                ? badge("bad", say("Down", "قطع"))
                : badge("warn", say("Fallen", "افت‌کرده"))
            }<span class="what">${findingText(finding, locale)}</span>${pageLink(
              view,
              finding.by === "guard" ? "guard" : "routing",
              html`${finding.by === "guard" ? say("View guard", "دیدن نگهبان") : say("View routing", "ترتیب ارسال")}`
            )}
          </li>`
      )}
    </ul>
  </section>`
}

/** All codes, and those of each channel and operator, next to the period before. */
export interface ComparedPeriods {
  readonly all: ComparedSums
  readonly channels: ComparedGroups
  readonly operators: ComparedGroups
  readonly operatorName: (key: string) => string
  /** The same time in the address of a list. */
  readonly listTime: URLSearchParams
}

interface ComparedGroups {
  readonly data: ReadonlyArray<KeyedSums>
  readonly previous: ReadonlyArray<KeyedSums>
}

const MOST_NAMED = 2

const pointsText = (fall: number, { number }: Locale): string => number(Math.round(fall * 1000) / 10)

const fallenText = (
  { data, previous }: ComparedGroups,
  name: (key: string) => string,
  locale: Locale
): string =>
  fallenGroups(data, previous)
    .slice(0, MOST_NAMED)
    .map(({ key, fall }) => `${name(key)} ${isolatedText(`−${pointsText(fall, locale)}`)}`)
    .join(locale.say(", ", "، "))

/** Whether fewer codes are verified than before, and over which channels and operators; null: no fewer. */
const fallPart = (
  view: Pick<View, "locale" | "navigation">,
  { all, channels, operators, operatorName, listTime }: ComparedPeriods
): Html | null => {
  const { locale } = view
  const { say, percent } = locale
  const fall = conversionFall(all.data, all.previous)
  if (fall === null) return null
  const [worst] = fallenGroups(channels.data, channels.previous)
  const points = pointsText(fall, locale)
  const now = percent(conversionOfSums(all.data) ?? 0)
  const where = [
    fallenText(channels, (key) => channelName(key, locale), locale),
    fallenText(operators, operatorName, locale)
  ].filter((text) => text !== "")
  return html`<li>
    ${badge("warn", say("Fallen", "افت‌کرده"))}<span class="what"
      >${say(`Conversion fell by ${points} points, to ${now}.`, `نرخ تأیید ${points} واحد درصد افت کرد و به ${now} رسید.`)}
      ${where.map((text) => html`${text}. `)}</span
    >${worst !== undefined && pageLink(view, "verifications", html`${say("View codes", "دیدن کدها")}`, `?${new URLSearchParams([["status", "expired"], ["channel", worst.key], ...listTime])}`)}
  </li>`
}

interface MonthOfFallback {
  readonly name: string
  readonly all: CodeSums
  readonly channels: ReadonlyArray<KeyedSums>
  /** What one SMS costs the customer; null: not set. */
  readonly smsPrice: number | null
}

const isMessenger = (key: string): boolean => channelType(key as Channel) === "messenger"

/** What an SMS for each code would have cost that messengers got verified, less what they cost. */
const savedBySms = ({ channels, smsPrice }: MonthOfFallback): number | null => {
  if (smsPrice === null) return null
  const messengers = channels.filter(({ key }) => isMessenger(key))
  return messengers.reduce((sum, { verified, cost }) => sum + verified * smsPrice - cost, 0)
}

const withoutFallback = ({ codes, verified, fallbacks }: CodeSums): number | null =>
  codes === 0 ? null : (verified - fallbacks) / codes

const monthFacts = (month: MonthOfFallback, locale: Locale): ReadonlyArray<Fact | null> => {
  const { say, number, percent, rials } = locale
  const { all, channels } = month
  const rescued = channels.filter(({ fallbacks }) => fallbacks > 0)
  const share = fallbackShare(all)
  const saved = savedBySms(month)
  return [
    [
      say("Users it saved", "کاربرانی که نجات داد"),
      html`<strong>${number(all.fallbacks)}</strong
        >${share !== null && all.fallbacks > 0 && html` · ${percent(share)} ${say("of the verified", "از تأییدشده‌ها")}`}`
    ],
    rescued.length === 0
      ? null
      : [
          say("Verified at last over", "در نهایت تأیید شد با"),
          rescued.map(({ key, fallbacks }) => `${channelName(key, locale)} ${number(fallbacks)}`).join(" · ")
        ],
    [
      say("Conversion", "نرخ تأیید"),
      say(
        `${percent(conversionOfSums(all) ?? 0)} · without it ${percent(withoutFallback(all) ?? 0)}`,
        `${percent(conversionOfSums(all) ?? 0)} · بدون آن ${percent(withoutFallback(all) ?? 0)}`
      )
    ],
    saved === null
      ? null
      : [
          say("Next to an SMS for each", "در مقایسه با پیامک برای همه"),
          saved >= 0
            ? say(`${rials(saved)} less`, `${rials(saved)} کمتر`)
            : say(`${rials(-saved)} more`, `${rials(-saved)} بیشتر`)
        ]
  ]
}

/** What trying further channels was good for. */
export const fallbackPart = (month: MonthOfFallback, locale: Locale): Html => {
  const { say } = locale
  return html`<section class="panel" aria-labelledby="fallback">
    <div class="panel-head">
      <h2 id="fallback">
        ${say("What fallback saved in", "کانال‌های بعدی چه چیزی را نجات دادند:")} ${month.name}
      </h2>
    </div>
    <div class="panel-body">
      ${
        month.all.codes === 0
          ? html`<p class="muted">${say("No codes in this month.", "در این ماه کدی فرستاده نشد.")}</p>`
          : facts(monthFacts(month, locale))
      }
    </div>
  </section>`
}
