import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http"
import { envelope, headersOfCode } from "../errors/Envelope.ts"
import { type ErrorCode, errorTable } from "../errors/ErrorTable.ts"
import { requestIdFor } from "./RequestIds.ts"
import { securityHeaders } from "../Cors.ts"

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
  answer(code: ErrorCode, request: IncomingMessage, response: ServerResponse): void {
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
