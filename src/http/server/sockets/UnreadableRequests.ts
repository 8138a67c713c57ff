import type { ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import type { ErrorCode } from "../../errors/ErrorTable.ts"
import type { RawErrors } from "../RawErrors.ts"
import { requestIdFor } from "../RequestIds.ts"
import type { ClosingSockets } from "./ClosingSockets.ts"
import type { OpenSockets } from "./OpenSockets.ts"

const codes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout"
}

const codeOf = (error: Error): ErrorCode =>
  ("code" in error && typeof error.code === "string" ? codes[error.code] : undefined) ?? "bad_request"

/** Ends connections whose bytes are no request, each with the response that its client expects next. */
export class UnreadableRequests {
  readonly #sockets: OpenSockets
  readonly #closing: ClosingSockets
  readonly #errors: RawErrors
  readonly #ending = new WeakSet<Duplex>()

  constructor(sockets: OpenSockets, closing: ClosingSockets, errors: RawErrors) {
    this.#sockets = sockets
    this.#closing = closing
    this.#errors = errors
  }

  refuse(error: Error, socket: Duplex): void {
    const response = this.#sockets.of(socket)?.last ?? null
    if (!socket.writable) {
      // The last write may not have left yet.
      if (!socket.writableEnded) socket.destroy()
    } else if (response === null || (response.req.complete && response.writableFinished)) {
      this.#closing.endWith(socket, this.#errors.bytes(codeOf(error)))
    } else if (response.req.complete) {
      // A response now would look like that of the previous request, which is still to come.
      this.#endAfter(response, socket)
    } else {
      // The body of the last request is wrong: this is its response, unless it has one.
      const isUnanswered = response.socket === socket && !response.headersSent
      const id = requestIdFor(response.req.headers["x-request-id"])
      this.#closing.endWith(socket, isUnanswered ? this.#errors.bytes(codeOf(error), id) : null)
    }
  }

  /** Bytes after a request that has no response yet are not read any more. */
  #endAfter(response: ServerResponse, socket: Duplex): void {
    if (this.#ending.has(socket)) return
    this.#ending.add(socket)
    response.shouldKeepAlive = false
    response.once("close", () => this.#closing.endWith(socket, null))
  }
}
