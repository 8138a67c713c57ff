import { Schema } from "effect"
import { DAY_MILLIS, type Instant } from "../Instant.ts"
import { widerNetworks } from "../Networks.ts"
import type { Phone } from "../Phone.ts"
import { addCode, learn, newProfile, nextScore, NO_CODES, Profile, Tally } from "./Conversion.ts"

/** Codes with something in common. A customer's codes are one segment; the others are parts of it. */
export const SegmentKind = Schema.Literals(["customer", "network", "prefix", "device", "phone"])
export type SegmentKind = typeof SegmentKind.Type

export interface Segment {
  readonly kind: SegmentKind
  /** Empty for the customer; a keyed hash for networks and devices; a number without its last four digits. */
  readonly key: string
}

export const segmentName = ({ kind, key }: Segment): string => `${kind}:${key}`

/** The name of a segment among those of all customers. */
export const nameIn = (customerId: number, segment: Segment): string =>
  `${customerId}:${segmentName(segment)}`

export const CUSTOMER_SEGMENT: Segment = { kind: "customer", key: "" }

/** The customer's budgets. Only the first is a segment for alarms too. */
export const WHOLE: Readonly<Record<Whole, Segment>> = {
  all: CUSTOMER_SEGMENT,
  common: { kind: "customer", key: "common" },
  known: { kind: "customer", key: "known" },
  vouched: { kind: "customer", key: "vouched" }
}

/** The client that asks for a code, in keyed hashes. */
export interface ClientTraces {
  readonly network: string | null
  readonly device: string | null
}

export const NO_TRACES: ClientTraces = { network: null, device: null }

const HIDDEN_DIGITS = 4

export const prefixOf = (phone: Phone | string): string => phone.slice(0, -HIDDEN_DIGITS)

const AROUND = "around:"

/**
 * The /56 and the /48 around a /64, the narrower first. Their codes count as a segment's only if several /64s without a
 * verified code are behind them: a mobile operator's /48 is many people.
 */
const aroundOf = (network: string): ReadonlyArray<Segment> =>
  widerNetworks(network).map((wider) => ({ kind: "network", key: AROUND + wider }) as const)

export const isAround = ({ key }: Segment): boolean => key.startsWith(AROUND)

/** The hash of a network, without what says that it is one around others. */
export const narrowKey = (key: string): string => (key.startsWith(AROUND) ? key.slice(AROUND.length) : key)

/** So many /64s without a verified code make a /56 or /48 a segment. */
export const ENOUGH_NETWORKS = 3

/** The segments of a code; the customer comes first. */
export const segmentsOf = (
  prefix: string,
  { network, device }: ClientTraces
): readonly [customer: Segment, ...parts: ReadonlyArray<Segment>] => [
  CUSTOMER_SEGMENT,
  { kind: "prefix", key: prefix },
  ...(network === null ? [] : [{ kind: "network", key: network } as const]),
  ...(device === null ? [] : [{ kind: "device", key: device } as const]),
  ...(network === null ? [] : aroundOf(network))
]

/**
 * The segments whose budgets a code took from. A known network has verified codes, so its /56 and /48 do not count: what
 * passes as known is bounded by the customer's budget for such codes.
 */
export const segmentsTaken = (whole: Whole, prefix: string, traces: ClientTraces): ReadonlyArray<Segment> => {
  const [, ...parts] = segmentsOf(prefix, traces)
  const isKnown = whole === "known" || whole === "vouched"
  return [WHOLE[whole], ...parts.filter((part) => !isKnown || !isAround(part))]
}

export interface WeighedCode {
  readonly isVerified: boolean
  /** So many codes it stands for: a round judges a sample of very many. */
  readonly weight: number
}

