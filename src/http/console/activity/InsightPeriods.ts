import { inSlots, spanBefore } from "../../../domain/Insights.ts"
import { DAY_MILLIS, HOUR_MILLIS, type Instant } from "../../../domain/Instant.ts"
import { MAX_USAGE_DAYS } from "../../../domain/money/Usage.ts"
import type { TimeSpan } from "../../../domain/Paging.ts"
import { daysOf } from "../../../domain/TimeZones.ts"
import type { Locale } from "../frame/Locale.ts"
import { addressWith, type Visit } from "../frame/Visit.ts"
import { html, type Html } from "../frame/Html.ts"
import { readTimes } from "../parts/Lists.ts"
import {
  isPreset,
  type Preset,
  presetNames,
  presetSpan,
  presetText,
  spanBeforePreset
} from "../parts/Periods.ts"

const DEFAULT_PERIOD = "7d"
const LONGEST_BY_HOUR = 2 * DAY_MILLIS

interface Spans {
  /** Of whole half hours. */
  readonly data: TimeSpan
  readonly previous: TimeSpan
}

/** A preset is compared with the days, or the month, before it, up to the same time. */
const presetSpans = (preset: Preset, locale: Locale, now: Instant): Spans => ({
  data: inSlots(presetSpan(preset, locale, now)),
  previous: inSlots(spanBeforePreset(preset, locale, now))
})

/** The time that a page shows. */
export interface InsightPeriod extends Spans {
  readonly preset: Preset | null
  /** What was not understood: then the page shows nothing. */
  readonly problems: ReadonlyArray<string>
}

const tooLong = ({ say, number }: Locale): string =>
  say(`Choose at most ${MAX_USAGE_DAYS} days.`, `حداکثر ${number(MAX_USAGE_DAYS)} روز را انتخاب کنید.`)

/** Of a chart by day, whole days before: its points are days of Tehran too, at the same hours. */
const timeBefore = (span: TimeSpan): TimeSpan => {
  const length = span.to - span.from
  if (length <= LONGEST_BY_HOUR) return spanBefore(span)
  const shift = Math.ceil(length / DAY_MILLIS) * DAY_MILLIS
  return { from: span.from - shift, to: span.to - shift }
}

/** A free range, or else a preset: that of the address, or the usual one. */
export const readPeriod = (
  view: Pick<Visit, "query" | "locale">,
  now: Instant,
  usual: Preset = DEFAULT_PERIOD
): InsightPeriod => {
  const { query, locale } = view
  const { say } = locale
  const given = readTimes(view, now)
  const wanted = query.get("period") ?? ""
  const preset = wanted === "" ? usual : wanted
  const isFree = given.from !== undefined || given.to !== undefined || given.problems.length > 0
  if (!isFree) {
    const known = isPreset(preset) ? preset : usual
    const problems = isPreset(preset)
      ? []
      : [
          say(
            "Unknown period. Choose one of the periods.",
            "این بازه وجود ندارد. یکی از بازه‌ها را انتخاب کنید."
          )
        ]
    return { preset: problems.length === 0 ? known : null, problems, ...presetSpans(known, locale, now) }
  }
  const to = given.to ?? now + 1
  const from = given.from ?? to - 30 * DAY_MILLIS
  const data = inSlots({ from, to })
  const problems = [
    ...given.problems,
    ...(from >= to ? [say("The end must be after the start.", "پایان باید بعد از شروع باشد.")] : []),
    ...(to - from > MAX_USAGE_DAYS * DAY_MILLIS ? [tooLong(locale)] : [])
  ]
  return { preset: null, problems, data, previous: timeBefore(data) }
}

/** Links to the presets, the shown one marked. */
export const presetLinks = (view: Pick<Visit, "path" | "query" | "locale">, shown: Preset | null): Html =>
  html`<nav class="segments" aria-label="${view.locale.say("Period", "بازه")}">
    ${presetNames.map(
      (name) =>
        html`<a
          href="${addressWith(view, { period: name, month: null, from: null, to: null, notice: null })}"
          ${name === shown && html`aria-current="true"`}
        >
          ${presetText(name, view.locale)}
        </a>`
    )}
  </nav>`

/** Where each point of a chart begins: hours of a short time, days of a long one. */
export const bucketsOf = (span: TimeSpan, timeZone: string) => {
  const { from, to } = span
  if (to - from > LONGEST_BY_HOUR) {
    const [first, ...rest] = daysOf(span, timeZone)
    return { unit: "day" as const, begins: [Math.max(first, from), ...rest] as const }
  }
  const hours = Math.max(1, Math.ceil((to - from) / HOUR_MILLIS))
  const rest = Array.from({ length: hours - 1 }, (_, index) => from + (index + 1) * HOUR_MILLIS)
  return { unit: "hour" as const, begins: [from, ...rest] as const }
}
