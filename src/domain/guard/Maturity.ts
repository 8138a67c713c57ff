import { HOUR_MILLIS, type Instant, MINUTE_MILLIS } from "../Instant.ts"

/** A code counts as unverified after the time in which 95 % of the customer's codes are verified, within bounds. */
const SHORTEST_MILLIS = MINUTE_MILLIS
const LONGEST_MILLIS = 180_000

export const maturityOf = (percentile95Millis: number): number =>
  Math.round(Math.min(LONGEST_MILLIS, Math.max(SHORTEST_MILLIS, percentile95Millis)))

/** How long a measured time is used. */
export const MATURITY_AGE_MILLIS = 6 * HOUR_MILLIS

/** The first code of a customer matures no earlier. */
export const FIRST_ROUND_MILLIS = SHORTEST_MILLIS

/** Between two rounds of a customer: shorter while something is suspicious. */
export const CALM_ROUND_MILLIS = MINUTE_MILLIS
export const WATCHFUL_ROUND_MILLIS = 5000
/** Rounds of many customers are due together: to find each timer alone would cost more than its round. */
const ROUND_STEP_MILLIS = 1000

export const roundAt = (at: Instant): Instant => Math.ceil(at / ROUND_STEP_MILLIS) * ROUND_STEP_MILLIS

/** Without codes to judge: the next send brings the round forward. */
export const IDLE_ROUND_MILLIS = 6 * HOUR_MILLIS
