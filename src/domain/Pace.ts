import { DAY_MILLIS } from "./Admission.ts"
import type { Channel } from "./Channel.ts"
import type { Instant } from "./Instant.ts"
import type { ProviderOutcome } from "./ProviderOutcome.ts"

/** Used later than this, slots that were reserved one after the other would be used all at once: a new one is taken. */
const MAX_LATENESS_MILLIS = 500

export const isSlotUsable = (at: Instant, now: Instant): boolean => now - at <= MAX_LATENESS_MILLIS

/** Sends of an account in any minute, by channel; 0 is without a limit. */
export type DefaultRates = Readonly<Record<Channel, number>>

/** What an outcome says of the account that sent. */
export type Verdict =
  /** It works: whatever was wrong with it is over. */
  | { readonly _tag: "Works" }
  | { readonly _tag: "Failed" }
  /** The provider asked to slow down, perhaps for so long: whole milliseconds, at most a day. */
  | { readonly _tag: "MustRest"; readonly millis: number | null }

const restOf = (millis: number | null): number | null =>
  millis === null ? null : Math.round(Math.min(Math.max(millis, 0), DAY_MILLIS))

/** A refusal that blames the recipient or the text is an answer of a provider that works. */
export const verdictOf = (outcome: ProviderOutcome): Verdict => {
  switch (outcome._tag) {
    case "Accepted":
      return { _tag: "Works" }
    case "Rejected":
      return outcome.blame === "configuration" ? { _tag: "Failed" } : { _tag: "Works" }
    case "Throttled":
      return { _tag: "MustRest", millis: restOf(outcome.retryAfterMillis) }
    case "Unavailable":
    case "Unknown":
      return { _tag: "Failed" }
  }
}
