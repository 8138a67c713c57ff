import { HOUR_MILLIS, type Instant } from "../../Instant.ts"
import type { CustomerState } from "./CustomerState.ts"
import { ALARM_SCORE } from "../Cusum.ts"
import { isFlooding, isLasting, onProbationFrom } from "./Knocks.ts"
import type { SegmentState } from "../SegmentState.ts"

/** After an alarm, half of the evidence is needed for the next one. */
export const SCORE_AFTER_ALARM = ALARM_SCORE / 2

/** Whether more codes are refused of the customer as a whole than users ask for. */
export const isUnderAttack = ({ knocks, usual }: CustomerState, now: Instant): boolean =>
  isFlooding(knocks, usual.codesPerHour) || isLasting(knocks, usual.codesPerHour, now)

/** Enough evidence of one or two codes raises the alarm of a segment again whose block is over. */
const SCORE_ON_PROBATION = ALARM_SCORE - 1.2

/**
 * The segment of an alarm whose time is over. Where enforcing let no code through, nothing new is known: it passes
 * again on probation.
 */
export const released = (state: SegmentState, enforced: boolean, now: Instant): SegmentState => {
  const isUnknown = enforced && state.score === SCORE_AFTER_ALARM
  return {
    ...state,
    levelAt: now,
    score: isUnknown ? SCORE_ON_PROBATION : state.score,
    onProbation: isUnknown || state.onProbation
  }
}

/** An attacker who stops when a code is refused and comes back after the block is still on probation. */
const PROBATION_MILLIS = HOUR_MILLIS

/** An hour of probation begins. */
const probationFrom = (customer: CustomerState, now: Instant): CustomerState => {
  const knocks = onProbationFrom(customer.knocks, now)
  return { ...customer, self: { ...customer.self, levelAt: now }, ...(knocks && { knocks }) }
}

/** The customer's block is over: its probation begins. */
export const releasedCustomer = (customer: CustomerState, enforced: boolean, now: Instant): CustomerState =>
  probationFrom({ ...customer, self: released(customer.self, enforced, now) }, now)

/** A customer that is not blocked: without its probation after an hour, or on it for another if the attack went on. */
export const offProbation = (customer: CustomerState, now: Instant): CustomerState => {
  const { self } = customer
  if (!self.onProbation || now - self.levelAt < PROBATION_MILLIS) return customer
  if (isUnderAttack(customer, now)) return probationFrom(customer, now)
  return { ...customer, self: { ...self, score: 0, onProbation: false } }
}
