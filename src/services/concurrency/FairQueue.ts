import { Latch } from "effect"

/** One job's place in the queue; it can run once its latch is open. */
export interface Place {
  readonly lane: string
  readonly latch: Latch.Latch
  isRunning: boolean
}

/**
 * Runs `atOnce` jobs at a time. The lanes alternate: however many wait in one lane, the first of another lane waits
 * for at most one of each lane. Calls are synchronous, so nothing can happen in between.
 */
export class FairQueue {
  readonly #atOnce: number
  #running = 0
  /** The next lane comes first. No lane is empty. */
  readonly #lanes = new Map<string, Set<Place>>()

  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  join(lane: string): Place {
    const place: Place = { lane, latch: Latch.makeUnsafe(false), isRunning: false }
    const waiting = this.#lanes.get(lane)
    if (waiting === undefined) this.#lanes.set(lane, new Set([place]))
    else waiting.add(place)
    this.#startNext()
    return place
  }

  /** Whether the job is done, or was given up while it waited. */
  leave(place: Place): void {
    if (place.isRunning) this.#running -= 1
    else this.#forget(place)
    this.#startNext()
  }

  #forget(place: Place): void {
    const waiting = this.#lanes.get(place.lane)
    waiting?.delete(place)
    if (waiting?.size === 0) this.#lanes.delete(place.lane)
  }

  #startNext(): void {
    while (this.#running < this.#atOnce) {
      const [next] = this.#lanes
      if (next === undefined) return
      const [lane, waiting] = next
      const [place] = waiting
      this.#lanes.delete(lane)
      if (place === undefined) continue
      waiting.delete(place)
      if (waiting.size > 0) this.#lanes.set(lane, waiting)
      this.#running += 1
      place.isRunning = true
      place.latch.openUnsafe()
    }
  }
}

/**
 * Places that customers share. A customer can take another one while it holds fewer than are free. So one customer
 * alone gets half of them, `k` customers that want all get 1/(k+1) each, and the last share stays free: the next
 * customer finds a place at once. No customer needs to be known in advance, and nothing is reserved for idle
 * customers.
 */
export class FairShares {
  readonly capacity: number
  #taken = 0
  readonly #held = new Map<number, number>()

  /** @param mostOfOne how many places one customer gets while no other customer wants any */
  constructor(mostOfOne: number) {
    this.capacity = 2 * mostOfOne
  }

  get taken(): number {
    return this.#taken
  }

  get free(): number {
    return this.capacity - this.#taken
  }

  get isEmpty(): boolean {
    return this.#taken === 0
  }

  /** How many places each customer holds. */
  get holders(): Iterable<readonly [customerId: number, places: number]> {
    return this.#held
  }

  heldBy(customerId: number): number {
    return this.#held.get(customerId) ?? 0
  }

  mayEnter(customerId: number, count = 1): boolean {
    return this.heldBy(customerId) + count - 1 < this.free - (count - 1)
  }

  enter(customerId: number, count = 1): void {
    this.#taken += count
    this.#held.set(customerId, this.heldBy(customerId) + count)
  }

  leave(customerId: number, count = 1): void {
    const left = this.heldBy(customerId) - count
    this.#taken -= count
    if (left > 0) this.#held.set(customerId, left)
    else this.#held.delete(customerId)
  }
}
