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
