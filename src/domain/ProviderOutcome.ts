import { Data, Schema, Struct } from "effect"
import { HOUR_MILLIS, Instant, LAST_INSTANT, MINUTE_MILLIS, SECOND_MILLIS } from "./Instant.ts"
import { ERASED_PHONE, maskPhone, type Phone } from "./Phone.ts"
import { foldDigits } from "./text/PastedText.ts"
import { storable } from "./text/VisibleText.ts"

/** A text without white space and format characters, in one spelling, and where each of its letters came from. */
interface Plain {
  readonly letters: string
  /** The index in the original text of each letter. */
  readonly origins: ReadonlyArray<number>
}

const IGNORED = /[\s\p{Cf}]/u

const plainOf = (text: string): Plain => {
  const letters: Array<string> = []
  const origins: Array<number> = []
  for (let index = 0; index < text.length; index++) {
    const letter = text.charAt(index)
    if (IGNORED.test(letter)) continue
    const folded = foldDigits(letter).toLowerCase()
    // One letter for one, so that the origins stay right.
    letters.push(folded.length === 1 ? folded : letter)
    origins.push(index)
  }
  return { letters: letters.join(""), origins }
}

/** A part of this length is no coincidence. */
const MIN_SHARED = 12
/** A shorter text reveals nothing, and is part of many words. */
const MIN_LENGTH = 4

