import { HOUR_MILLIS, type Instant } from "../Instant.ts"
import { type Alarm, alarmOf } from "./Alarm.ts"
import { creditOf } from "./CodeBudget.ts"
import { ALARM_SCORE, expectedConversion, leastUsual, NO_CODES, totalOf, usualInHour } from "./Conversion.ts"
import { type CustomerState, isFlooding, isUnderAttack, SCORE_AFTER_ALARM } from "./CustomerState.ts"
import { addRecent, type Outage, outageOf } from "./Outage.ts"
import {
  CUSTOMER_SEGMENT,
  ENOUGH_NETWORKS,
  isAround,
  newSegment,
  type Segment,
  segmentName,
  segmentsOf,
  segmentsTaken,
  type SegmentState,
  taught,
  tested,
  type WeighedCode,
  type Whole,
  WHOLE,
  withNetwork
} from "./Segments.ts"

/** A code whose time to be verified is over. */
export interface DueCode extends WeighedCode {
  readonly sentAt: Instant
  readonly dueAt: Instant
  readonly prefix: string
  readonly network: string | null
  readonly device: string | null
  readonly channel: string
  /** It was never sent, or the customer canceled it: it says nothing. */
  readonly isVoid: boolean
  /** The budget of the customer that it took from. */
  readonly took: Whole | null
}

const MAX_CHANNEL_CODES = 2000

