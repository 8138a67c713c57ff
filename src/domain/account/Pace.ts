import type { Channel } from "../routing/Channel.ts"
import type { Instant } from "../Instant.ts"
import type { ProviderOutcome } from "./ProviderOutcome.ts"

/** Used later than this, slots that were reserved one after the other would be used all at once: a new one is taken. */
const MAX_LATENESS_MILLIS = 500

/** A call may start so long after the start that is noted for it: slots are apart by twice as much more than the gap. */
const MAX_START_DELAY_MILLIS = 50

export const isStartInTime = (startsAt: Instant, now: Instant): boolean =>
  now >= startsAt && now - startsAt <= MAX_START_DELAY_MILLIS

export const isSlotUsable = (at: Instant, now: Instant): boolean => now - at <= MAX_LATENESS_MILLIS

/** What an account sends. */
export type SendKind = "code" | "text"

/** Sends of an account in any minute, by channel; 0 is without a limit. */
export type DefaultRates = Readonly<Record<Channel, number>>

/** What an outcome says of the account that sent. */
export type Verdict =
  /** It works: whatever was wrong with it is over. */
  | { readonly _tag: "Works" }
  | { readonly _tag: "Failed" }
  /** The provider asked to slow down, perhaps for so many whole milliseconds. */
  | { readonly _tag: "MustRest"; readonly millis: number | null }

/** What is no time to wait (NaN, less than nothing, a date that has passed) was not asked for. */
export const restMillis = (millis: number | null, maxMillis: number): number | null =>
  millis !== null && millis > 0 ? Math.ceil(Math.min(millis, maxMillis)) : null

/**
 * A refusal that blames the recipient or the text is an answer of a provider that works.
 *
 * @param maxRestMillis an account rests no longer, whatever its provider asks for
 */
export const verdictOf = (outcome: ProviderOutcome, maxRestMillis: number): Verdict => {
  switch (outcome._tag) {
    case "Accepted":
      return { _tag: "Works" }
    case "Rejected":
      return outcome.blame === "configuration" ? { _tag: "Failed" } : { _tag: "Works" }
    case "Throttled":
      return { _tag: "MustRest", millis: restMillis(outcome.retryAfterMillis, maxRestMillis) }
    case "Unavailable":
    case "Unknown":
      return { _tag: "Failed" }
  }
}
