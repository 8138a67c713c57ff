import { Schema } from "effect"
import { HOUR_MILLIS, type Instant } from "../../Instant.ts"
import { type Alarm, alarmOf } from "../Alarm.ts"
import { creditOf } from "./CodeBudget.ts"
import { expectedConversion, NO_CODES, Tally, usualInHour } from "./Conversion.ts"
import { ALARM_SCORE } from "./Cusum.ts"
import { addRecent, Outage, outageOf, RecentCodes } from "./Outage.ts"
import type { BudgetsTaken } from "./Mark.ts"
import { isFlooding, isLasting, Knocks, onProbationFrom } from "./Knocks.ts"
import { CUSTOMER_SEGMENT, type Segment, segmentName, segmentsOf } from "../Segments.ts"
import { newSegment, SegmentState, taught, tested, type WeighedCode } from "./SegmentState.ts"

/** The guard's memory of a customer. */
export const CustomerState = Schema.Struct({
  /** A code counts as unverified so long after it was sent. */
  maturityMillis: Schema.Int,
  /** When that was last measured. */
  maturityAt: Schema.Number,
  self: SegmentState,
  /** The codes of each channel, the older ones forgotten bit by bit. */
  channels: Schema.Record(Schema.String, Tally),
  recent: Schema.Array(RecentCodes),
  /** The most codes that are usual in this hour, and the least share of them that is verified. */
  usual: Schema.Struct({ codesPerHour: Schema.Number, conversion: Schema.Number }),
  outage: Schema.NullOr(Outage),
  /** Absent: not counted yet. */
  knocks: Schema.optionalKey(Knocks)
})
export type CustomerState = typeof CustomerState.Type

const FIRST_MATURITY_MILLIS = 120_000

export const newCustomerState = (at: Instant): CustomerState => ({
  maturityMillis: FIRST_MATURITY_MILLIS,
  maturityAt: 0,
  self: newSegment(at),
  channels: {},
  recent: [],
  usual: { codesPerHour: 0, conversion: 0 },
  outage: null
})

/** A code whose time to be verified is over. */
export interface MaturedCode extends WeighedCode {
  readonly sentAt: Instant
  readonly maturedAt: Instant
  readonly prefix: string
  readonly network: string | null
  readonly device: string | null
  readonly channel: string
  /** It was never sent, or the customer canceled it: it says nothing. */
  readonly isVoid: boolean
  readonly took: BudgetsTaken
}

export interface RoundInput {
  readonly customer: CustomerState
  /** By name; those that are not known yet are absent. */
  readonly segments: ReadonlyMap<string, SegmentState>
  /** The names of segments with an open alarm. */
  readonly alarmed: ReadonlySet<string>
  /** The conversion over all customers. */
  readonly platform: number
  /** A channel is out for others. */
  readonly platformOutage: Outage | null
}

export interface Round {
  readonly customer: CustomerState
  /** Those that changed, without the customer itself. */
  readonly segments: ReadonlyMap<string, { readonly segment: Segment; readonly state: SegmentState }>
  readonly alarms: ReadonlyArray<Alarm>
  /** The credits that verified codes return to budgets, by segment. */
  readonly credits: ReadonlyMap<string, number>
}

/** From this score on, codes teach nothing: an attack must not become what is usual. */
const SUSPICIOUS_SCORE = 6
/** From this score on, a part of the customer's codes explains its unverified codes. */
const EXPLAINING_SCORE = 3
const MAX_CHANNEL_CODES = 2000
/** After an alarm, half of the evidence is needed for the next one. */
const SCORE_AFTER_ALARM = ALARM_SCORE / 2
const CALM_SCORE = 4

const learnChannel = (
  channels: CustomerState["channels"],
  { channel, isVerified, weight }: MaturedCode
): CustomerState["channels"] => {
  const [codes, verified] = channels[channel] ?? [0, 0]
  const keep = codes >= MAX_CHANNEL_CODES ? 0.5 : 1
  return { ...channels, [channel]: [codes * keep + weight, verified * keep + (isVerified ? weight : 0)] }
}