const asciiJson = (text: string): string =>
  JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[^\x20-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`)

/**
 * Forms in which a program repeats a text that it received, of those that the words can hold. Encoded forms of a long
 * text have thousands of parts, and most words have no encoded letter.
 */
const repeatedForms = (text: string, words: string): ReadonlyArray<string> => [
  text,
  ...(words.includes("\\") ? [asciiJson(text)] : []),
  ...(words.includes("%") ? [encodeURIComponent(text.toWellFormed())] : [])
]

/** Whether words with so few letters cannot hold a part of the text, in any form. No form is shorter than the text. */
const isTooShort = (letters: number, text: string): boolean =>
  letters < MIN_SHARED &&
  letters < Math.max(MIN_LENGTH, plainOf(text.slice(0, 2 * MIN_SHARED)).letters.length)

/** Encoded letters take six characters or more each. */
const sharedLength = (form: string, text: string): number => (form === text ? MIN_SHARED : MIN_SHARED * 6)

/** Marks each letter of `words` that is in a part of at least this length that `form` has too. */
const markShared = (words: Plain, form: Plain, length: number, marks: Uint8Array): void => {
  const size = Math.min(length, form.letters.length)
  if (size < MIN_LENGTH) return
  const parts = new Set<string>()
  for (let at = 0; at + size <= form.letters.length; at++) parts.add(form.letters.slice(at, at + size))
  for (let at = 0; at + size <= words.letters.length; at++) {
    if (parts.has(words.letters.slice(at, at + size))) marks.fill(1, at, at + size)
  }
}

/**
 * The words without the parts that they share with a text: all of it, or any long part, whatever the white space, the
 * script of digits, or the encoding.
 */
const withoutShared = (words: string, text: string, by: string): string => {
  const plain = plainOf(words)
  if (isTooShort(plain.letters.length, text)) return words
  const marks = new Uint8Array(plain.letters.length)
  for (const form of repeatedForms(text, words))
    markShared(plain, plainOf(form), sharedLength(form, text), marks)
  let kept = ""
  let from = 0
  for (let at = 0; at < marks.length; at++) {
    if (marks[at] === 0) continue
    let end = at
    while (marks[end + 1] === 1) end++
    kept += words.slice(from, plain.origins[at]) + by
    from = (plain.origins[end] ?? 0) + 1
    at = end
  }
  return kept + words.slice(from)
}

/** The cause of a refusal: the recipient's number, the request, or the account's configuration. */
export type RejectionCause = "recipient" | "request" | "configuration"

/** The outcome of one call to a provider. `providerError` is the provider's own code and text. */
export type ProviderOutcome = Data.TaggedEnum<{
  Accepted: { readonly messageId: string | null }
  /** `isContactLost`: the chat with the recipient is over, as when a bot was blocked. */
  Rejected: {
    readonly cause: RejectionCause
    readonly providerError: string
    readonly isContactLost?: boolean
  }
  Throttled: { readonly retryAfterMillis: number | null; readonly providerError: string }
  Unavailable: { readonly providerError: string }
  /** The request left and no response came back: it may have been delivered. */
  Unknown: { readonly providerError: string }
}>
export const ProviderOutcome = Data.taggedEnum<ProviderOutcome>()

/** Peyk's codes for failed attempts, with texts for people. */
export const attemptErrors = {
  recipient_unreachable: "The recipient cannot be reached on this channel.",
  provider_rejected: "The provider refused the message.",
  provider_misconfigured: "The account's credentials, sender or credit are not in order.",
  provider_rate_limited: "The provider asked to slow down.",
  provider_unavailable: "The provider could not be reached, or asked to try again later.",
  provider_outcome_unknown: "The provider's answer was lost: the message may or may not have been delivered.",
  account_unavailable: "The account was cooling down or at its rate limit for too long."
} as const
export const AttemptErrorCode = Schema.Literals(Struct.keys(attemptErrors))
export type AttemptErrorCode = typeof AttemptErrorCode.Type

/** Whether an attempt may have been delivered though it counts as failed. */
export const isUncertain = ({ error_code }: { readonly error_code: AttemptErrorCode | null }): boolean =>
  error_code === "provider_outcome_unknown"

const byCause = {
  recipient: "recipient_unreachable",
  request: "provider_rejected",
  configuration: "provider_misconfigured"
} as const

/** The outcome with its provider texts changed. */
export const inWords = (outcome: ProviderOutcome, reword: (words: string) => string): ProviderOutcome =>
  outcome._tag === "Accepted" ? outcome : { ...outcome, providerError: reword(outcome.providerError) }

/** Peyk's code for a failed outcome; null if it was accepted. */
export const attemptErrorCode = ProviderOutcome.$match({
  Accepted: (): AttemptErrorCode | null => null,
  Rejected: ({ cause }): AttemptErrorCode | null => byCause[cause],
  Throttled: (): AttemptErrorCode | null => "provider_rate_limited",
  Unavailable: (): AttemptErrorCode | null => "provider_unavailable",
  Unknown: (): AttemptErrorCode | null => "provider_outcome_unknown"
})

/**
 * The final outcome after a send with an unknown outcome was repeated with the same id. Only a response about the send
 * settles it. A repeat that was throttled, or an account that stopped working, says nothing about the first call.
 */
export const outcomeOfRepeat = (repeat: ProviderOutcome): ProviderOutcome => {
  if (repeat._tag === "Accepted") return repeat
  return repeat._tag === "Rejected" && repeat.cause !== "configuration"
    ? repeat
    : ProviderOutcome.Unknown({ providerError: repeat.providerError })
}

/** The content of a send, which must not appear in a log or an event. */
export interface PrivateParts {
  readonly phone: Phone
  readonly text: string
  /** Empty for a message. */
  readonly code: string
}

/** Replaces hidden text. */
export const HIDDEN = "•••"
/** Shorter values reveal nothing, and are part of many words. */
const MIN_PRIVATE_LENGTH = 4

/** Digits in any script and grouping. */
const digitsPattern = (digits: string): string =>
  [...digits]
    .map((digit) => `[${digit}${String.fromCodePoint(0x06f0 + Number(digit), 0x0660 + Number(digit))}]`)
    .join("[\\s\\-().]{0,2}")

const hide = (words: string, pattern: string, by: string): string =>
  words.replaceAll(new RegExp(pattern, "g"), () => by)

/** The numbers in a text that can be codes: a message may carry one too. The phone is masked in its own way. */
const codesIn = ({ text, phone }: PrivateParts): ReadonlyArray<string> => {
  const numbers = foldDigits(text).match(/\d{4,}/g) ?? []
  return [...new Set(numbers.filter((number) => !number.endsWith(phone.slice("+98".length))))]
}

/** More of a provider's text is never kept, and its own words may be cut once more. */
const MAX_READ_LENGTH = 4000

/** A provider's text without the parts of the send that it may repeat. */
export const withoutPrivateParts = (given: string, parts: PrivateParts): string => {
  const { phone, text, code } = parts
  const words = given.slice(0, MAX_READ_LENGTH)
  const withoutText = withoutShared(words, text, HIDDEN)
  const codes = code.length < MIN_PRIVATE_LENGTH ? codesIn(parts) : [code, ...codesIn(parts)]
  const withoutCode = codes.reduce((rest, each) => hide(rest, digitsPattern(each), HIDDEN), withoutText)
  const prefix = `(?:\\+?${digitsPattern("98")}|${digitsPattern("0098")}|${digitsPattern("0")})`
  const number = `(?:${prefix}[\\s\\-().]{0,2})?${digitsPattern(phone.slice("+98".length))}`
  return hide(withoutCode, number, maskPhone(phone))
}

/** Any Iranian mobile number, in any digits. */
const ANY_PHONE = /(?:\+?[9۹٩][8۸٨]|[0۰٠]{1,2}(?:[9۹٩][8۸٨])?)?[9۹٩](?:[\s\-().]{0,2}[0-9۰-۹٠-٩]){9}/g

/** A provider's text that may contain a number which Peyk does not know. */
export const withoutPhones = (words: string): string => words.replaceAll(ANY_PHONE, HIDDEN)

/** Four digits or more, in any script and grouping: a code, or a phone. */
const ANY_CODE = /[0-9۰-۹٠-٩](?:[\s\-().]{0,2}[0-9۰-۹٠-٩]){3,}/g

/** A provider's text that may contain a code which Peyk does not have any more. */
const withoutCodes = (words: string): string => words.replaceAll(ANY_CODE, HIDDEN)

const MAX_KEPT_LENGTH = 500

/** A provider's text in a form that a store or a log accepts: limited, and valid as PostgreSQL's text and jsonb. */
export const keptText = (text: string): string =>
  storable(text.replaceAll("\u0000", "").slice(0, MAX_KEPT_LENGTH))

/** The columns that an attempt with this outcome stores. */
export const attemptResult = (outcome: ProviderOutcome) => ({
  status: outcome._tag === "Accepted" ? ("sent" as const) : ("failed" as const),
  error_code: attemptErrorCode(outcome),
  provider_error: outcome._tag === "Accepted" ? null : keptText(outcome.providerError),
  provider_message_id:
    outcome._tag === "Accepted" && outcome.messageId !== null ? keptText(outcome.messageId) : null
})

/** The outcomes that an account of the simulator can have. */
export const SimulatedOutcome = Schema.Literals([
  "accepted",
  "rejected",
  "unreachable",
  "throttled",
  "unavailable",
  "unknown"
])
export type SimulatedOutcome = typeof SimulatedOutcome.Type

/** A provider's report about a message that it accepted. */
export type DeliveryReport = Data.TaggedEnum<{
  /** It reached the handset; `at` is the provider's time, null without one. */
  Delivered: { readonly at: Instant | null }
  /** It never will; `providerError` is the provider's own code and text. */
  Undelivered: { readonly providerError: string }
  InProgress: {}
  /** The provider could not be asked, or does not know. */
  NotKnown: { readonly reason: string }
}>
export const DeliveryReport = Data.taggedEnum<DeliveryReport>()

/** The part of the final report that an attempt stores. */
export const Delivery = Schema.Struct({
  status: Schema.Literals(["delivered", "undelivered"]),
  /** When it was delivered, if the provider reports that. */
  at: Schema.NullOr(Instant),
  /** The provider's own code and text. */
  provider_error: Schema.NullOr(Schema.String)
})
export type Delivery = typeof Delivery.Type

/** A time outside the years 1970 to 9999 is a mistake, and could not be read again. */
const asTime = (at: Instant | null): Instant | null =>
  at !== null && Number.isSafeInteger(at) && at >= 0 && at <= LAST_INSTANT ? at : null

/** The message or the code that a report is about. A code has no text here: the code itself is not at hand. */
export interface ReportSubject {
  readonly phone: Phone
  readonly text?: string
}

/** The provider's words without what they may repeat; null if that was erased, so that it cannot be found in them. */
const wordsAbout = ({ phone, text }: ReportSubject, words: string): string | null => {
  if (phone === ERASED_PHONE) return null
  return keptText(
    text === undefined ? withoutCodes(words) : withoutPrivateParts(words, { phone, text, code: "" })
  )
}

/** Undefined until it is final. */
export const settledDelivery = (report: DeliveryReport, subject: ReportSubject): Delivery | undefined => {
  switch (report._tag) {
    case "Delivered":
      return { status: "delivered", at: asTime(report.at), provider_error: null }
    case "Undelivered":
      return { status: "undelivered", at: null, provider_error: wordsAbout(subject, report.providerError) }
    case "InProgress":
    case "NotKnown":
      return undefined
  }
}

/** A delivery report: how long after the attempt its provider is asked, until it knows. */
const DELIVERY_REPORT_MILLIS = [
  10 * SECOND_MILLIS,
  MINUTE_MILLIS,
  5 * MINUTE_MILLIS,
  30 * MINUTE_MILLIS,
  2 * HOUR_MILLIS,
  12 * HOUR_MILLIS,
  24 * HOUR_MILLIS
]

/** When to ask the provider next; null: not any more. */
export const nextReportAt = (attemptedAt: Instant, now: Instant): Instant | null =>
  DELIVERY_REPORT_MILLIS.map((delay) => attemptedAt + delay).find((at) => at > now) ?? null

interface ReportedAttempt {
  readonly step: number
  readonly provider_message_id: string | null
  readonly delivery?: Delivery
}

/** The provider is to be asked, first at `at`, about the attempt at this step. */
export interface ReportRequest {
  readonly step: number
  readonly at: Instant
}

/** The report to ask for after an attempt was accepted, if its provider has reports. */
export const reportRequest = (
  route: ReadonlyArray<{ readonly reportsDelivery?: true }>,
  { step, provider_message_id }: ReportedAttempt,
  attemptedAt: Instant
): { readonly report?: ReportRequest } => {
  const at = nextReportAt(attemptedAt, attemptedAt)
  const isAsked = route[step]?.reportsDelivery === true && provider_message_id !== null && at !== null
  return isAsked ? { report: { step, at } } : {}
}

/** The attempt at this step whose provider can still be asked. */
export const attemptToReport = <Attempt extends ReportedAttempt>(
  attempts: ReadonlyArray<Attempt>,
  step: number
): Attempt | undefined =>
  attempts.find(
    (attempt) =>
      attempt.step === step && attempt.provider_message_id !== null && attempt.delivery === undefined
  )

/** The attempts with the report for the one at this step; unchanged if it already has a report. */
export const withDelivery = <Attempt extends ReportedAttempt>(
  attempts: ReadonlyArray<Attempt>,
  step: number,
  delivery: Delivery
): ReadonlyArray<Attempt> => {
  const reported = attemptToReport(attempts, step)
  return reported === undefined
    ? attempts
    : attempts.map((attempt) => (attempt === reported ? { ...attempt, delivery } : attempt))
}
