import { Array as Arr } from "effect"
import type { StepOrder } from "../customer/Customer.ts"
import { nextScore, type Tally } from "../guard/Conversion.ts"
import { type Channel } from "./Channel.ts"
import { LONGEST_WAIT_SECONDS, SHORTEST_WAIT_SECONDS } from "./Waits.ts"
import { plannedSteps, type Route, type RouteStep } from "./Route.ts"
import { fnv1a } from "../text/Fingerprints.ts"

/** A code, by the channel that was tried first: it was verified there, or went on. */
export interface FirstTry {
  /** The operator's part of the number. */
  readonly prefix: string
  readonly isVerified: boolean
  /** From the call to the right code; null: it was not verified. */
  readonly millis: number | null
}

/** The record of a channel before it fell, restored once the channel has recovered. */
interface Before {
  readonly tally: Tally
  readonly prefixes: Readonly<Record<string, Tally>>
}

/** What a customer's codes say about a channel; older ones count less and less. */
export interface ChannelRecord extends Before {
  /** The test for a fall, and the codes since it was last 0. */
  readonly score: number
  readonly run: Tally
  /** It has fallen: hardly any code is verified. */
  readonly before: Before | null
  /** The test for a recovery. */
  readonly rise: number
  /** How long the last verified codes took. */
  readonly times: ReadonlyArray<number>
}

export const noRecord: ChannelRecord = {
  tally: [0, 0],
  prefixes: {},
  score: 0,
  run: [0, 0],
  before: null,
  rise: 0,
  times: []
}

const KEPT = 1 - 1 / 400
/** What an operator's figures keep at each code: it has fewer codes. */
const KEPT_OF_PREFIX = 1 - 1 / 200
const MAX_TIMES = 100

/**
 * A fall is certain from here on: after 22 codes without a verified one where half are usually verified, 15 where 70 %
 * are.
 */
const FALLEN_SCORE = 7
const RECOVERED_SCORE = 2.5
/** The conversions of a fallen and of a recovered channel that the test for a recovery compares. */
const FALLEN_CONVERSION = 0.1
const RECOVERED_CONVERSION = 0.4
/** What was known before a fall weighs no more than this many codes afterwards. */
const REMEMBERED_CODES = 100

const added = ([codes, verified]: Tally, isVerified: boolean, kept: number): Tally => [
  codes * kept + 1,
  verified * kept + (isVerified ? 1 : 0)
]

/** A share of codes, drawn towards an expected one the more the fewer codes there are. */
const drawn = ([codes, verified]: Tally, expected: number, weight: number): number =>
  (verified + weight * expected) / (codes + weight)

const atMost = ([codes, verified]: Tally, most: number): Tally =>
  codes <= most ? [codes, verified] : [most, (verified * most) / codes]

const WEIGHT = 10
const EXPECTED = 0.5
const LEAST_TESTED = 0.4

const counted = (record: ChannelRecord, { prefix, isVerified }: FirstTry): Before => ({
  tally: added(record.tally, isVerified, KEPT),
  prefixes: {
    ...record.prefixes,
    [prefix]: added(record.prefixes[prefix] ?? [0, 0], isVerified, KEPT_OF_PREFIX)
  }
})

const recovering = (record: ChannelRecord, before: Before, code: FirstTry): ChannelRecord => {
  const [ofRecovered, ofFallen] = code.isVerified
    ? [RECOVERED_CONVERSION, FALLEN_CONVERSION]
    : [1 - RECOVERED_CONVERSION, 1 - FALLEN_CONVERSION]
  const rise = Math.max(0, record.rise + Math.log(ofRecovered / ofFallen))
  if (rise < RECOVERED_SCORE) return { ...record, ...counted(record, code), rise }
  const tally = atMost(before.tally, REMEMBERED_CODES)
  return { ...record, tally, prefixes: before.prefixes, before: null, rise: 0, score: 0, run: [0, 0] }
}

const standing = (record: ChannelRecord, code: FirstTry): ChannelRecord => {
  const expected = Math.max(LEAST_TESTED, drawn(record.tally, EXPECTED, WEIGHT))
  const score = nextScore(record.score, code.isVerified, expected)
  const run = added(record.score === 0 ? [0, 0] : record.run, code.isVerified, 1)
  if (score < FALLEN_SCORE) return { ...record, ...counted(record, code), score, run }
  const { tally, prefixes } = record
  return { ...record, tally: run, prefixes: {}, before: { tally, prefixes }, score: 0, run: [0, 0] }
}

