import type { RequestTime } from "../../services/concurrency/RequestTime.ts"
import type { Link, LinkedSet } from "../../services/concurrency/LinkedSet.ts"
import type { BodyWaits } from "./RequestBody.ts"
import type { OutgoingResponse } from "./OutgoingResponse.ts"
import type { OverloadGate } from "./OverloadGate.ts"
import type { RequestClass } from "./RequestClass.ts"

/** How often the time for a request begins again while its response goes on. Other writes cost nothing. */
const PROGRESS_MILLIS = 250

/** Where admitted requests are counted. */
export interface Counts {
  readonly gate: OverloadGate
  readonly waits: BodyWaits
  /** The requests that the application works on, the oldest first. */
  readonly open: LinkedSet<Admission>
}

/**
 * A request from its headers until the application has ended its response. The gate counts it, except while it waits for
 * its body, or for its client to read: neither is work.
 */
export class Admission implements RequestTime {
  readonly response: OutgoingResponse
  readonly kind: RequestClass
  readonly #counts: Counts
  #since: number
  #isCounted = false
  #hasRoom = true
  #wait: Link<Admission> | null = null
  #link: Link<Admission> | null = null
  /** Waits for others, which can overlap. */
  #waitsOutside = 0
  #outsideSince = 0
  #outsideMillis = 0
  #isPaused = false
  #isGivenUp = false
  #giveUp = () => {}

  constructor(response: OutgoingResponse, kind: RequestClass, since: number, counts: Counts) {
    this.response = response
    this.kind = kind
    this.#since = since
    this.#counts = counts
  }

  /** Monotonic milliseconds: since when the application has worked on it, or on the next part of its response. */
  get since(): number {
    return this.#since
  }

  /** How long it has taken of that, without its body and without waits for others. */
  ownMillis(now: number): number {
    if (this.#wait !== null) return 0
    const outside = this.#waitsOutside > 0 ? now - this.#outsideSince : 0
    return now - this.#since - this.#outsideMillis - outside
  }

  stop(): void {
    if (this.#waitsOutside === 0) this.#outsideSince = performance.now()
    this.#waitsOutside += 1
  }

  goOn(): void {
    this.#waitsOutside -= 1
    if (this.#waitsOutside === 0) this.#outsideMillis += performance.now() - this.#outsideSince
  }

  /** False if there is no room. A request with a body counts once its body has arrived. */
  begin(hasBody: boolean): boolean {
    const { gate, waits, open } = this.#counts
    if (hasBody) {
      if (!gate.hasRoom(this.kind, this.#since)) return false
      this.#wait = waits.add(this)
    } else {
      this.#isCounted = gate.enter(this.kind, this.#since)
      if (!this.#isCounted) return false
    }
    this.#link = open.add(this)
    return true
  }

  waitForBody(giveUp: () => void): void {
    if (this.#isGivenUp) giveUp()
    else this.#giveUp = giveUp
  }

  giveUpWaiting(): void {
    this.#isGivenUp = true
    if (this.#wait !== null) this.#counts.waits.giveUp(this.#wait)
    this.#giveUp()
  }

  /** False if there was no room when the body had arrived. */
  endBodyWait(): boolean {
    if (this.#wait !== null) {
      this.#counts.waits.remove(this.#wait)
      this.#wait = null
      const now = performance.now()
      this.#outsideMillis = now - this.#since
      this.#hasRoom = this.#counts.gate.enter(this.kind, now)
      this.#isCounted = this.#hasRoom
    }
    return this.#hasRoom
  }

  /** The client has to read before the application can go on. False if the request does not count anyway. */
  pause(): boolean {
    if (this.#link === null || this.#isPaused || this.#wait !== null) return false
    this.#isPaused = true
    this.#counts.open.remove(this.#link)
    if (this.#isCounted) this.#counts.gate.leave(this.kind)
    return true
  }

  /** The client has read. */
  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#since = performance.now()
    this.#outsideMillis = 0
    this.#link = this.#counts.open.add(this)
    if (this.#isCounted) this.#counts.gate.enterAgain(this.kind)
  }

  /** The application has written a part of the response: the next has as much time as a whole response. */
  progress(): void {
    if (this.#link === null || this.#isPaused || this.#wait !== null) return
    const now = performance.now()
    if (now - this.#since < PROGRESS_MILLIS) return
    this.#since = now
    this.#outsideMillis = 0
    this.#outsideSince = now
    this.#counts.open.remove(this.#link)
    this.#link = this.#counts.open.add(this)
  }

  /** The application has ended the response, or the client is gone. */
  leave(): void {
    if (this.#link === null) return
    const { gate, waits, open } = this.#counts
    if (this.#wait !== null) waits.remove(this.#wait)
    this.#wait = null
    if (!this.#isPaused) {
      open.remove(this.#link)
      if (this.#isCounted) gate.leave(this.kind)
    }
    this.#isPaused = false
    this.#link = null
  }
}
