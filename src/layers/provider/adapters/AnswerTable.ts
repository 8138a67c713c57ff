import { Effect, Schema } from "effect"
import type { Instant } from "../../../domain/Instant.ts"
import type { Phone } from "../../../domain/Phone.ts"
import { problem } from "../../../domain/Problem.ts"
import { refusing } from "../../../domain/SchemaProblems.ts"
import type { AccountTraits } from "../../../domain/customer/Customer.ts"
import { DeliveryReport } from "../../../domain/provider/DeliveryReport.ts"
import { type Blame, ProviderOutcome } from "../../../domain/provider/ProviderOutcome.ts"
import { ownValue } from "../ProviderAnswers.ts"
import type { ProviderAnswer, ProviderRequest } from "../ProviderHttp.ts"
import type { AccountProblem } from "../../../services/provider/ProviderAdapter.ts"

/** The meaning of a provider's code for a send. */
export type Meaning = Blame | "throttled" | "unavailable" | "unknown"

/** The documented codes of a provider. */
export type AnswerTable = Readonly<Record<number | string, Meaning>>

export const outcomeOfMeaning = (
  meaning: Meaning,
  providerError: string,
  { retryAfterMillis }: Pick<ProviderAnswer, "retryAfterMillis">
): ProviderOutcome => {
  switch (meaning) {
    case "throttled":
      return ProviderOutcome.Throttled({ retryAfterMillis, providerError })
    case "unavailable":
      return ProviderOutcome.Unavailable({ providerError })
    case "unknown":
      return ProviderOutcome.Unknown({ providerError })
    case "recipient":
    case "request":
    case "configuration":
      return ProviderOutcome.Rejected({ blame: meaning, providerError })
  }
}

/** A report that could not be read says nothing. */
export const orNotKnown = (
  report: Effect.Effect<DeliveryReport, AccountProblem>
): Effect.Effect<DeliveryReport> =>
  Effect.catch(report, ({ message }) => Effect.succeed(DeliveryReport.NotKnown({ reason: message })))

/** A name of the provider's: of a template, or of its variable. */
export const isWord = Schema.isPattern(
  /^[^\s]{1,100}$/,
  refusing(problem("setting_has_spaces", { minimum: 1, maximum: 100 }))
)

/** A line's number. */
export const Line = Schema.String.check(
  Schema.isPattern(/^\+?\d{4,15}$/, refusing(problem("setting_not_digits", { minimum: 4, maximum: 15 })))
)

/** A line's number in E.164. */
export const InternationalLine = Schema.String.check(
  Schema.isPattern(/^\+98\d{3,13}$/, refusing(problem("setting_not_iranian")))
)

/** A POST with the fields of a form. */
export const formPost = (url: string, fields: Readonly<Record<string, string>>): ProviderRequest => ({
  method: "POST",
  url,
  headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
  body: String(new URLSearchParams(fields))
})

/** What all SMS providers have in common, but for what is given. */
export const smsTraits = (
  given: Pick<AccountTraits, "sendsCodes" | "sendsTexts"> & Partial<AccountTraits>
): AccountTraits => ({
  deduplicatesCodes: false,
  deduplicatesTexts: false,
  reportsDelivery: true,
  needsContact: false,
  cooldownByKind: true,
  ...given
})

/** The states of a provider's reports. */
export interface ReportTable {
  readonly delivered: number | string
  /** The states that are not final; `others`: all that are in no other list. A state in no list says nothing. */
  readonly inProgress: ReadonlyArray<number | string> | "others"
  /** With the words that are stored. */
  readonly undelivered: Readonly<Record<number | string, string>>
}

export const reportOfState = (
  { delivered, inProgress, undelivered }: ReportTable,
  state: number | string,
  /** Why nothing is known if the state is in no list. */
  reason: string,
  at: Instant | null = null
): DeliveryReport => {
  const providerError = ownValue(undelivered, state)
  if (state === delivered) return DeliveryReport.Delivered({ at })
  if (providerError !== undefined) return DeliveryReport.Undelivered({ providerError })
  return inProgress === "others" || inProgress.includes(state)
    ? DeliveryReport.InProgress()
    : DeliveryReport.NotKnown({ reason })
}

/** As SMS providers have it in their examples: `09123456789`. */
export const localNumber = (phone: Phone): string => `0${phone.slice("+98".length)}`
