import type { ServerResponse } from "node:http"
import type { Begun } from "../../services/concurrency/LinkedSet.ts"
import type { BodyWaits } from "./BodyWaits.ts"
import type { OverloadGate } from "./OverloadGate.ts"
import type { RequestClass } from "./RequestClass.ts"

/** A request from its head to its answer. The gate counts it, except while it waits for its body. */
export class Admission {
  readonly response: ServerResponse
  readonly kind: RequestClass
  /** Monotonic milliseconds. */
  readonly since: number
  readonly #gate: OverloadGate
  readonly #waits: BodyWaits
  #isCounted = false
  #hasRoom = true
  #wait: Begun<Admission> | null = null
  #isGivenUp = false
  #giveUp = () => {}

  constructor(
    response: ServerResponse,
    kind: RequestClass,
    since: number,
    { gate, waits }: { readonly gate: OverloadGate; readonly waits: BodyWaits }
  ) {
    this.response = response
    this.kind = kind
    this.since = since
    this.#gate = gate
    this.#waits = waits
  }

  /** False when there is no room. With a body to come, the request is counted once that is there. */
  begin(hasBody: boolean): boolean {
    if (!hasBody) {
      this.#isCounted = this.#gate.enter(this.kind, this.since)
      return this.#isCounted
    }
    if (!this.#gate.hasRoom(this.kind, this.since)) return false
    this.#wait = this.#waits.begin(this)
    return true
  }

  waitForBody(giveUp: () => void): void {
    if (this.#isGivenUp) giveUp()
    else this.#giveUp = giveUp
  }

  giveUpWaiting(): void {
    this.#isGivenUp = true
    if (this.#wait !== null) this.#waits.giveUp(this.#wait)
    this.#giveUp()
  }

  /** False when there was no room once the body was there. */
  endBodyWait(): boolean {
    if (this.#wait !== null) {
      this.#waits.end(this.#wait)
      this.#wait = null
      this.#hasRoom = this.#gate.enter(this.kind, performance.now())
      this.#isCounted = this.#hasRoom
    }
    return this.#hasRoom
  }

  /** It has been answered, or its client is gone. */
  leave(): void {
    if (this.#wait !== null) this.#waits.end(this.#wait)
    this.#wait = null
    if (this.#isCounted) this.#gate.leave(this.kind)
  }
}
