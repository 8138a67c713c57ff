import { Data, Schema } from "effect"
import { Instant, LAST_INSTANT } from "../Instant.ts"
import { ERASED_PHONE, type Phone } from "../Phone.ts"
import { DELIVERY_REPORT_MILLIS } from "../Schedules.ts"
import { keptText, withoutCodes, withoutPrivateParts } from "./ProviderOutcome.ts"

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
