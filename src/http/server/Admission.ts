import type { ServerResponse } from "node:http"
import type { Link } from "../../services/concurrency/LinkedSet.ts"
import type { BodyWaits } from "./BodyWaits.ts"
import type { OverloadGate } from "./OverloadGate.ts"
import type { RequestClass } from "./RequestClass.ts"

/** A request from its headers to its response. The gate counts it, except while it waits for its body. */
export class Admission {
  readonly response: ServerResponse
  readonly kind: RequestClass
  /** Monotonic milliseconds. */
  readonly since: number
  readonly #gate: OverloadGate
  readonly #waits: BodyWaits
  #isCounted = false
  #hasRoom = true
  #wait: Link<Admission> | null = null
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

  /** False if there is no room. A request with a body counts once its body has arrived. */
  begin(hasBody: boolean): boolean {
    if (!hasBody) {
      this.#isCounted = this.#gate.enter(this.kind, this.since)
      return this.#isCounted
    }
    if (!this.#gate.hasRoom(this.kind, this.since)) return false
    this.#wait = this.#waits.add(this)
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

  /** False if there was no room when the body had arrived. */
  endBodyWait(): boolean {
    if (this.#wait !== null) {
      this.#waits.remove(this.#wait)
      this.#wait = null
      this.#hasRoom = this.#gate.enter(this.kind, performance.now())
      this.#isCounted = this.#hasRoom
    }
    return this.#hasRoom
  }

  /** It got its response, or its client is gone. */
  leave(): void {
    if (this.#wait !== null) this.#waits.remove(this.#wait)
    this.#wait = null
    if (this.#isCounted) this.#gate.leave(this.kind)
  }
}
