import { MINUTE_MILLIS } from "../Instant.ts"
import type { ProviderOutcome } from "../ProviderOutcome.ts"

/** When an account is left alone after failures, unless the operator has other numbers. */
export const defaultCooldown = {
  /** So many failures in a row start a cooldown of the account. */
  cooldownFailures: 5,
  /** The first cooldown; each further one is twice as long, up to the longest. */
  cooldownMillis: MINUTE_MILLIS,
  cooldownMaxMillis: 15 * MINUTE_MILLIS
}

/** The state of the sending account, as an outcome shows it. */
export type AccountVerdict =
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
export const verdictOf = (outcome: ProviderOutcome, maxCooldownMillis: number): AccountVerdict => {
  switch (outcome._tag) {
    case "Accepted":
      return { _tag: "Works" }
    case "Rejected":
      return outcome.cause === "configuration" ? { _tag: "Failed" } : { _tag: "Works" }
    case "Throttled":
      return { _tag: "CoolDown", millis: cooldownMillis(outcome.retryAfterMillis, maxCooldownMillis) }
    case "Unavailable":
    case "Unknown":
      return { _tag: "Failed" }
  }
}
