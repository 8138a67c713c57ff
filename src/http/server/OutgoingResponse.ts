import { type IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Admission } from "./Admission.ts"

/**
 * Node's response, which reports its turn on the connection, and when the application has done its part: it has ended
 * the response, or waits until the client has read some of it.
 */
export class OutgoingResponse<
  Request extends IncomingMessage = IncomingMessage
> extends ServerResponse<Request> {
  #admission: Admission | null = null
  #onTurn: (() => void) | null = null

  admittedAs(admission: Admission): void {
    this.#admission = admission
  }

  /** The class and state of its request, once that is admitted. */
  get admission(): Admission | null {
    return this.#admission
  }

  /** Called once all responses to earlier requests of the connection are sent. */
  whenItsTurnComes(onTurn: () => void): void {
    this.#onTurn = onTurn
  }

  override assignSocket(socket: Socket): void {
    super.assignSocket(socket)
    const onTurn = this.#onTurn
    if (onTurn === null) return
    this.#onTurn = null
    onTurn()
  }

  override write(
    chunk: unknown,
    encodingOrCallback?: BufferEncoding | ((error: Error | null | undefined) => void),
    callback?: (error: Error | null | undefined) => void
  ): boolean {
    const hasRoom =
      typeof encodingOrCallback === "string"
        ? super.write(chunk, encodingOrCallback, callback)
        : super.write(chunk, encodingOrCallback)
    const admission = this.#admission
    if (hasRoom) admission?.progress()
    else if (admission?.pause() === true) this.once("drain", () => admission.resume())
    return hasRoom
  }

  override end(callback?: () => void): this
  override end(chunk: unknown, callback?: () => void): this
  override end(chunk: unknown, encoding: BufferEncoding, callback?: () => void): this
  override end(...args: [chunk?: unknown, encoding?: unknown, callback?: unknown]): this {
    // Node tells these forms apart itself.
    super.end(...(args as [chunk: unknown, encoding: BufferEncoding, callback?: () => void]))
    this.#admission?.leave()
    return this
  }
}
