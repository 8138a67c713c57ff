import type { Channel } from "../routing/Channel.ts"
import type { Instant } from "../Instant.ts"
import type { ProviderOutcome } from "./ProviderOutcome.ts"

/** A slot that passed longer ago is lost. Otherwise slots reserved one after the other would be used all at once. */
const MAX_LATENESS_MILLIS = 500

/** How much later than its recorded start a call can begin: slots have twice as much added to the gap. */
const MAX_START_DELAY_MILLIS = 50

export const isStartInTime = (startsAt: Instant, now: Instant): boolean =>
  now >= startsAt && now - startsAt <= MAX_START_DELAY_MILLIS

export const isSlotUsable = (at: Instant, now: Instant): boolean => now - at <= MAX_LATENESS_MILLIS

/** The kinds of sends of an account. */
export type SendKind = "code" | "text"

/** Sends of an account in any minute, by channel; 0: no limit. */
export type DefaultRates = Readonly<Record<Channel, number>>

/** The state of the sending account, as an outcome shows it. */
export type Verdict =
  /** It works: earlier failures are over. */
  | { readonly _tag: "Works" }
  | { readonly _tag: "Failed" }
  /** The provider asked to slow down: for this many whole milliseconds, or without a time. */
  | { readonly _tag: "CoolDown"; readonly millis: number | null }

/** Ignores an invalid waiting time (NaN, negative, a date in the past). */
export const cooldownMillis = (millis: number | null, maxMillis: number): number | null =>
  millis !== null && millis > 0 ? Math.ceil(Math.min(millis, maxMillis)) : null

/**
 * A refusal because of the recipient or the text shows that the provider works.
 *
 * @param maxCooldownMillis the longest cooldown, whatever the provider asks for
 */
export const verdictOf = (outcome: ProviderOutcome, maxCooldownMillis: number): Verdict => {
  switch (outcome._tag) {
    case "Accepted":
      return { _tag: "Works" }
    case "Rejected":
      return outcome.blame === "configuration" ? { _tag: "Failed" } : { _tag: "Works" }
    case "Throttled":
      return { _tag: "CoolDown", millis: cooldownMillis(outcome.retryAfterMillis, maxCooldownMillis) }
    case "Unavailable":
    case "Unknown":
      return { _tag: "Failed" }
  }
}
