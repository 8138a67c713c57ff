import type { HttpServerResponse } from "effect/http"
import type { ServerResponse } from "node:http"
import type { Allowance } from "../../services/customer/limits/RequestWindows.ts"
import { securityHeaders } from "../SecurityHeaders.ts"
import { allowanceHeaders } from "../ServiceKeys.ts"

/** Alternating names and values, which Node writes as they are. */
export type HeaderList = Array<string>

const OWN_HEADERS = new Set(["content-type", "content-length"])

/** The headers that every response has. */
export const makeHeaders = (publicUrl: string | null): ((requestId: string) => HeaderList) => {
  const security = Object.entries(securityHeaders(publicUrl)).flat()
  return (requestId) => ["x-request-id", requestId, ...security]
}

export const addRateLimitHeaders = (headers: HeaderList, allowance: Allowance | null) => {
  if (allowance !== null) headers.push(...Object.entries(allowanceHeaders(allowance)).flat())
}

export const writeJson = (
  response: ServerResponse,
  status: number,
  headers: HeaderList,
  body: string | Uint8Array
) => {
  headers.push("content-type", "application/json", "content-length", String(Buffer.byteLength(body)))
  response.writeHead(status, headers)
  response.end(body)
}

export const writeEnvelope = (
  response: ServerResponse,
  { status, headers: given, body }: HttpServerResponse.HttpServerResponse,
  headers: HeaderList
) => {
  for (const [name, value] of Object.entries(given)) if (!OWN_HEADERS.has(name)) headers.push(name, value)
  writeJson(response, status, headers, body._tag === "Uint8Array" ? body.body : "")
}