/** The guard's memory of a segment. */
export const SegmentState = Schema.Struct({
  /** The CUSUM. */
  score: Schema.Number,
  /** The codes since the score was last 0. */
  run: Schema.Struct({ since: Schema.Number, codes: Schema.Int, verified: Schema.Int }),
  /** The codes that the profile learns from, if the run ends without an alarm. */
  pending: Tally,
  /** The level of its last alarm, and when that ended or was raised; 0: there was none. */
  level: Schema.Int,
  levelAt: Schema.Number,
  /** Its budget is small until its codes are verified again. */
  onProbation: Schema.Boolean,
  profile: Profile,
  /** Of a /56 or /48: the first /64s of the run, of codes that were not verified. */
  networks: Schema.optionalKey(Schema.Array(Schema.String))
})
export type SegmentState = typeof SegmentState.Type

export const newSegment = (at: Instant): SegmentState => ({
  score: 0,
  run: { since: at, codes: 0, verified: 0 },
  pending: NO_CODES,
  level: 0,
  levelAt: 0,
  onProbation: false,
  profile: newProfile(at)
})

/** A /56 or /48 after a test with a code of this /64. */
export const withNetwork = (
  after: SegmentState,
  network: string,
  isVerified: boolean,
  most: number
): SegmentState => {
  const known = after.score === 0 ? [] : (after.networks ?? [])
  const isNew = !isVerified && known.length < most && !known.includes(network)
  return { ...after, networks: isNew ? [...known, network] : known }
}

/** The segment after one more code. The test counts it once, however many it stands for. */
export const tested = (
  segment: SegmentState,
  at: Instant,
  { isVerified, weight }: WeighedCode,
  expected: number
): SegmentState => {
  const run = segment.score === 0 ? { since: at, codes: 0, verified: 0 } : segment.run
  return {
    ...segment,
    score: nextScore(segment.score, isVerified, expected),
    run: { since: run.since, codes: run.codes + weight, verified: run.verified + (isVerified ? weight : 0) }
  }
}

/**
 * The segment after it was tested with a code from which it may learn. A run teaches when it is over: what becomes an
 * alarm must not become what is expected.
 */
export const taught = (
  segment: SegmentState,
  at: Instant,
  { isVerified, weight }: WeighedCode
): SegmentState => {
  const pending = addCode(segment.pending, isVerified, weight)
  return segment.score > 0
    ? { ...segment, pending }
    : { ...segment, pending: NO_CODES, profile: learn(segment.profile, at, pending) }
}

/**
 * What is stored with a code for the guard: what enforcing would have done (it only recorded), that the code passed
 * whatever the guard knew (`exempt`), or the budget that it took from, if that is not the customer's (see `Whole`).
 * `no_sms_common` is both: enforcing would have left out its SMS, and it took from the budget `common`.
 */
export const Flag = Schema.Literals([
  "no_sms",
  "no_sms_common",
  "refuse",
  "exempt",
  "common",
  "known",
  "vouched"
])
export type Flag = typeof Flag.Type

/**
 * The budgets of the customer as a whole, of which each code takes from one: that of all codes, that of codes with much
 * in common, and those of codes that pass because their network is known here, or to other customers.
 */
export type Whole = "all" | "common" | "known" | "vouched"

/** The budget of the customer that a code took from; null: it took from none, nor from those of its parts. */
export const wholeTaken = (flag: Flag | null): Whole | null => {
  if (flag === "no_sms_common") return "common"
  if (flag === "common" || flag === "known" || flag === "vouched") return flag
  return flag === "exempt" || flag === "refuse" ? null : "all"
}

/** How the codes of a network were verified in two weeks. */
interface NetworkEvidence {
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
export const networkReputation = (evidence: NetworkEvidence, now: Instant): "known" | "vouched" | null => {
  const { ownVerified, ownSince, othersVerified, codes, score } = evidence
  const isGood = score < MAX_SCORE && ownVerified + othersVerified >= LEAST_CONVERSION * codes
  const own = POINTS_OF_OWN * ownVerified
  const isOld = ownVerified > 0 && ownSince !== null && ownSince <= now - OLD_MILLIS
  if (!isGood || (!isOld && own + othersVerified < ENOUGH_POINTS)) return null
  return own >= ENOUGH_POINTS ? "known" : "vouched"
}
