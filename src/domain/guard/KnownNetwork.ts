import { DAY_MILLIS, type Instant } from "../Instant.ts"

/** How the codes of a network were verified in two weeks. */
export interface NetworkEvidence {
  /** With this customer, and when it sent the first code. */
  readonly ownVerified: number
  readonly ownSince: Instant | null
  readonly othersVerified: number
  /** Of all customers. */
  readonly codes: number
  /** The highest score of a customer's test. */
  readonly score: number
}

/** Codes of a customer's own users say more than those of others, which anybody may be. */
const POINTS_OF_OWN = 2
const ENOUGH_POINTS = 4
/** A code of an earlier day is more than one that an attacker has just entered. */
const OLD_MILLIS = DAY_MILLIS
const MAX_SCORE = 6
const LEAST_CONVERSION = 0.4

/**
 * How well a network is known: well to the customer by two verified codes of its own. Or a little, by one of an earlier
 * day, or with the help of others, of which each code is half of an own one. Null: not at all, or no longer.
 */
export const standingOf = (evidence: NetworkEvidence, now: Instant): "known" | "vouched" | null => {
  const { ownVerified, ownSince, othersVerified, codes, score } = evidence
  const isGood = score < MAX_SCORE && ownVerified + othersVerified >= LEAST_CONVERSION * codes
  const own = POINTS_OF_OWN * ownVerified
  const isOld = ownVerified > 0 && ownSince !== null && ownSince <= now - OLD_MILLIS
  if (!isGood || (!isOld && own + othersVerified < ENOUGH_POINTS)) return null
  return own >= ENOUGH_POINTS ? "known" : "vouched"
}
