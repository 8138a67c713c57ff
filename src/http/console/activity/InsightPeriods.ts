import { inSlots, spanBefore } from "../../../domain/Insights.ts"
import { DAY_MILLIS, HOUR_MILLIS, type Instant } from "../../../domain/Instant.ts"
import { MAX_USAGE_DAYS } from "../../../domain/money/Usage.ts"
import type { TimeSpan } from "../../../domain/Paging.ts"
import { daysOf, startOfDay, TEHRAN } from "../../../domain/TimeZones.ts"
import type { Locale } from "../frame/Locale.ts"
import { addressWith, type Visit } from "../frame/Visit.ts"
import { html, type Html } from "../frame/Html.ts"
import { readTimes } from "../parts/Lists.ts"

const DEFAULT_PERIOD = "7d"

const presets = {
  today: ["Today", "امروز"],
  "7d": ["7 days", "۷ روز"],
  "30d": ["30 days", "۳۰ روز"],
  month: ["This month", "این ماه"]
} as const
type Preset = keyof typeof presets

const isPreset = (text: string): text is Preset => Object.hasOwn(presets, text)

/** The calendar of Persian pages is that of Iran, and so are their days. */
export const zoneOf = ({ language, zone }: Pick<Locale, "language" | "zone">): string =>
  language === "fa" ? TEHRAN : zone

const calendars = { en: "en-u-ca-gregory-nu-latn", fa: "en-u-ca-persian-nu-latn" } as const

/** The beginning of the month of the page's calendar. */
export const startOfMonth = (at: Instant, locale: Pick<Locale, "language" | "zone">): Instant => {
  const timeZone = zoneOf(locale)
  const day = new Intl.DateTimeFormat(calendars[locale.language], { day: "numeric", timeZone }).format(at)
  return startOfDay(at, timeZone, Number(day) - 1)
}

/** `November 2026` */
export const monthName = (at: Instant, { language, zone }: Pick<Locale, "language" | "zone">): string => {
  const parts = new Intl.DateTimeFormat(language === "fa" ? "fa-IR-u-ca-persian-nu-arabext" : "en-GB", {
    month: "long",
    year: "numeric",
    timeZone: zoneOf({ language, zone })
  }).formatToParts(at)
  const part = (type: "month" | "year") => parts.find((each) => each.type === type)?.value ?? ""
  return `${part("month")} ${part("year")}`
}

interface Spans {
  /** Of whole half hours. */
  readonly data: TimeSpan
  readonly previous: TimeSpan
}

/** A preset is compared with the days, or the month, before it, up to the same time. */
const presetSpans = (preset: Preset, locale: Locale, now: Instant): Spans => {
  const timeZone = zoneOf(locale)
  const to = now + 1
  if (preset === "month") {
    const from = startOfMonth(now, locale)
    const before = startOfMonth(from - 1, locale)
    return {
      data: inSlots({ from, to }),
      previous: inSlots({ from: before, to: Math.min(from, before + (to - from)) })
    }
  }
  const days = { today: 1, "7d": 7, "30d": 30 }[preset]
  const from = startOfDay(now, timeZone, days - 1)
  return {
    data: inSlots({ from, to }),
    previous: inSlots({ from: startOfDay(from, timeZone, days), to: to - days * DAY_MILLIS })
  }
}

/** The time that a page shows. */
export interface InsightPeriod extends Spans {
  readonly preset: Preset | null
  /** What was not understood: then the page shows nothing. */
  readonly problems: ReadonlyArray<string>
}

const tooLong = ({ say, number }: Locale): string =>
  say(`Choose at most ${MAX_USAGE_DAYS} days.`, `حداکثر ${number(MAX_USAGE_DAYS)} روز را انتخاب کنید.`)

/** A free range, or else a preset: that of the address, or seven days. */
export const readPeriod = (view: Pick<Visit, "query" | "locale">, now: Instant): InsightPeriod => {
  const { query, locale } = view
  const { say } = locale
  const given = readTimes(view)
  const wanted = query.get("period") ?? ""
  const preset = wanted === "" ? DEFAULT_PERIOD : wanted
  const isFree = given.from !== undefined || given.to !== undefined || given.problems.length > 0
  if (!isFree) {
    const known = isPreset(preset) ? preset : DEFAULT_PERIOD
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
  return { preset: null, problems, data, previous: spanBefore(data) }
}

/** Links to the presets, the shown one marked. */
export const presetLinks = (view: Pick<Visit, "path" | "query" | "locale">, shown: Preset | null): Html =>
  html`<nav class="segments" aria-label="${view.locale.say("Period", "بازه")}">
    ${Object.entries(presets).map(
      ([name, [english, persian]]) =>
        html`<a
          href="${addressWith(view, { period: name, from: null, to: null })}"
          ${name === shown && html`aria-current="true"`}
        >
          ${view.locale.say(english, persian)}
        </a>`
    )}
  </nav>`

const LONGEST_BY_HOUR = 2 * DAY_MILLIS

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

/** A time in words: its first and its last day. */
export const spanText = ({ from, to }: TimeSpan, { language, zone }: Locale): string => {
  const format = new Intl.DateTimeFormat(language === "fa" ? "fa-IR-u-ca-persian-nu-arabext" : "en-GB", {
    day: "numeric",
    month: "long",
    timeZone: zoneOf({ language, zone })
  })
  return format.formatRange(from, to - 1)
}
