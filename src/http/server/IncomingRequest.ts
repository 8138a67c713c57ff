import { IncomingMessage } from "node:http"
import type { Admission } from "./Admission.ts"

/** Node's request, which knows how it was admitted. */
export class IncomingRequest extends IncomingMessage {
  #admission: Admission | undefined = undefined

  admittedAs(admission: Admission): void {
    this.#admission = admission
  }

  /** `giveUp` is called if the body does not come in time. */
  waitForBody(giveUp: () => void): void {
    this.#admission?.waitForBody(giveUp)
  }

  /** The body has come. False when there was no room then for the request's work. */
  endBodyWait(): boolean {
    return this.#admission?.endBodyWait() ?? true
  }

  /** With its whole body, the request counts as load, also if nobody reads the body. */
  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (chunk === null) this.endBodyWait()
    return super.push(chunk, encoding)
  }
}
