import type { LocalCalendar } from "../../../domain/Calendar.ts"
import { monthBefore } from "../../../domain/Calendar.ts"
import { DAY_MILLIS, HOUR_MILLIS, type Instant } from "../../../domain/Instant.ts"
import type { TimeSpan } from "../../../domain/Paging.ts"
import { startOfDay, TEHRAN } from "../../../domain/TimeZones.ts"
import type { Locale } from "../frame/Locale.ts"

/** The months of a page: in Persian those of Iran, else Gregorian ones. Days are those of Tehran in both. */
export const calendarOf = ({ language }: Pick<Locale, "language">): LocalCalendar => ({
  calendar: language === "fa" ? "jalali" : "gregorian",
  zone: TEHRAN
})

const TAGS = { fa: "fa-IR-u-ca-persian-nu-arabext", en: "en-GB" } as const

/** `November 2026` */
export const monthText = (at: Instant, { language }: Pick<Locale, "language">): string => {
  const parts = new Intl.DateTimeFormat(TAGS[language], {
    month: "long",
    year: "numeric",
    timeZone: TEHRAN
  }).formatToParts(at)
  const part = (type: "month" | "year") => parts.find((each) => each.type === type)?.value ?? ""
  return `${part("month")} ${part("year")}`
}

/** `1 – 24 November 2026`: the first and the last day of a time. */
export const daysText = ({ from, to }: TimeSpan, { language }: Pick<Locale, "language">): string =>
  new Intl.DateTimeFormat(TAGS[language], {
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: TEHRAN
  }).formatRange(from, to - 1)

/** The times that people choose by name. Days and months begin at midnight in Tehran. */
const presets = {
  today: ["Today", "امروز"],
  yesterday: ["Yesterday", "دیروز"],
  "7d": ["7 days", "۷ روز"],
  "30d": ["30 days", "۳۰ روز"],
  month: ["This month", "این ماه"],
  "last-month": ["Last month", "ماه گذشته"]
} as const
export type Preset = keyof typeof presets

export const isPreset = (text: string): text is Preset => Object.hasOwn(presets, text)

export const presetText = (name: Preset, { say }: Pick<Locale, "say">): string => {
  const [english, persian] = presets[name]
  return say(english, persian)
}

export const presetNames: ReadonlyArray<Preset> = ["today", "yesterday", "7d", "30d", "month", "last-month"]

/** A preset ends with now, or with the day or month that it names. */
export const presetSpan = (name: Preset, locale: Pick<Locale, "language">, now: Instant): TimeSpan => {
  const days = (count: number) => startOfDay(now, TEHRAN, count - 1)
  const to = now + 1
  switch (name) {
    case "today":
      return { from: days(1), to }
    case "yesterday":
      return { from: days(2), to: days(1) }
    case "7d":
      return { from: days(7), to }
    case "30d":
      return { from: days(30), to }
    case "month":
      return { from: monthBefore(now, 0, calendarOf(locale)).from, to }
    case "last-month": {
      const { from, to: end } = monthBefore(now, 1, calendarOf(locale))
      return { from, to: end }
    }
  }
}

/** Of the same kind, before a preset: up to the same time of it, if it is not over. */
export const spanBeforePreset = (name: Preset, locale: Pick<Locale, "language">, now: Instant): TimeSpan => {
  const { from, to } = presetSpan(name, locale, now)
  if (name === "month" || name === "last-month") {
    const before = monthBefore(from - 1, 0, calendarOf(locale))
    const end = name === "month" ? before.from + (to - from) : before.to
    return { from: before.from, to: Math.min(before.to, end) }
  }
  const days = { today: 1, yesterday: 1, "7d": 7, "30d": 30 }[name]
  return { from: startOfDay(from, TEHRAN, days), to: to - days * DAY_MILLIS }
}

const rolling = { "1h": HOUR_MILLIS, "24h": DAY_MILLIS } as const
const isRolling = (text: string): text is keyof typeof rolling => Object.hasOwn(rolling, text)

/** What a list's filter of times offers: the last hours, and the presets. */
export const withinChoices = ({
  say
}: Pick<Locale, "say">): ReadonlyArray<readonly [value: string, label: string]> => [
  ["1h", say("Last hour", "یک ساعت گذشته")],
  ["24h", say("Last 24 hours", "۲۴ ساعت گذشته")],
  ...presetNames.map((name) => [name, presetText(name, { say })] as const)
]

/** The time that such a filter names; of the last hours, and of a preset that goes on, only the beginning. */
export const spanWithin = (
  name: string,
  locale: Pick<Locale, "language">,
  now: Instant
): Partial<TimeSpan> => {
  if (isRolling(name)) return { from: now - rolling[name] }
  if (!isPreset(name)) return {}
  const { from, to } = presetSpan(name, locale, now)
  return to > now ? { from } : { from, to }
}

/** The beginnings of the months of a page, this one first. */
export const monthsUntil = (now: Instant, count: number, locale: Pick<Locale, "language">) =>
  Array.from({ length: count }, (_, ago) => monthBefore(now, ago, calendarOf(locale)))
