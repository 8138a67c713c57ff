import { BUDGET_WINDOW_MILLIS, FREE_CODES } from "../../domain/guard/CodeBudget.ts"
import type { Segment } from "../../domain/guard/Segments.ts"
import type { Instant } from "../../domain/Instant.ts"

/** A power of two. */
const PLACES = 262_144
/** A place has a hash, and the minute of its end with the number of codes taken. */
const FIELDS = 2
const TAKEN_BITS = 2
const TAKEN = 2 ** TAKEN_BITS - 1
const MINUTE_MILLIS = 60_000

const FNV_OFFSET = 0x81_1c_9d_c5
const FNV_PRIME = 0x01_00_01_93

const mixed = (hash: number, text: string): number => {
  let mixing = hash
  for (let n = 0; n < text.length; n += 1) mixing = Math.imul(mixing ^ text.charCodeAt(n), FNV_PRIME)
  return mixing
}

const hashOf = (customerId: number, { kind, key }: Segment): number => {
  const hash = mixed(mixed(Math.imul(FNV_OFFSET ^ customerId, FNV_PRIME), kind), key)
  const spread = Math.imul(hash ^ (hash >>> 15), 0x85_eb_ca_6b)
  return spread ^ (spread >>> 13)
}

/** The place of a segment; -1: another segment has it. */
export type Place = number

/**
 * Counts the free codes of segments for an hour. Most segments never see more, so they get no string and no object: with a
 * map of them, a send's budgets cost several microseconds. A segment whose place is taken is counted elsewhere.
 */
export class FreeCodes {
  readonly #places = new Int32Array(PLACES * FIELDS)
  readonly #start: Instant

  constructor(now: Instant) {
    this.#start = now
  }

  /** A segment that has used its free codes does not get them again, unless another takes its place in a later hour. */
  find(customerId: number, segment: Segment, now: Instant): Place {
    const hash = hashOf(customerId, segment)
    const at = (hash & (PLACES - 1)) * FIELDS
    const minute = Math.floor((now - this.#start) / MINUTE_MILLIS)
    const isOver = (this.#places[at + 1] ?? 0) >> TAKEN_BITS <= minute
    const isOwn = this.#places[at] === hash
    if (!isOver) return isOwn ? at : -1
    const isSpent = isOwn && this.taken(at) >= FREE_CODES
    const end = minute + BUDGET_WINDOW_MILLIS / MINUTE_MILLIS
    this.#places[at] = hash
    this.#places[at + 1] = (end << TAKEN_BITS) | (isSpent ? FREE_CODES : 0)
    return at
  }

  taken(place: Place): number {
    return (this.#places[place + 1] ?? 0) & TAKEN
  }

  hasLeft(place: Place): boolean {
    return place >= 0 && this.taken(place) < FREE_CODES
  }

  take(place: Place): void {
    this.#set(place, this.taken(place) + 1)
  }

  giveBack(place: Place): void {
    this.#set(place, Math.max(0, this.taken(place) - 1))
  }

  /** None is left. */
  spend(place: Place): void {
    if (place >= 0) this.#set(place, FREE_CODES)
  }

  #set(place: Place, taken: number): void {
    this.#places[place + 1] = ((this.#places[place + 1] ?? 0) & ~TAKEN) | taken
  }
}
