/** The responses of a run, one by one, and what they add up to. */
import { quantileOfSorted } from "./Statistics.ts"

/** All in milliseconds since the run began. */
export interface Recording {
  /** When responses with a status below 400 came, and how long each took. */
  readonly at: Float64Array
  readonly took: Float64Array
  /** When other responses came. */
  readonly refusedAt: Float64Array
  /** Connections that broke, and requests without a response. */
  readonly errors: number
}

export interface Latencies {
  readonly p50: number
  readonly p99: number
  readonly p999: number
}

export const latenciesOf = (took: Float64Array): Latencies => {
  const sorted = took.toSorted()
  return {
    p50: quantileOfSorted(sorted, 0.5),
    p99: quantileOfSorted(sorted, 0.99),
    p999: quantileOfSorted(sorted, 0.999)
  }
}

/** The part of a recording from one time to another. */
export const between = (
  { at, took, refusedAt }: Recording,
  from: number,
  until: number
): Omit<Recording, "errors"> => {
  const isIn = (time: number) => from <= time && time < until
  return {
    at: at.filter(isIn),
    took: took.filter((_, nth) => isIn(at[nth] ?? Number.NaN)),
    refusedAt: refusedAt.filter(isIn)
  }
}

const SECOND_MILLIS = 1000

/** Successes in each second. */
export const perSecondOf = ({ at }: Pick<Recording, "at">, seconds: number): ReadonlyArray<number> => {
  const counts = Array.from({ length: seconds }, () => 0)
  for (const time of at) {
    const second = Math.floor(time / SECOND_MILLIS)
    if (second < seconds) counts[second] = (counts[second] ?? 0) + 1
  }
  return counts
}

export const totalsOf = (recording: Recording) => {
  const { at, took, refusedAt, errors } = recording
  const lasted = at.reduce((last, time) => Math.max(last, time), 0)
  return {
    ...latenciesOf(took),
    requests: at.length,
    perSecond: lasted === 0 ? 0 : (at.length * SECOND_MILLIS) / lasted,
    failed: refusedAt.length + errors
  }
}
