import { HOUR_MILLIS, type Instant } from "../../domain/Instant.ts"
import { BoundedMap } from "../concurrency/Collections.ts"

const MAX_PHONES = 50_000

interface Sent {
  codes: number
  readonly until: Instant
}

/**
 * Counts each customer's codes to a phone for an hour, in this process: the store would have to be asked by each send.
 * Names are compared, not hashes: phones of other customers never count.
 */
export class RecentPhones {
  readonly #sent = new BoundedMap<string, Sent>(MAX_PHONES)

  /** Counts a code, and returns how many there were before it. */
  add(customerId: number, phone: string, now: Instant): number {
    const name = `${customerId}:${phone}`
    const known = this.#sent.get(name)
    if (known === undefined || known.until <= now) {
      this.#sent.set(name, { codes: 1, until: now + HOUR_MILLIS })
      return 0
    }
    known.codes += 1
    return known.codes - 1
  }

  /** The code is not sent after all. */
  remove(customerId: number, phone: string): void {
    const known = this.#sent.get(`${customerId}:${phone}`)
    if (known !== undefined) known.codes -= 1
  }
}
