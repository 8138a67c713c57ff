import type { Instant } from "../../domain/Instant.ts"
import type { RequestBlock } from "../../domain/request/LoggedRequest.ts"

/** About 4 MB. */
const MAX_REQUESTS = 20_000
/** A full block fits one page of PostgreSQL. */
const MAX_BLOCK = 40
const MAX_BLOCK_LENGTH = 7000

interface OpenBlock {
  readonly beginsAt: Instant
  endsAt: Instant
  length: number
  readonly requests: Array<string>
}

/** Requests that are still to be written, as blocks of each customer; bounded. */
export class RequestBuffer {
  readonly #open = new Map<number, OpenBlock>()
  readonly #full: Array<RequestBlock> = []
  #size = 0

  /** False: there is no room. */
  add(customerId: number, at: Instant, request: string): boolean {
    if (this.#size >= MAX_REQUESTS) return false
    this.#size += 1
    const known = this.#open.get(customerId)
    if (known === undefined) {
      const length = request.length
      this.#open.set(customerId, { beginsAt: at, endsAt: at, length, requests: [request] })
      return true
    }
    known.requests.push(request)
    known.length += request.length
    known.endsAt = Math.max(known.endsAt, at)
    if (known.requests.length >= MAX_BLOCK || known.length >= MAX_BLOCK_LENGTH) {
      this.#full.push({ customerId, ...known })
      this.#open.delete(customerId)
    }
    return true
  }

  /** The next blocks to write: full ones first, then those that began by an instant. */
  take(limit: number, begunBy: Instant): ReadonlyArray<RequestBlock> {
    for (const [customerId, block] of this.#open) {
      if (this.#full.length >= limit) break
      if (block.beginsAt > begunBy) continue
      this.#full.push({ customerId, ...block })
      this.#open.delete(customerId)
    }
    const taken = this.#full.splice(0, limit)
    for (const { requests } of taken) this.#size -= requests.length
    return taken
  }
}