const learnChannel = (
  channels: CustomerState["channels"],
  { channel, isVerified, weight }: DueCode
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

/**
 * Traffic changes within the hours that are looked at: the most codes of two, and the fewest that are certain to be
 * verified. With a day or two to learn from, chance would make few verified codes look like an outage.
 */
const usualOf = ({ self }: CustomerState, at: Instant, conversion: number): CustomerState["usual"] => {
  const hours = [usualInHour(self.profile, at), usualInHour(self.profile, at - HOUR_MILLIS)]
  const codesPerHour = Math.max(...hours.map(({ perHour }) => perHour))
  return {
    codesPerHour,
    conversion: codesPerHour === 0 ? 0 : (conversion * Math.min(...hours.map(leastUsual))) / codesPerHour
  }
}

/** What a round knows about all customers. */
interface PlatformTraffic {
  /** The conversion over all customers. */
  readonly platform: number
  /** A channel is out for others. */
  readonly platformOutage: Outage | null
}

/** The customer after the code of a channel that may be out. */
const observed = (
  customer: CustomerState,
  { platform, platformOutage }: PlatformTraffic,
  code: DueCode
): CustomerState => {
  const { sentAt, dueAt, channel, isVerified, weight } = code
  const conversion = expectedConversion(platform, [customer.self.profile], sentAt)
  const usual = usualOf(customer, sentAt, conversion)
  const expected = channelConversion(customer, channel, conversion)
  const recent = addRecent(customer.recent, dueAt, { channel, expected, isVerified, weight })
  const next = { ...customer, usual, recent }
  // An outage refuses nobody, and does not make users ask so often: its own, or that of the platform.
  if (isFlooding(customer.refusals, usual.codesPerHour)) return { ...next, outage: null }
  return { ...next, outage: outageOf(customer.outage, recent, usual, dueAt, platformOutage) }
}

export interface RoundInput extends PlatformTraffic {
  readonly customer: CustomerState
  /** By name; those that are not known yet are absent. */
  readonly segments: ReadonlyMap<string, SegmentState>
  /** The names of segments with an open alarm. */
  readonly alarmed: ReadonlySet<string>
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
/**
 * From this score on, a part of the customer's codes explains its unverified codes: after about three in a row. Else a
 * few networks would block everybody.
 */
const EXPLAINING_SCORE = 1.7
const CALM_SCORE = 4

/** A round that is being made. */
interface Draft {
  customer: CustomerState
  readonly segments: Map<string, { readonly segment: Segment; readonly state: SegmentState }>
  readonly alarms: Array<Alarm>
  readonly credits: Map<string, number>
}

const credit = (draft: Draft, name: string, codes: number) =>
  draft.credits.set(name, (draft.credits.get(name) ?? 0) + codes)

/** The segments whose budgets a code took from because of this one of its segments. */
const takenOf = ({ took }: DueCode, segment: Segment): ReadonlyArray<Segment> => {
  if (took === null) return []
  if (segment.kind === "customer") return [WHOLE[took]]
  return isAround(segment) && (took === "known" || took === "vouched") ? [] : [segment]
}

/** Raises the alarm of a part of the customer's codes, or of the customer. */
const raise = (draft: Draft, segment: Segment, state: SegmentState, code: DueCode): SegmentState => {
  const at = code.dueAt
  const alarm = alarmOf(segment, state, at)
  draft.alarms.push(alarm)
  // The part explains these codes, so the customer's budget need not.
  if (segment.kind !== "customer") {
    for (const whole of takenOf(code, CUSTOMER_SEGMENT)) {
      credit(draft, segmentName(whole), alarm.codes - alarm.verified)
    }
  }
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

/** The state of a segment after a test with a code. */
const afterTest = (before: SegmentState, segment: Segment, code: DueCode, expected: number): SegmentState => {
  const after = tested(before, code.dueAt, code, expected)
  return isAround(segment) && code.network !== null
    ? withNetwork(after, code.network, code.isVerified, ENOUGH_NETWORKS)
    : after
}

/** From this many verified codes on it is known which networks a customer's users come from. */
const ENOUGH_VERIFIED = 30
const MOST = 0.5

/** A network of most users is no part of the customer: what happens to its codes happens to the customer's. */
export const isOfMost = (customer: CustomerState, { kind }: Segment, { profile }: SegmentState): boolean => {
  if (kind !== "network") return false
  const [, verified] = totalOf(profile)
  return verified >= ENOUGH_VERIFIED && verified > MOST * totalOf(customer.self.profile)[1]
}

/**
 * Whether codes count together: those of a /56 or /48 only if enough /64s are behind them, and those of a network only
 * if it is not that of most users.
 */
const isSegment = (draft: Draft, segment: Segment, state: SegmentState): boolean =>
  (!isAround(segment) || (state.networks?.length ?? 0) >= ENOUGH_NETWORKS) &&
  !isOfMost(draft.customer, segment, state)

/** Tests a code in one of its segments. */
const testIn = (draft: Draft, input: RoundInput, code: DueCode, segment: Segment): Tested => {
  const name = segmentName(segment)
  const before = stateOf(draft, input, segment, code.sentAt)
  const { self, outage } = draft.customer
  const profiles = segment.kind === "customer" ? [self.profile] : [self.profile, before.profile]
  const expected = expectedConversion(input.platform, profiles, code.sentAt)
  if (code.isVerified) {
    for (const taken of takenOf(code, segment)) {
      credit(draft, segmentName(taken), code.weight * creditOf(expected))
    }
  }
  const isOut = outage?.channel === code.channel && !code.isVerified
  const isAlarmed = input.alarmed.has(name)
  const isAttacked = segment.kind === "customer" && isUnderAttack(draft.customer, code.dueAt)
  const after = isOut ? before : afterTest(before, segment, code, expected)
  const isDue =
    after.score >= ALARM_SCORE && isSegment(draft, segment, after) && !isAlarmed && outage === null
  const next = isDue ? raise(draft, segment, after, code) : after
  const score = Math.min(next.score, ALARM_SCORE)
  return {
    segment,
    state: { ...next, score, onProbation: next.onProbation && (score >= CALM_SCORE || isAttacked) },
    isSuspicious:
      (before.score >= SUSPICIOUS_SCORE && isSegment(draft, segment, before)) || isAlarmed || isOut
  }
}

/** Whether a part of the customer's codes explains this unverified one. */
const explains = (draft: Draft, input: RoundInput, part: Segment, code: DueCode): boolean => {
  if (input.alarmed.has(segmentName(part))) return true
  const state = stateOf(draft, input, part, code.sentAt)
  return state.score >= EXPLAINING_SCORE && isSegment(draft, part, state)
}

/** Codes of the network were verified: those around it are no reason to refuse it. */
const hasVerified = (draft: Draft, input: RoundInput, { network, sentAt }: DueCode): boolean =>
  network !== null && totalOf(stateOf(draft, input, { kind: "network", key: network }, sentAt).profile)[1] > 0

/** The /56 and the /48 in which a code is tested: a narrower network that explains it speaks for no wider one. */
const testedAround = (draft: Draft, input: RoundInput, code: DueCode, parts: ReadonlyArray<Segment>) => {
  const around = parts.filter(isAround)
  if (around.length === 0 || hasVerified(draft, input, code)) return []
  if (code.isVerified) return around
  const narrower = [{ kind: "network", key: code.network ?? "" } as const, ...around]
  return around.filter(
    (_, nth) => !narrower.slice(0, nth + 1).some((each) => explains(draft, input, each, code))
  )
}

/**
 * Tests a code in all its segments. An unverified code that a part explains does not speak against the customer: else
 * an attack from one network would block everybody.
 */
const testAll = (draft: Draft, input: RoundInput, code: DueCode): ReadonlyArray<Tested> => {
  const [customer, ...parts] = segmentsOf(code.prefix, code)
  const own = parts.filter((part) => !isAround(part))
  const around = testedAround(draft, input, code, parts)
  const isExplained =
    !code.isVerified && [...own, ...around].some((part) => explains(draft, input, part, code))
  const results = [...own, ...around].map((part) => testIn(draft, input, code, part))
  return isExplained ? results : [testIn(draft, input, code, customer), ...results]
}

const keep = (draft: Draft, segment: Segment, state: SegmentState) => {
  if (segment.kind === "customer") draft.customer = { ...draft.customer, self: state }
  else draft.segments.set(segmentName(segment), { segment, state })
}

/** A code that was never sent returns its credit; those of a verified network may not have taken from those around it. */
const returnCredit = (draft: Draft, input: RoundInput, code: DueCode) => {
  if (code.took === null) return
  const isVerified = hasVerified(draft, input, code)
  for (const segment of segmentsTaken(code.took, code.prefix, code)) {
    if (isVerified && isAround(segment)) continue
    credit(draft, segmentName(segment), code.weight)
  }
}

const judgeCode = (draft: Draft, input: RoundInput, code: DueCode) => {
  if (code.isVoid) return returnCredit(draft, input, code)
  const { customer } = draft
  draft.customer = observed(customer, input, code)
  const results = testAll(draft, input, code)
  const teaches = !results.some((result) => result.isSuspicious)
  for (const { segment, state } of results) {
    // Most segments are seen once: only those with something to remember are kept, and networks of users.
    if (!teaches) {
      keep(draft, segment, state)
      continue
    }
    const isOfUsers = segment.kind === "network" && code.isVerified && !isAround(segment)
    const isKnown = segment.kind === "customer" || isOfUsers || input.segments.has(segmentName(segment))
    if (!isKnown && state.score === 0 && !draft.segments.has(segmentName(segment))) continue
    keep(draft, segment, taught(state, code.sentAt, code))
  }
  if (teaches) draft.customer = { ...draft.customer, channels: learnChannel(customer.channels, code) }
}

/** Judges the codes that are due, in their order. */
export const judge = (input: RoundInput, codes: ReadonlyArray<DueCode>): Round => {
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
