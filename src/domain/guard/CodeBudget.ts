import { HOUR_MILLIS } from "../Instant.ts"
import { type Segment, WHOLE } from "./Segments.ts"

/**
 * A budget bounds the codes of a segment that may be out without being verified, before any test can know about them. A
 * code takes one, and a verified code gives back a little more than the expected number of codes for it.
 */

/** The least budget for an hour. */
const LEAST_OF_SEGMENT = 26
const LEAST_OF_CUSTOMER = 36
const SHARE_OF_USUAL = 0.15
/** After a block: until codes are verified again. */
export const PROBATION_BUDGET = 2

/** Unverified codes of one segment in an hour. Evidence that other customers have counts half. */
export const budgetOf = ({ kind, key }: Segment, usualCodesPerHour: number): number => {
  const least = kind === "customer" ? LEAST_OF_CUSTOMER : LEAST_OF_SEGMENT
  const budget = Math.max(least, Math.ceil(SHARE_OF_USUAL * usualCodesPerHour))
  return kind === "customer" && key === WHOLE.vouched.key ? Math.ceil(budget / 2) : budget
}

export const leastBudget = (segment: Segment): number => budgetOf(segment, 0)

/**
 * The customer's own setting for one of its budgets, as it is asked for; null: by its usual traffic. With a setting, all
 * codes take from one budget, so that no more than that many are unverified.
 */
export const ownBudget = ({ kind, key }: Segment, set: number | null): number | null => {
  if (kind !== "customer" || set === null) return null
  return key === WHOLE.vouched.key ? Math.ceil(set / 2) : set
}

const MARGIN = 1.05

/** The credit that a verified code returns to its segments' budgets. */
export const creditOf = (expected: number): number => MARGIN / expected

/** Codes that a process lets pass in a segment before it asks the store: most segments see no more. */
export const FREE_CODES = 3
/** How many codes a process asks the store for at once. */
export const CODES_PER_GRANT = 4
/** A busy segment asks for more at once. */
export const MAX_CODES_PER_GRANT = 64
export const BUDGET_WINDOW_MILLIS = HOUR_MILLIS
