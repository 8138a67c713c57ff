import { DateTime } from "effect"
import { formatInstant, type Instant } from "../../../domain/Instant.ts"
import { html, type Html } from "./Html.ts"

const languages = ["en", "fa"] as const
export type Language = (typeof languages)[number]

export const isLanguage = (text: string | null | undefined): text is Language =>
  text === "en" || text === "fa"

/** Persian comes with its own digits, and the calendar that people there use. */
const tags: Readonly<Record<Language, string>> = {
  en: "en-GB",
  fa: "fa-IR-u-ca-persian-nu-arabext"
}

const percentStyle = { style: "percent", maximumFractionDigits: 1 } as const
const dateStyle = { year: "numeric", month: "short", day: "numeric" } as const
const shortDay = { month: "short", day: "numeric" } as const
const clockStyle = { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false } as const

const minuteStyle = { hour: "2-digit", minute: "2-digit", hour12: false } as const

const makeFormats = (language: Language, timeZone: string) => {
  const tag = tags[language]
  return {
    number: new Intl.NumberFormat(tag),
    percent: new Intl.NumberFormat(tag, percentStyle),
    dateTime: new Intl.DateTimeFormat(tag, { ...dateStyle, ...clockStyle, timeZone }),
    clock: new Intl.DateTimeFormat(tag, { ...clockStyle, timeZone }),
    day: new Intl.DateTimeFormat(tag, { ...shortDay, timeZone: "UTC" }),
    hour: new Intl.DateTimeFormat(tag, { hour: "2-digit", minute: "2-digit", hour12: false, timeZone }),
    localDay: new Intl.DateTimeFormat(tag, { ...shortDay, timeZone }),
    relative: new Intl.RelativeTimeFormat(tag, { style: "short" }),
    minute: new Intl.DateTimeFormat(tag, { ...shortDay, ...minuteStyle, timeZone })
  }
}

const LEFT_TO_RIGHT_MARK = "\u200e"
/** After a Persian letter a percent sign is at the left of its digits: after this it is there everywhere. */
const ARABIC_LETTER_MARK = "\u061c"

/** Longer ago, the day is what people look for. */
const LONGEST_AGO_SECONDS = 12 * 3600

/** `console.js` says the same later. */
const agoText = (seconds: number, { relative }: ReturnType<typeof makeFormats>): string => {
  if (seconds < 60) return relative.format(-Math.max(0, Math.round(seconds)), "second")
  return seconds < 3600
    ? relative.format(-Math.floor(seconds / 60), "minute")
    : relative.format(-Math.floor(seconds / 3600), "hour")
}

/** Formats take long to make. There are few zones; of a visitor who names ever new ones, none is kept. */
const MAX_KEPT = 200
const kept = new Map<string, ReturnType<typeof makeFormats>>()

const formatsOf = (language: Language, zone: string) => {
  const key = `${language} ${zone}`
  const known = kept.get(key)
  if (known !== undefined) return known
  const made = makeFormats(language, zone)
  if (kept.size < MAX_KEPT) kept.set(key, made)
  return made
}

/** How a visitor reads words, numbers and times. */
export interface Locale {
  readonly language: Language
  /** The viewer's time zone. */
  readonly zone: string
  readonly direction: "ltr" | "rtl"
  /** The words in the visitor's language. */
  readonly say: (english: string, persian: string) => string
  readonly number: (value: number) => string
  readonly percent: (part: number) => string
  readonly rials: (amount: number) => string
  /** With its sign, at the left of the digits in both languages. */
  readonly signedRials: (amount: number) => string
  readonly seconds: (seconds: number) => string
  /** `1 min 5 s`: of two units at most. */
  readonly duration: (seconds: number) => string
  /** In the visitor's zone; UTC on hover. */
  readonly time: (at: Instant | null) => Html
  /** “3 min ago”, and a day and a time if it is long past; the whole time on hover. A script keeps it up to date. */
  readonly ago: (at: Instant, now: Instant) => Html
  /** The time of the day alone. */
  readonly clock: (at: Instant) => Html
  /** A day in UTC, as reports have them. */
  readonly day: (day: string) => string
  /** An hour, and a day, in the viewer's zone. */
  readonly hour: (at: Instant) => string
  readonly localDay: (at: Instant) => string
}

const units = [
  [86_400, "d", "روز"],
  [3600, "h", "ساعت"],
  [60, "min", "دقیقه"],
  [1, "s", "ثانیه"]
] as const

const durationOf = (seconds: number, number: Intl.NumberFormat, say: Locale["say"]): string => {
  if (seconds < 10) return `${number.format(Math.round(seconds * 10) / 10)} ${say("s", "ثانیه")}`
  const whole = Math.round(seconds)
  const first = units.findIndex(([length]) => whole >= length)
  const parts = units.slice(first, first + 2).map(([length, english, persian], index) => {
    const rest = index === 0 ? whole : whole % (units[first]?.[0] ?? 1)
    return [Math.floor(rest / length), say(english, persian)] as const
  })
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${number.format(count)} ${unit}`)
    .join(say(" ", " و "))
}

export const makeLocale = (language: Language, zone: string): Locale => {
  const formats = formatsOf(language, zone)
  const say = (english: string, persian: string) => (language === "fa" ? persian : english)
  const stamp = (at: Instant, text: string) =>
    html`<time datetime="${formatInstant(at)}" title="${formatInstant(at)}">${text}</time>`
  /** As Intl has it in Persian: without the mark, a sign goes to the right. */
  const amountWith = (sign: string, amount: number) =>
    `${say("", sign === "" ? "" : LEFT_TO_RIGHT_MARK)}${sign}${formats.number.format(Math.abs(amount))} ${say("IRR", "ریال")}`
  return {
    language,
    zone,
    direction: language === "fa" ? "rtl" : "ltr",
    say,
    number: (value) => formats.number.format(value),
    percent: (part) => `${say("", ARABIC_LETTER_MARK)}${formats.percent.format(part)}`,
    rials: (amount) => amountWith(amount < 0 ? "−" : "", amount),
    signedRials: (amount) => amountWith(amount > 0 ? "+" : amount < 0 ? "−" : "", amount),
    seconds: (seconds) => `${formats.number.format(seconds)} ${say("s", "ثانیه")}`,
    duration: (seconds) => durationOf(Math.max(0, seconds), formats.number, say),
    time: (at) => (at === null ? html`<span class="muted">–</span>` : stamp(at, formats.dateTime.format(at))),
    ago: (at, now) => {
      const seconds = (now - at) / 1000
      const iso = formatInstant(at)
      const title = `${formats.dateTime.format(at)} · ${iso}`
      return seconds > LONGEST_AGO_SECONDS
        ? html`<time datetime="${iso}" title="${title}">${formats.minute.format(at)}</time>`
        : html`<time datetime="${iso}" title="${title}" data-ago>${agoText(seconds, formats)}</time>`
    },
    hour: (at) => formats.hour.format(at),
    localDay: (at) => formats.localDay.format(at),
    clock: (at) => stamp(at, formats.clock.format(at)),
    day: (day) => formats.day.format(DateTime.toEpochMillis(DateTime.makeUnsafe(`${day}T00:00:00Z`)))
  }
}
