import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { securityHeaders } from "../Cors.ts"
import { envelope, headersOfCode } from "../errors/Envelope.ts"
import { type ErrorCode, errorTable } from "../errors/ErrorTable.ts"
import type { ClosingSockets, OpenSockets } from "./OpenSockets.ts"
import { requestIdFor } from "./IncomingRequest.ts"

/** Errors without the router: for bytes that are no request, or a request that will not be read. */
export class RawErrors {
  readonly #ownHeaders: Readonly<Record<string, string>>

  constructor(publicUrl: string | null) {
    this.#ownHeaders = securityHeaders(publicUrl)
  }

  /** A response in bytes, for a connection that ends with it. */
  bytes(code: ErrorCode, requestId = requestIdFor(undefined)): string {
    const { status } = errorTable[code]
    const body = JSON.stringify(envelope(code, requestId))
    const headers = { ...this.#headersOf(code, requestId, body), connection: "close" }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Error"}`, ...lines]
    return `${head.join("\r\n")}\r\n\r\n${body}`
  }

  /** Responds at once; the connection stays open for the next request. */
  respond(code: ErrorCode, request: IncomingMessage, response: ServerResponse): void {
    const requestId = requestIdFor(request.headers["x-request-id"])
    const body = JSON.stringify(envelope(code, requestId))
    response.writeHead(errorTable[code].status, this.#headersOf(code, requestId, body))
    response.end(body)
  }

  #headersOf(code: ErrorCode, requestId: string, body: string): Record<string, string | number> {
    return {
      "Content-Type": "application/json",
      "X-Request-Id": requestId,
      ...this.#ownHeaders,
      "Content-Length": Buffer.byteLength(body),
      ...headersOfCode[code]
    }
  }
}

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