/** A channel's own conversion: the last channel of a route is verified less often than the first. */
const channelConversion = (customer: CustomerState, channel: string, expected: number): number => {
  const [codes, verified] = customer.channels[channel] ?? [0, 0]
  const weight = 10
  return (verified + weight * expected) / (codes + weight)
}

/** A round that is being made. */
interface Draft {
  customer: CustomerState
  readonly segments: Map<string, { readonly segment: Segment; readonly state: SegmentState }>
  readonly alarms: Array<Alarm>
  readonly credits: Map<string, number>
}

const credit = (draft: Draft, name: string, codes: number) =>
  draft.credits.set(name, (draft.credits.get(name) ?? 0) + codes)

const CUSTOMER_NAME = segmentName(CUSTOMER_SEGMENT)

/** Whether a code took one of a segment's budget. */
const tookFrom = ({ took }: MaturedCode, { kind }: Segment): boolean =>
  took === "all" || (took === "parts" && kind !== "customer")

/** Raises the alarm of a part of the customer's codes, or of the customer. */
const raise = (draft: Draft, segment: Segment, state: SegmentState, at: Instant): SegmentState => {
  const alarm = alarmOf(segment, state, at)
  draft.alarms.push(alarm)
  // The part explains these codes, so the customer's budget need not.
  if (segment.kind !== "customer") credit(draft, CUSTOMER_NAME, alarm.codes - alarm.verified)
  return {
    ...state,
    score: SCORE_AFTER_ALARM,
    level: alarm.level,
    levelAt: at,
    pending: NO_CODES,
    onProbation: true
  }
}

interface Tested {
  readonly segment: Segment
  readonly state: SegmentState
  readonly isSuspicious: boolean
}

const stateOf = (draft: Draft, input: RoundInput, segment: Segment, at: Instant): SegmentState => {
  if (segment.kind === "customer") return draft.customer.self
  const name = segmentName(segment)
  return draft.segments.get(name)?.state ?? input.segments.get(name) ?? newSegment(at)
}

/** Whether more codes are refused of the customer as a whole than users ask for. */
const isUnderAttack = ({ knocks, usual }: CustomerState, now: Instant): boolean =>
  isFlooding(knocks, usual.codesPerHour) || isLasting(knocks, usual.codesPerHour, now)

/** Tests a code in one of its segments. */
const testIn = (draft: Draft, input: RoundInput, code: MaturedCode, segment: Segment): Tested => {
  const name = segmentName(segment)
  const before = stateOf(draft, input, segment, code.sentAt)
  const { self, outage } = draft.customer
  const profiles = segment.kind === "customer" ? [self.profile] : [self.profile, before.profile]
  const expected = expectedConversion(input.platform, profiles, code.sentAt)
  if (code.isVerified && tookFrom(code, segment)) credit(draft, name, code.weight * creditOf(expected))
  const isOut = outage?.channel === code.channel && !code.isVerified
  const isAlarmed = input.alarmed.has(name)
  const isAttacked = segment.kind === "customer" && isUnderAttack(draft.customer, code.maturedAt)
  const after = isOut ? before : tested(before, code.maturedAt, code, expected)
  const isDue = after.score >= ALARM_SCORE && !isAlarmed && outage === null
  const next = isDue ? raise(draft, segment, after, code.maturedAt) : after
  const score = Math.min(next.score, ALARM_SCORE)
  return {
    segment,
    state: { ...next, score, onProbation: next.onProbation && (score >= CALM_SCORE || isAttacked) },
    isSuspicious: before.score >= SUSPICIOUS_SCORE || isAlarmed || isOut
  }
}

/**
 * Tests a code in all its segments. An unverified code that a part explains does not speak against the customer: else
 * an attack from one network would block everybody.
 */
