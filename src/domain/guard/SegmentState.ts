import { Schema } from "effect"
import type { Instant } from "../Instant.ts"
import { addCode, learn, newProfile, NO_CODES, Profile, Tally } from "./Conversion.ts"
import { nextScore } from "./Cusum.ts"

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
