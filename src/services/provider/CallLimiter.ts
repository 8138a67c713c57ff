import { Effect, Latch } from "effect"
import { FairShares } from "../concurrency/FairShares.ts"

/** One call that has a place, or waits for one. */
interface Entry {
  readonly customerId: number
  hasPlace: boolean
  /** Opened with the place; null if nobody waited for it. */
  granted: Latch.Latch | null
}

/**
 * Places for calls to one host, which customers share. A customer's calls wait in its own queue. The next place goes to
 * the customer that holds the fewest, so that a long queue delays no other customer.
 */
export class CallLimiter {
  readonly #shares: FairShares
  readonly #lines = new Map<number, Set<Entry>>()

  /** @param mostOfOne how many calls one customer makes at once while no other customer makes any */
  constructor(mostOfOne: number) {
    this.#shares = new FairShares(mostOfOne)
  }

  get isEmpty(): boolean {
    return this.#shares.isEmpty && this.#lines.size === 0
  }

  /** Takes a place at once if there is one. */
  begin(customerId: number): Entry {
    const mayEnter = !this.#lines.has(customerId) && this.#shares.mayEnter(customerId)
    if (mayEnter) this.#shares.enter(customerId)
    const entry: Entry = {
      customerId,
      hasPlace: mayEnter,
      granted: mayEnter ? null : Latch.makeUnsafe(false)
    }
    if (!mayEnter) this.#lineOf(customerId).add(entry)
    return entry
  }

  /** Whether it gets a place within this time; null: however long that takes. */
  wait({ granted }: Entry, millis: number | null): Effect.Effect<unknown> {
    if (granted === null || millis === 0) return Effect.void
    return millis === null ? granted.await : Effect.timeoutOption(granted.await, millis)
  }

  /** The call is over, or has stopped waiting. */
  end(entry: Entry): void {
    if (entry.hasPlace) this.#shares.leave(entry.customerId)
    else this.#leaveLine(entry)
    this.#admit()
  }

  #lineOf(customerId: number): Set<Entry> {
    const line = this.#lines.get(customerId) ?? new Set()
    this.#lines.set(customerId, line)
    return line
  }

  #leaveLine(entry: Entry): void {
    const line = this.#lines.get(entry.customerId)
    line?.delete(entry)
    if (line?.size === 0) this.#lines.delete(entry.customerId)
  }

  #admit(): void {
    for (;;) {
      const fewest = [...this.#lines.keys()]
        .filter((customerId) => this.#shares.mayEnter(customerId))
        .toSorted((a, b) => this.#shares.heldBy(a) - this.#shares.heldBy(b))
      const [next] = this.#lines.get(fewest[0] ?? Number.NaN) ?? []
      if (next === undefined) return
      this.#leaveLine(next)
      this.#shares.enter(next.customerId)
      next.hasPlace = true
      next.granted?.openUnsafe()
    }
  }
}
