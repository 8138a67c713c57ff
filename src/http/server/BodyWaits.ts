import { type Link, LinkedSet } from "../../services/concurrency/LinkedSet.ts"
import type { Admission } from "./Admission.ts"

/** Larger bodies get this many times the usual time. */
const LARGE_BODY_FACTOR = 2
const LARGE_BODIES = /^\/v1\/(?:(?:sandbox\/)?messages\/batch|manage\/accounts\/[^/?]+\/contacts)(?:$|\?)/

/** Requests that wait for their bodies, limited in time and, because of memory, in number. */
export class BodyWaits {
  readonly #timeoutMillis: number
  readonly #maxWaiting: number
  /** The oldest first. */
  readonly #waiting = new LinkedSet<Admission>()
  #givenUp = 0

  constructor(timeoutMillis: number, maxWaiting: number) {
    this.#timeoutMillis = timeoutMillis
    this.#maxWaiting = maxWaiting
  }

  /** When too many wait, the one that has waited longest is given up: other bodies arrive within milliseconds. */
  add(admission: Admission): Link<Admission> {
    if (this.#waiting.size >= this.#maxWaiting) {
      const [oldest] = this.#waiting
      oldest?.giveUpWaiting()
    }
    return this.#waiting.add(admission)
  }

  /** False if the wait ended before. */
  remove(link: Link<Admission>): boolean {
    return this.#waiting.remove(link)
  }

  giveUp(link: Link<Admission>): void {
    if (this.#waiting.remove(link)) this.#givenUp += 1
  }

  /** When a request's body must have arrived. */
  deadlineOf({ since, response: { req } }: Admission): number {
    const factor = LARGE_BODIES.test(req.url ?? "") ? LARGE_BODY_FACTOR : 1
    return since + this.#timeoutMillis * factor
  }

  giveUpOverdue(now: number): void {
    for (const admission of this.#waiting) {
      if (admission.since + this.#timeoutMillis > now) continue
      if (this.deadlineOf(admission) <= now) admission.giveUpWaiting()
    }
  }

  get size(): number {
    return this.#waiting.size
  }

  /** Bodies that did not arrive in time, since the start. */
  get givenUp(): number {
    return this.#givenUp
  }
}
