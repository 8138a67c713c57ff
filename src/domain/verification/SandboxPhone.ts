import { DeliveryReport, ProviderOutcome } from "../ProviderOutcome.ts"
import type { Instant } from "../Instant.ts"
import { InsufficientBalance, ServiceUnavailable, TooManyRequestsPhoneHour } from "../Errors.ts"
import type { Phone } from "../Phone.ts"

/** The outcomes that the sandbox simulates for some phones; for all others, every channel accepts. */
type SandboxOutcome =
  | "refused_by_all"
  | "refused_by_first"
  | "first_unknown"
  | "never_right"
  | "too_many_requests"
  | "insufficient_balance"
  | "service_unavailable"
  | "undelivered"

const outcomes: Readonly<Record<string, SandboxOutcome>> = {
  "+989000000001": "refused_by_all",
  "+989000000002": "refused_by_first",
  "+989000000003": "first_unknown",
  "+989000000004": "never_right",
  "+989000000005": "too_many_requests",
  "+989000000006": "insufficient_balance",
  "+989000000007": "service_unavailable",
  "+989000000008": "undelivered"
}

export const sandboxOutcome = (phone: Phone): SandboxOutcome | undefined => outcomes[phone]

const RETRY_AFTER_SECONDS = 3600

export type SandboxRefusal = TooManyRequestsPhoneHour | InsufficientBalance | ServiceUnavailable

/** The error that a send to this phone is refused with, if any. */
export const sandboxRefusal = (phone: Phone): SandboxRefusal | undefined => {
  switch (sandboxOutcome(phone)) {
    case "too_many_requests":
      return new TooManyRequestsPhoneHour({ retryAfterSeconds: RETRY_AFTER_SECONDS })
    case "insufficient_balance":
      return new InsufficientBalance()
    case "service_unavailable":
      return new ServiceUnavailable()
    default:
      return undefined
  }
}

const refused = ProviderOutcome.Rejected({ cause: "recipient", providerError: "simulated refusal" })
const lost = ProviderOutcome.Unknown({ providerError: "simulated lost response" })

/** The outcome of a call for this step (0 is the first). Only accepted calls with an id have a report. */
export const sandboxResponse = (phone: Phone, step: number): ProviderOutcome => {
  const outcome = sandboxOutcome(phone)
  if (outcome === "refused_by_all" || (outcome === "refused_by_first" && step === 0)) return refused
  if (outcome === "first_unknown" && step === 0) return lost
  return ProviderOutcome.Accepted({ messageId: outcome === "undelivered" ? "sandbox" : null })
}

export const sandboxReport = (phone: Phone, now: Instant): DeliveryReport =>
  sandboxOutcome(phone) === "undelivered"
    ? DeliveryReport.Undelivered({ providerError: "simulated report" })
    : DeliveryReport.Delivered({ at: now })
