import type { Instant } from "../Instant.ts"

/**
 * How a round chooses codes where more are due than it judges. It cuts the time into slices and reads the first codes of
 * each. So its cost does not depend on how many there are, and a burst counts for its slice only.
 */

export const SLICES = 40
/** More than this many codes are not believed to stand behind one. */
const MAX_WEIGHT = 100

export interface Slice {
  readonly from: Instant
  readonly until: Instant
}

export const slicesOf = ({ from, until }: Slice): ReadonlyArray<Slice> => {
  const length = (until - from) / SLICES
  return Array.from({ length: SLICES }, (_, n) => ({
    from: Math.floor(from + n * length),
    until: n === SLICES - 1 ? until : Math.floor(from + (n + 1) * length)
  }))
}

/**
 * How many codes each code of a slice stands for, if `limit` of them were read: the rest of the slice is taken to have
 * as many as the part that was read.
 */
export const weightIn = ({ until }: Slice, sentAt: ReadonlyArray<Instant>, limit: number): number => {
  const [first] = sentAt
  const last = sentAt.at(-1)
  if (first === undefined || last === undefined || sentAt.length < limit) return 1
  return Math.min(MAX_WEIGHT, Math.max(1, Math.round((until - first) / Math.max(1, last - first))))
}