/** The record after one more code that tried this channel first. */
export const recorded = (record: ChannelRecord, code: FirstTry): ChannelRecord => {
  const times = code.millis === null ? record.times : [...record.times.slice(1 - MAX_TIMES), code.millis]
  const known = { ...record, times }
  return known.before === null ? standing(known, code) : recovering(known, known.before, code)
}

const MIN_TIMES = 20

/** The seconds in which 90 % of the codes that are verified on this channel are; null: too few are known. */
export const measuredWait = ({ times }: ChannelRecord): number | null => {
  if (times.length < MIN_TIMES) return null
  const sorted = times.toSorted((one, other) => one - other)
  const seconds = Math.ceil((sorted[Math.floor(0.9 * sorted.length)] ?? 0) / 1000)
  return Math.min(LONGEST_WAIT_SECONDS, Math.max(SHORTEST_WAIT_SECONDS, seconds))
}

/** A channel that may be tried first. */
export interface Candidate {
  readonly channel: Channel
  /** In rials. */
  readonly cost: number
  /** Its account cools down. */
  readonly isCooling: boolean
}

/** What an order is made of. */
export interface Known {
  readonly records: Readonly<Partial<Record<Channel, ChannelRecord>>>
  /** The codes of all customers, by channel. */
  readonly platform: Readonly<Partial<Record<Channel, Tally>>>
}

/** The part of a number by which operators differ. */
export const operatorPrefix = (phone: string): string => phone.slice(3, 6)

const FIRST_GUESS = 0.6
const WEIGHT_OF_GUESS = 20
const WEIGHT_OF_PLATFORM = 20
const WEIGHT_OF_CUSTOMER = 40
/** A fallen channel is judged by its codes since then. */
const WEIGHT_IF_FALLEN = 2

/** The verified share of codes on a channel that is tried first: by operator, drawn to customer and platform. */
export const conversionOf = ({ records, platform }: Known, channel: Channel, prefix: string): number => {
  const { tally, prefixes, before } = records[channel] ?? noRecord
  const general = drawn(platform[channel] ?? [0, 0], FIRST_GUESS, WEIGHT_OF_GUESS)
  const own = drawn(tally, general, before === null ? WEIGHT_OF_PLATFORM : WEIGHT_IF_FALLEN)
  return drawn(prefixes[prefix] ?? [0, 0], own, WEIGHT_OF_CUSTOMER)
}

interface Measured extends Candidate {
  readonly conversion: number
  /** The customer's codes behind it, and how many were verified; older ones count less. */
  readonly codes: number
  readonly verified: number
  readonly isFallen: boolean
}

const measured = (known: Known, candidate: Candidate, prefix: string): Measured => {
  const { tally, before } = known.records[candidate.channel] ?? noRecord
  return {
    ...candidate,
    conversion: conversionOf(known, candidate.channel, prefix),
    codes: tally[0],
    verified: tally[1],
    isFallen: before !== null
  }
}

/** Points of conversion that a cheaper channel may have less. */
const CLOSE = 0.05
/** A channel with fewer codes stays where the customer has put it. */
const ENOUGH_CODES = 10

/** The cheapest that is close to the best. The saved order decides between equals, and where too little is known. */
const next = ([first, ...rest]: readonly [Measured, ...ReadonlyArray<Measured>]): Measured => {
  const choices = [first, ...rest.filter(({ codes }) => codes >= ENOUGH_CODES)]
  const best = Math.max(...choices.map(({ conversion }) => conversion))
  const close = choices.filter(({ conversion }) => conversion >= best - CLOSE)
  return close.reduce((found, each) => (each.cost < found.cost ? each : found), close[0] ?? first)
}

const inOrder = (candidates: ReadonlyArray<Measured>): ReadonlyArray<Measured> => {
  const ordered: Array<Measured> = []
  let left = candidates
  for (let [first, ...rest] = left; first !== undefined; [first, ...rest] = left) {
    const chosen = next([first, ...rest])
    ordered.push(chosen)
    left = left.filter((each) => each !== chosen)
  }
  return ordered
}

/** One code in this many tries another channel first. Without that, nothing new is learnt about the others. */
const EXPLORES_ONE_IN = 25

