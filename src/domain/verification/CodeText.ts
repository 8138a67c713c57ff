import { Schema } from "effect"
import { problem } from "../Problem.ts"
import type { Channel } from "../routing/Channel.ts"
import { check, isMaxEntries, refusing } from "../SchemaProblems.ts"
import { hostOfOrigin, SiteOrigin } from "../text/HostName.ts"
import { persianDigits } from "../text/PastedText.ts"
import { isBlank, isMisleading, isStorable, TrimmedName } from "../text/VisibleText.ts"

/** The language of a default text. */
export const Locale = Schema.Literals(["fa", "en"])
export type Locale = typeof Locale.Type

export const DEFAULT_LOCALE: Locale = "fa"

const MAX_BRAND_LENGTH = 40

/** The brand behind the codes, as users know it. Braces would be placeholders. */
export const Brand = TrimmedName.check(
  check(
    (text: string) =>
      !isBlank(text) &&
      text.trim() === text &&
      [...text].length <= MAX_BRAND_LENGTH &&
      isStorable(text) &&
      !isMisleading(text) &&
      !/[{}]/.test(text),
    problem("not_brand", { maximum: MAX_BRAND_LENGTH })
  )
)

const APP_HASH_CHARACTERS = 11
const APP_HASH = `[A-Za-z0-9+/]{${APP_HASH_CHARACTERS}}`

/** By which Android's SMS Retriever finds the app that reads a code. */
export const AppHash = Schema.String.check(
  Schema.isPattern(
    new RegExp(`^${APP_HASH}$`),
    refusing(problem("not_app_hash", { characters: APP_HASH_CHARACTERS }))
  )
)

/** The sites whose pages read codes of a customer: each send names one of them. */
export const SiteOrigins = Schema.Array(SiteOrigin).check(isMaxEntries(10))

/** The text that carries a code, with its placeholders. */
export interface CodeText {
  /** Null: the default text, without a customer's options. */
  readonly textBody: string | null
  /** The language of a default text; null: the customer's own text, or the one without options. */
  readonly textLocale: Locale | null
}

/** The sites that read a customer's codes. */
export interface ReadingSites {
  /** The site whose pages read codes by themselves (WebOTP); null: none. */
  readonly webOtpHost: string | null
  /** The same for several sites; empty: `webOtpHost` is the only one. */
  readonly webOtpOrigins: ReadonlyArray<string>
}

/**
 * The host of the site that reads the code.
 *
 * @param origin where it is entered; undefined: the first of the sites
 * @returns undefined if it is none of the sites
 */
export const readingHost = (
  { webOtpHost, webOtpOrigins }: ReadingSites,
  origin: string | undefined
): string | null | undefined => {
  if (origin !== undefined) return webOtpOrigins.includes(origin) ? hostOfOrigin(origin) : undefined
  const [first] = webOtpOrigins
  return first === undefined ? webOtpHost : hostOfOrigin(first)
}

interface CodeTextOptions {
  readonly locale: Locale
  readonly brand: string | null
  /** The site whose pages read the code by themselves (WebOTP). */
  readonly webOtpHost: string | null
  /** Of the app that reads the code out of an SMS by itself. */
  readonly appHash: string | null
}

const bodies: Readonly<Record<Locale, (brand: string | null) => string>> = {
  fa: (brand) =>
    `کد تأیید ${brand ?? "شما"}: {{code}}\nاین کد تا {{minutes}} دقیقه معتبر است. آن را به کسی ندهید.`,
  en: (brand) =>
    `Your ${brand === null ? "" : `${brand} `}code: {{code}}\nIt is valid for {{minutes}} minutes. Do not share it.`
}

/** The text that messengers send if the customer chose none. */
export const DEFAULT_CODE_TEXT = bodies[DEFAULT_LOCALE](null)

const UNCHANGED: CodeText = { textBody: null, textLocale: null }

/**
 * The default text. With a host, its last line is the one by which a page of that host reads the code; the line for the
 * app is before it.
 */
export const defaultCodeText = ({ locale, brand, webOtpHost, appHash }: CodeTextOptions): CodeText => {
  if (locale === DEFAULT_LOCALE && brand === null && webOtpHost === null && appHash === null) return UNCHANGED
  const body = bodies[locale](brand)
  const hashLine = appHash === null ? "" : `\n${appHash}`
  const hostLine = webOtpHost === null ? "" : `\n@${webOtpHost} #{{code}}`
  const lines = `${hashLine}${hostLine}`
  return { textBody: lines === "" ? body : `${body}\n${lines}`, textLocale: locale }
}

/** No other line of a default text is like it. */
const hashLine = new RegExp(`^${APP_HASH}(?:\n|$)`, "m")

/** The text as it goes over the channel: apps read SMS only, so the default text has no line for them elsewhere. */
export const textOver = (channel: Channel, text: CodeText): CodeText =>
  channel === "sms" || text.textBody === null || text.textLocale === null || !hashLine.test(text.textBody)
    ? text
    : { ...text, textBody: text.textBody.replace(hashLine, "").trimEnd() }

/** The SMS Retriever reads no more bytes of an SMS. */
const MAX_RETRIEVED_BYTES = 140

/** Whether the SMS has the line for the app, and is too long for it to be read. */
export const isTooLongForApp = (sms: string, appHash: string | null): boolean =>
  appHash !== null &&
  sms.split("\n").includes(appHash) &&
  new TextEncoder().encode(sms).length > MAX_RETRIEVED_BYTES

/** A text of the customer's own. */
export const ownCodeText = (textBody: string): CodeText => ({ textBody, textLocale: null })

/** The names of 0 to 9. */
const digitNames: Readonly<Record<Locale, ReadonlyArray<string>>> = {
  fa: ["صفر", "یک", "دو", "سه", "چهار", "پنج", "شش", "هفت", "هشت", "نه"],
  en: ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
}

/** The text that a call reads: the code digit by digit, twice. */
export const spokenCodeText = (code: string, locale: Locale): string => {
  const digits = [...code]
    .map((digit) => digitNames[locale][Number(digit)] ?? digit)
    .join(locale === "fa" ? "، " : ", ")
  return locale === "fa"
    ? `کد شما: ${digits}. تکرار می‌کنم: ${digits}.`
    : `Your code: ${digits}. Once more: ${digits}.`
}

const fill = (body: string, code: string, minutes: string): string =>
  body.replaceAll("{{code}}", code).replaceAll("{{minutes}}", minutes)

const isPersian = ({ textBody, textLocale }: CodeText): boolean => textBody === null || textLocale === "fa"

/** The line that browsers read. */
const isForBrowsers = (line: string): boolean => line.startsWith("@")

/** The text that carries a code. Default texts in Persian have Persian digits, except in the line for browsers. */
export const renderCodeText = (text: CodeText, code: string, expiresInSeconds: number): string => {
  const minutes = String(Math.floor(expiresInSeconds / 60))
  const body = text.textBody ?? DEFAULT_CODE_TEXT
  if (!isPersian(text)) return fill(body, code, minutes)
  return body
    .split("\n")
    .map((line) =>
      isForBrowsers(line)
        ? fill(line, code, minutes)
        : fill(line, persianDigits(code), persianDigits(minutes))
    )
    .join("\n")
}
