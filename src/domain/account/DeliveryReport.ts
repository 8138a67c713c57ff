import { Data, Schema } from "effect"
import { Instant } from "../Instant.ts"
import { keptText } from "./ProviderOutcome.ts"

/** What a provider says became of a message that it had accepted. */
export type DeliveryReport = Data.TaggedEnum<{
  /** It reached the handset; `at` as the provider says, null where it does not. */
  Delivered: { readonly at: Instant | null }
  /** It never will; `providerError` is the provider's own code and text. */
  Undelivered: { readonly providerError: string }
  InProgress: {}
  /** The provider could not be asked, or did not say. */
  NotKnown: { readonly reason: string }
}>
export const DeliveryReport = Data.taggedEnum<DeliveryReport>()

/** What an attempt keeps of the report that settled it. */
export const Delivery = Schema.Struct({
  status: Schema.Literals(["delivered", "undelivered"]),
  /** When it was delivered, as far as the provider says. */
  at: Schema.NullOr(Instant),
  /** The provider's own code and text. */
  provider_error: Schema.NullOr(Schema.String)
})
export type Delivery = typeof Delivery.Type

/** Undefined while it is not settled. */
export const settledDelivery = (report: DeliveryReport): Delivery | undefined => {
  switch (report._tag) {
    case "Delivered":
      return { status: "delivered", at: report.at, provider_error: null }
    case "Undelivered":
      return { status: "undelivered", at: null, provider_error: keptText(report.providerError) }
    case "InProgress":
    case "NotKnown":
      return undefined
  }
}

/** How long after an attempt its provider is asked, until it knows or a day is over. */
const ASK_AFTER_MILLIS = [
  10_000,
  60_000,
  5 * 60_000,
  30 * 60_000,
  2 * 3_600_000,
  12 * 3_600_000,
  24 * 3_600_000
]

/** When the provider is to be asked next; null when it is not asked any more. */
export const nextReportAt = (attemptedAt: Instant, now: Instant): Instant | null =>
  ASK_AFTER_MILLIS.map((delay) => attemptedAt + delay).find((at) => at > now) ?? null

interface ReportedAttempt {
  readonly step: number
  readonly provider_message_id: string | null
  readonly delivery?: Delivery
}

/** A provider is to be asked, first at `at`, what became of the attempt at this step. */
export interface ReportRequest {
  readonly step: number
  readonly at: Instant
}

/** For an attempt just accepted by a provider that tells. */
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

/** The attempts with what became of the one at this step; the same when that is known already. */
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
