import type { Tally } from "../../guard/Conversion.ts"
import { fnv1a } from "../../text/Fnv.ts"
import type { Channel } from "../Channel.ts"
import { type ChannelRecord, drawn, noRecord } from "./ChannelRecord.ts"

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

export interface Measured extends Candidate {
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

/** The same id always explores alike. */
const hashOf = (id: string): number => {
  const hash = fnv1a(id)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** The channel that this code explores; undefined: none. Fallen ones come first, so that a recovery is seen soon. */
const explored = (ordered: ReadonlyArray<Measured>, id: string): Measured | undefined => {
  const hash = hashOf(id)
  if (hash % EXPLORES_ONE_IN !== 0) return undefined
  const others = ordered.slice(1).filter(({ isCooling }) => !isCooling)
  const fallen = others.filter(({ isFallen }) => isFallen)
  const choices = fallen.length > 0 ? fallen : others
  return choices[Math.floor(hash / EXPLORES_ONE_IN) % Math.max(1, choices.length)]
}

export interface MeasuredOrder {
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