const testAll = (draft: Draft, input: RoundInput, code: MaturedCode): ReadonlyArray<Tested> => {
  const [customer, ...parts] = segmentsOf(code.prefix, code)
  const isExplained =
    !code.isVerified &&
    parts.some(
      (part) =>
        input.alarmed.has(segmentName(part)) ||
        stateOf(draft, input, part, code.sentAt).score >= EXPLAINING_SCORE
    )
  const results = parts.map((part) => testIn(draft, input, code, part))
  return isExplained ? results : [testIn(draft, input, code, customer), ...results]
}

const keep = (draft: Draft, segment: Segment, state: SegmentState) => {
  if (segment.kind === "customer") draft.customer = { ...draft.customer, self: state }
  else draft.segments.set(segmentName(segment), { segment, state })
}

/** A code that was never sent returns its credit. */
const returnCredit = (draft: Draft, code: MaturedCode) => {
  for (const segment of segmentsOf(code.prefix, code)) {
    if (tookFrom(code, segment)) credit(draft, segmentName(segment), code.weight)
  }
}

/** Traffic changes within the hours that are looked at: the most codes of two, and the fewest that are verified. */
const usualOf = ({ self }: CustomerState, at: Instant, conversion: number): CustomerState["usual"] => {
  const hours = [usualInHour(self.profile, at), usualInHour(self.profile, at - HOUR_MILLIS)]
  const codesPerHour = Math.max(...hours)
  return {
    codesPerHour,
    conversion: codesPerHour === 0 ? 0 : (conversion * Math.min(...hours)) / codesPerHour
  }
}

/** The customer after the code of a channel that may be out. */
const observed = (draft: Draft, input: RoundInput, code: MaturedCode): CustomerState => {
  const { customer } = draft
  const { sentAt, maturedAt, channel, isVerified, weight } = code
  const conversion = expectedConversion(input.platform, [customer.self.profile], sentAt)
  const usual = usualOf(customer, sentAt, conversion)
  const expected = channelConversion(customer, channel, conversion)
  const recent = addRecent(customer.recent, maturedAt, { channel, expected, isVerified, weight })
  const next = { ...customer, usual, recent }
  // An outage refuses nobody, and does not make users ask so often: its own, or that of the platform.
  if (isFlooding(customer.knocks, usual.codesPerHour)) return { ...next, outage: null }
  return { ...next, outage: outageOf(customer.outage, recent, usual, maturedAt, input.platformOutage) }
}

const judgeCode = (draft: Draft, input: RoundInput, code: MaturedCode) => {
  if (code.isVoid) return returnCredit(draft, code)
  const { customer } = draft
  draft.customer = observed(draft, input, code)
  const results = testAll(draft, input, code)
  const teaches = !results.some((result) => result.isSuspicious)
  for (const { segment, state } of results) {
    // Most segments are seen once: only those with something to remember are kept, and networks of users.
    if (!teaches) {
      keep(draft, segment, state)
      continue
    }
    const isOfUsers = segment.kind === "network" && code.isVerified
    const isKnown = segment.kind === "customer" || isOfUsers || input.segments.has(segmentName(segment))
    if (!isKnown && state.score === 0 && !draft.segments.has(segmentName(segment))) continue
    keep(draft, segment, taught(state, code.sentAt, code))
  }
  if (teaches) draft.customer = { ...draft.customer, channels: learnChannel(customer.channels, code) }
}

/** Judges the codes that have matured, in their order. */
export const judge = (input: RoundInput, codes: ReadonlyArray<MaturedCode>): Round => {
  const draft: Draft = { customer: input.customer, segments: new Map(), alarms: [], credits: new Map() }
  const alarmed = new Set(input.alarmed)
  const judged = { ...input, alarmed }
  for (const code of codes) {
    const before = draft.alarms.length
    judgeCode(draft, judged, code)
    for (const alarm of draft.alarms.slice(before)) alarmed.add(segmentName(alarm))
  }
  return draft
}

/** Enough evidence of one or two codes raises the alarm of a segment again whose block is over. */
const SCORE_ON_PROBATION = ALARM_SCORE - 1.2

/**
 * The segment of an alarm whose time is over. Where enforcing let no code through, nothing new is known: it passes again on
 * probation.
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
