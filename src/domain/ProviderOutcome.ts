import { Data } from "effect"

/** Who a refusal blames: the recipient's number, what we sent, or how the account is set up. */
export type Blame = "recipient" | "request" | "configuration"

/** What one call to a provider came to. `providerError` is the provider's own code and text. */
export type ProviderOutcome = Data.TaggedEnum<{
  Accepted: { readonly messageId: string | null }
  Rejected: { readonly blame: Blame; readonly providerError: string }
  Throttled: { readonly retryAfterMillis: number | null; readonly providerError: string }
  Unavailable: { readonly providerError: string }
  /** The request left and no answer came back: it may or may not have been delivered. */
  Unknown: { readonly providerError: string }
}>
export const ProviderOutcome = Data.taggedEnum<ProviderOutcome>()

export type AttemptErrorCode =
  | "recipient_unreachable"
  | "provider_rejected"
  | "provider_misconfigured"
  | "provider_rate_limited"
  | "provider_unavailable"
  | "provider_outcome_unknown"
  | "account_unavailable"

const byBlame = {
  recipient: "recipient_unreachable",
  request: "provider_rejected",
  configuration: "provider_misconfigured"
} as const

/** Our code for a failed outcome; null when it was accepted. */
export const attemptErrorCode = ProviderOutcome.$match({
  Accepted: (): AttemptErrorCode | null => null,
  Rejected: ({ blame }): AttemptErrorCode | null => byBlame[blame],
  Throttled: (): AttemptErrorCode | null => "provider_rate_limited",
  Unavailable: (): AttemptErrorCode | null => "provider_unavailable",
  Unknown: (): AttemptErrorCode | null => "provider_outcome_unknown"
})
