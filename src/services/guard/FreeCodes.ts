import { BUDGET_WINDOW_MILLIS, FREE_CODES } from "../../domain/guard/CodeBudget.ts"
import type { Segment } from "../../domain/guard/Segments.ts"
import { type Instant, MINUTE_MILLIS } from "../../domain/Instant.ts"
import { fnv1a } from "../../domain/text/Fnv.ts"

/** A power of two. */
const PLACES = 262_144
/** A place has a hash, and the minute of its end with the number of codes taken. */
const FIELDS = 2
const TAKEN_BITS = 2
const TAKEN = 2 ** TAKEN_BITS - 1

const hashOf = (customerId: number, { kind, key }: Segment): number => {
  const hash = fnv1a(key, fnv1a(kind, customerId))
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
    const isSpent = isOwn && this.#taken(at) >= FREE_CODES
    const end = minute + BUDGET_WINDOW_MILLIS / MINUTE_MILLIS
    this.#places[at] = hash
    this.#places[at + 1] = (end << TAKEN_BITS) | (isSpent ? FREE_CODES : 0)
    return at
  }

  hasLeft(place: Place): boolean {
    return place >= 0 && this.#taken(place) < FREE_CODES
  }

  take(place: Place): void {
    this.#set(place, this.#taken(place) + 1)
  }

  giveBack(place: Place): void {
    this.#set(place, Math.max(0, this.#taken(place) - 1))
  }

  /** None is left. */
  spend(place: Place): void {
    if (place >= 0) this.#set(place, FREE_CODES)
  }

  #taken(place: Place): number {
    return (this.#places[place + 1] ?? 0) & TAKEN
  }

  #set(place: Place, taken: number): void {
    this.#places[place + 1] = ((this.#places[place + 1] ?? 0) & ~TAKEN) | taken
  }
}
