import { randomUUID } from "node:crypto"
import { IncomingMessage, Server, ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import type { DirectHandler } from "./DirectRoutes.ts"
import { envelope } from "./Envelope.ts"
import { type ErrorCode, errorTable } from "./ErrorTable.ts"

const bodyOf = (code: ErrorCode, requestId: string) => JSON.stringify(envelope(code, requestId))

const rawResponse = (code: ErrorCode): string => {
  const requestId = randomUUID()
  const body = bodyOf(code, requestId)
  const { status } = errorTable[code]
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Error"}`,
    "Connection: close",
    "Content-Type: application/json",
    `X-Request-Id: ${requestId}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    "",
    body
  ].join("\r\n")
}

const isHeaderOverflow = (error: Error): boolean => "code" in error && error.code === "HPE_HEADER_OVERFLOW"

/** A server that asks a direct handler, once it has one, before it tells anybody else of a request. */
export class DirectServer extends Server {
  direct: DirectHandler = () => false
  /** The newest of each connection. */
  readonly lastResponse = new WeakMap<Duplex, ServerResponse>()

  override emit(event: string | symbol, ...args: Array<unknown>): boolean {
    const [request, response] = args
    if (event === "request" && request instanceof IncomingMessage && response instanceof ServerResponse) {
      this.lastResponse.set(request.socket, response)
      const tellOthers = () => void super.emit(event, request, response)
      if (this.direct(request, response, tellOthers)) return true
    }
    return super.emit(event, ...args)
  }
}

/** A server that answers with an envelope even what Node's own HTTP parser refuses. */
export const makeNodeServer = (): DirectServer => {
  const server = new DirectServer({ requireHostHeader: false })
  server.on("clientError", (error, socket) => {
    // An answer now would be taken for that of the request before.
    if (!socket.writable || server.lastResponse.get(socket)?.writableFinished === false)
      return socket.destroy()
    return socket.end(rawResponse(isHeaderOverflow(error) ? "headers_too_large" : "bad_request"))
  })
  // An expectation that we do not know is no reason to refuse a request (RFC 9110, 10.1.1).
  server.on("checkExpectation", (request, response) => void server.emit("request", request, response))
  return server
}