/** Decides by the id, so that a repeated request decides the same. */
const hashOf = (id: string): number => {
  const hash = fnv1a(id)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** The channel that this code explores; undefined: none. Fallen ones come first, so that a recovery is seen soon. */
const explored = (ordered: ReadonlyArray<Measured>, id: string): Measured | undefined => {
  const hash = hashOf(id)
  if (hash % EXPLORES_ONE_IN !== 0) return undefined
  // Nobody is called only to see how calls do.
  const others = ordered.slice(1).filter(({ channel, isCooling }) => !isCooling && channel !== "voice")
  const fallen = others.filter(({ isFallen }) => isFallen)
  const choices = fallen.length > 0 ? fallen : others
  return choices[Math.floor(hash / EXPLORES_ONE_IN) % Math.max(1, choices.length)]
}

interface MeasuredOrder {
  readonly steps: ReadonlyArray<Measured>
  readonly isExplored: boolean
}

/** The order of a code's channels. Accounts that cool down are last. */
export const measuredOrder = (
  known: Known,
  candidates: ReadonlyArray<Candidate>,
  { prefix, id }: { readonly prefix: string; readonly id: string }
): MeasuredOrder => {
  const all = candidates.map((candidate) => measured(known, candidate, prefix))
  const ordered = [
    ...inOrder(all.filter(({ isCooling }) => !isCooling)),
    ...all.filter(({ isCooling }) => isCooling)
  ]
  const first = explored(ordered, id)
  if (first === undefined) return { steps: ordered, isExplored: false }
  return { steps: [first, ...ordered.filter((each) => each !== first)], isExplored: true }
}

/** What the processes know of a customer's channels. */
export interface RouteKnowledge extends Known {
  /** Accounts that cool down. */
  readonly cooling: ReadonlySet<number>
}

export interface MeasuredCode {
  readonly phone: string
  readonly id: string
  readonly order: StepOrder
  /** What one SMS costs the customer; null: more than any messenger. */
  readonly smsPrice: number | null
}

/** A step and those that stand by for it: they move together. */
type Group = Arr.NonEmptyReadonlyArray<RouteStep>

const groupsOf = (route: ReadonlyArray<RouteStep>): ReadonlyArray<Group> => {
  const groups: Array<[RouteStep, ...Array<RouteStep>]> = []
  for (const step of route) {
    if (step.standby === true) groups.at(-1)?.push(step)
    else groups.push([step])
  }
  return groups
}

/** A call is the dearest. */
const costOf = ({ channel, price = 0 }: RouteStep, route: Route, smsPrice: number | null): number => {
  const dearest = Math.max(...route.map((step) => step.price ?? 0))
  const sms = smsPrice ?? 1 + dearest
  if (channel === "voice") return 1 + Math.max(sms, dearest)
  return channel === "sms" ? sms : price
}

const share = (value: number): number => Math.round(value * 1000) / 1000

/** The step with the counts by which it has its place. */
const explained = (
  step: RouteStep,
  { conversion, codes, verified }: Measured,
  isExplored: boolean
): RouteStep => ({
  ...step,
  measured: {
    conversion: share(conversion),
    codes: Math.round(codes),
    verified: Math.round(verified),
    ...(isExplored && { explored: true as const })
  }
})

const withWait = (step: RouteStep, records: Readonly<Partial<Record<Channel, ChannelRecord>>>): RouteStep => {
  const record = records[step.channel]
  if (step.waitsMeasured !== true || record === undefined) return step
  return { ...step, wait: measuredWait(record) ?? step.wait }
}

const permuted = (
  groups: ReadonlyArray<Group>,
  { steps, isExplored }: MeasuredOrder
): ReadonlyArray<RouteStep> =>
  steps.flatMap((position, index) => {
    const [first, ...standby] = groups.find(([{ channel }]) => channel === position.channel) ?? []
    return first === undefined ? [] : [explained(first, position, isExplored && index === 0), ...standby]
  })

/** The route of one code by what was measured: the order of its steps, and their waits, where the customer wants that. */
export const measuredRoute = (route: Route, knowledge: RouteKnowledge, code: MeasuredCode): Route => {
  const { cooling, records } = knowledge
  const [first, ...rest] = route
  const timed: Route = [withWait(first, records), ...rest.map((step) => withWait(step, records))]
  if (code.order === "saved") return timed
  const planned = plannedSteps(timed)
  const groups = groupsOf(planned)
  const candidates = groups.map(([step, ...standby]) => ({
    channel: step.channel,
    cost: costOf(step, route, code.smsPrice),
    isCooling: [step, ...standby].every(({ account_id }) => account_id !== null && cooling.has(account_id))
  }))
  const order = measuredOrder(knowledge, candidates, { prefix: operatorPrefix(code.phone), id: code.id })
  const ordered = permuted(groups, order)
  if (!Arr.isReadonlyArrayNonEmpty(ordered)) return timed
  return [...ordered, ...timed.slice(planned.length)]
}
