import { IncomingMessage } from "node:http"
import type { RequestTime } from "../../services/concurrency/RequestTime.ts"
import type { Admission } from "./Admission.ts"

/** Node's request, with its admission. */
export class IncomingRequest extends IncomingMessage {
  #admission: Admission | undefined = undefined

  admittedAs(admission: Admission): void {
    this.#admission = admission
  }

  /** Undefined if it was not admitted. */
  get time(): RequestTime | undefined {
    return this.#admission
  }

  /** `giveUp` is called if the body does not arrive in time. */
  waitForBody(giveUp: () => void): void {
    this.#admission?.waitForBody(giveUp)
  }

  /** The body has arrived. False if there is no room now for the request's work. */
  endBodyWait(): boolean {
    return this.#admission?.endBodyWait() ?? true
  }

  /**
   * Node destroys the requests that wait for their turn when their client goes, each with an error. Nobody sees it, and
   * to format the stacks of a hundred takes milliseconds.
   */
  override destroy(error?: Error): this {
    return super.destroy(this.#admission === undefined ? undefined : error)
  }

  /** The request counts as load once its whole body has arrived, even if it is never read. */
  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (chunk === null) this.endBodyWait()
    return super.push(chunk, encoding)
  }
}
