import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http"
import { envelope, headersOfCode } from "../errors/Envelope.ts"
import { type ErrorCode, errorTable } from "../errors/ErrorTable.ts"
import { requestIdFor } from "./RequestIds.ts"
import { NO_SNIFFING } from "../SecurityHeaders.ts"

/** Errors without the router: for bytes that are no request, or a request that will not be read. */

const headersOf = (code: ErrorCode, requestId: string, body: string): Record<string, string | number> => ({
  "Content-Type": "application/json",
  "X-Request-Id": requestId,
  ...NO_SNIFFING,
  "Content-Length": Buffer.byteLength(body),
  ...headersOfCode[code]
})

const bodyOf = (code: ErrorCode, requestId: string) => JSON.stringify(envelope(code, requestId))

/** A response in bytes, for a connection that ends with it. */
export const rawResponse = (code: ErrorCode, requestId = requestIdFor(undefined)): string => {
  const { status } = errorTable[code]
  const body = bodyOf(code, requestId)
  const headers = { ...headersOf(code, requestId, body), connection: "close" }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Error"}`, ...lines]
  return `${head.join("\r\n")}\r\n\r\n${body}`
}

/** Responds at once; the connection stays open for the next request. */
export const answerRaw = (code: ErrorCode, request: IncomingMessage, response: ServerResponse): void => {
  const requestId = requestIdFor(request.headers["x-request-id"])
  const body = bodyOf(code, requestId)
  response.writeHead(errorTable[code].status, headersOf(code, requestId, body))
  response.end(body)
}
