import { Schema } from "effect"
import { HOUR_MILLIS, type Instant, MINUTE_MILLIS } from "../Instant.ts"
import { ALARM_SCORE, Tally } from "./Conversion.ts"
import { MAX_TIMES_USUAL, Outage, RecentCodes } from "./Outage.ts"
import { newSegment, SegmentState } from "./Segments.ts"

/**
 * The codes that were refused because the customer as a whole is suspicious. The verified codes of known networks say
 * nothing about an attack from elsewhere, of which hardly a code is sent: how many are refused shows whether it goes on.
 */
export const Refusals = Schema.Struct({
  /** All that were ever refused. */
  total: Schema.Int,
  /** Those of the last minutes: each counts the less the older it is. */
  recent: Schema.Number,
  at: Schema.Number,
  /** All that had been refused when the present hour of probation began. Absent: there was none. */
  probation: Schema.optionalKey(Schema.Struct({ total: Schema.Int, since: Schema.Number }))
})
export type Refusals = typeof Refusals.Type

const MEMORY_MILLIS = 5 * MINUTE_MILLIS
const SMALL_NUMBER = 5

/** @param before undefined: this is the first time that they are counted */
export const withRefusals = (before: Refusals | undefined, total: number, now: Instant): Refusals => {
  if (before === undefined) return { total, recent: 0, at: now }
  const kept = Math.exp(-Math.max(0, now - before.at) / MEMORY_MILLIS)
  return { ...before, total, recent: before.recent * kept + Math.max(0, total - before.total), at: now }
}

/** More than so many times the usual number of codes. */
const isMore = (refused: number, times: number, usualCodesPerHour: number, millis: number): boolean =>
  refused > SMALL_NUMBER + (times * usualCodesPerHour * millis) / HOUR_MILLIS

/** Whether an attack goes on, by the last minutes. */
export const isFlooding = (refusals: Refusals | undefined, usualCodesPerHour: number): boolean =>
  refusals !== undefined && isMore(refusals.recent, MAX_TIMES_USUAL, usualCodesPerHour, MEMORY_MILLIS)

/** An hour of probation begins. */
export const onProbationFrom = (refusals: Refusals | undefined, now: Instant): Refusals | undefined =>
  refusals === undefined ? undefined : { ...refusals, probation: { total: refusals.total, since: now } }

/**
 * Whether an attack went on in this hour of probation: a slow one does not flood a few minutes. A phone counts once in an
 * hour, so users who are refused are no more than usually ask for codes, however often they try.
 */
export const isLasting = (refusals: Refusals | undefined, usualCodesPerHour: number, now: Instant): boolean =>
  refusals?.probation !== undefined &&
  isMore(refusals.total - refusals.probation.total, 1, usualCodesPerHour, now - refusals.probation.since)

/** The guard's memory of a customer. */
export const CustomerState = Schema.Struct({
  /** A code counts as unverified so long after it was sent. */
  judgingDelayMillis: Schema.Int,
  /** When that was last measured. */
  judgingDelayAt: Schema.Number,
  self: SegmentState,
  /** The codes of each channel, the older ones forgotten bit by bit. */
  channels: Schema.Record(Schema.String, Tally),
  recent: Schema.Array(RecentCodes),
  /** The most codes that are usual in this hour, and the least share of them that is verified. */
  usual: Schema.Struct({ codesPerHour: Schema.Number, conversion: Schema.Number }),
  outage: Schema.NullOr(Outage),
  /** Absent: not counted yet. */
  refusals: Schema.optionalKey(Refusals)
})
export type CustomerState = typeof CustomerState.Type

const FIRST_JUDGING_DELAY_MILLIS = 120_000

export const newCustomerState = (at: Instant): CustomerState => ({
  judgingDelayMillis: FIRST_JUDGING_DELAY_MILLIS,
  judgingDelayAt: 0,
  self: newSegment(at),
  channels: {},
  recent: [],
  usual: { codesPerHour: 0, conversion: 0 },
  outage: null
})

/** After an alarm, half of the evidence is needed for the next one. */
export const SCORE_AFTER_ALARM = ALARM_SCORE / 2

/** Whether more codes are refused of the customer as a whole than users ask for. */
export const isUnderAttack = ({ refusals, usual }: CustomerState, now: Instant): boolean =>
  isFlooding(refusals, usual.codesPerHour) || isLasting(refusals, usual.codesPerHour, now)

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
  const refusals = onProbationFrom(customer.refusals, now)
  return { ...customer, self: { ...customer.self, levelAt: now }, ...(refusals && { refusals }) }
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
