import type { Tally } from "../../guard/Conversion.ts"
import { nextScore } from "../../guard/Cusum.ts"

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
/** The same for one operator, which has fewer codes. */
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
export const drawn = ([codes, verified]: Tally, expected: number, weight: number): number =>
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
const SHORTEST_WAIT = 45
const LONGEST_WAIT = 120

/** The seconds in which 90 % of the codes that are verified on this channel are; null: too few are known. */
export const measuredWait = ({ times }: ChannelRecord): number | null => {
  if (times.length < MIN_TIMES) return null
  const sorted = times.toSorted((one, other) => one - other)
  const seconds = Math.ceil((sorted[Math.floor(0.9 * sorted.length)] ?? 0) / 1000)
  return Math.min(LONGEST_WAIT, Math.max(SHORTEST_WAIT, seconds))
}
