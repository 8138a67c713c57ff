import { Latch } from "effect"

/** One job's permit; it can run once its latch is open. */
export interface Permit {
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
  readonly #lanes = new Map<string, Set<Permit>>()

  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  join(lane: string): Permit {
    const permit: Permit = { lane, latch: Latch.makeUnsafe(false), isRunning: false }
    const waiting = this.#lanes.get(lane)
    if (waiting === undefined) this.#lanes.set(lane, new Set([permit]))
    else waiting.add(permit)
    this.#startNext()
    return permit
  }

  /** Whether the job is done, or was given up while it waited. */
  leave(permit: Permit): void {
    if (permit.isRunning) this.#running -= 1
    else this.#forget(permit)
    this.#startNext()
  }

  #forget(permit: Permit): void {
    const waiting = this.#lanes.get(permit.lane)
    waiting?.delete(permit)
    if (waiting?.size === 0) this.#lanes.delete(permit.lane)
  }

  #startNext(): void {
    while (this.#running < this.#atOnce) {
      const [next] = this.#lanes
      if (next === undefined) return
      const [lane, waiting] = next
      const [permit] = waiting
      this.#lanes.delete(lane)
      if (permit === undefined) continue
      waiting.delete(permit)
      if (waiting.size > 0) this.#lanes.set(lane, waiting)
      this.#running += 1
      permit.isRunning = true
      permit.latch.openUnsafe()
    }
  }
}

/**
 * Permits that customers share. A customer can take another one while it has fewer than are free. So one customer
 * alone gets half of them, `k` customers that want all get 1/(k+1) each, and the last share stays free: the next
 * customer finds a permit at once. No customer needs to be known in advance, and nothing is reserved for idle
 * customers.
 */
export class FairShares {
  readonly capacity: number
  #taken = 0
  readonly #permits = new Map<number, number>()

  /** @param mostOfOne how many permits one customer gets while no other customer wants any */
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

  /** How many permits each customer holds. */
  get holders(): Iterable<readonly [customerId: number, permits: number]> {
    return this.#permits
  }

  permitsOf(customerId: number): number {
    return this.#permits.get(customerId) ?? 0
  }

  mayEnter(customerId: number, count = 1): boolean {
    return this.permitsOf(customerId) + count - 1 < this.free - (count - 1)
  }

  enter(customerId: number, count = 1): void {
    this.#taken += count
    this.#permits.set(customerId, this.permitsOf(customerId) + count)
  }

  leave(customerId: number, count = 1): void {
    const left = this.permitsOf(customerId) - count
    this.#taken -= count
    if (left > 0) this.#permits.set(customerId, left)
    else this.#permits.delete(customerId)
  }
}
