// @effect-diagnostics globalDate:off
import type { components } from "./api.ts"
import { webCrypto } from "./Runtime.ts"

/** An event, as Peyk posts it to your endpoint. */
export type WebhookEvent =
  | components["schemas"]["VerificationEvent"]
  | components["schemas"]["MessageEvent"]
  | components["schemas"]["GuardEvent"]
  | components["schemas"]["AlertEvent"]
  | components["schemas"]["TestEvent"]

/** The request did not come from Peyk, was changed, or is too old. Respond with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError"
}

export interface WebhookRequest {
  /** The body exactly as it arrived: do not parse it before. */
  readonly payload: string | Uint8Array
  /** A header can be a list of one, as some frameworks pass it. */
  readonly headers: Headers | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The endpoint's secret: `whsec_…`. */
  readonly secret: string
  /** How old, or how far in the future, a request may be; 300 by default. */
  readonly toleranceSeconds?: number | undefined
}

const DEFAULT_TOLERANCE_SECONDS = 300

const headerOf = (headers: WebhookRequest["headers"], name: string): string => {
  const given =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  const value = Array.isArray(given) && given.length === 1 ? given[0] : given
  if (typeof value !== "string" || value === "")
    throw new WebhookVerificationError(`There is no ${name} header.`)
  return value
}

const bytesOfBase64 = (text: string): Uint8Array<ArrayBuffer> => {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return new Uint8Array()
  }
}

const bytesOfBody = (payload: unknown): Uint8Array => {
  if (typeof payload === "string") return new TextEncoder().encode(payload)
  // Not instanceof: a test runner's bytes can be of another realm.
  if (ArrayBuffer.isView(payload))
    return new Uint8Array(payload.buffer, payload.byteOffset, payload.byteLength)
  throw new TypeError("payload must be the body exactly as it arrived, not parsed: text or bytes.")
}

const keyOf = async (secret: unknown): Promise<CryptoKey> => {
  // A variable that is not set is the usual mistake.
  const bytes = bytesOfBase64(typeof secret === "string" ? secret.replace(/^whsec_/, "") : "")
  if (bytes.length === 0) throw new TypeError("The secret is not the whsec_… of a webhook.")
  return (await webCrypto()).subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, [
    "verify"
  ])
}

const requireFresh = (timestamp: string, toleranceSeconds: number): void => {
  const age = Math.abs(Date.now() / 1000 - Number(timestamp))
  if (!(age <= toleranceSeconds))
    throw new WebhookVerificationError("The request is too old, or from the future.")
}

/**
 * Checks that a request came from Peyk and is recent, and returns its event. Keep `webhook-id` for a while: the same
 * event can arrive more than once.
 */
export const verifyWebhook = async (request: WebhookRequest): Promise<WebhookEvent> => {
  const { payload, headers, secret, toleranceSeconds = DEFAULT_TOLERANCE_SECONDS } = request
  const body = bytesOfBody(payload)
  const key = await keyOf(secret)
  const timestamp = headerOf(headers, "webhook-timestamp")
  const encoder = new TextEncoder()
  const head = encoder.encode(`${headerOf(headers, "webhook-id")}.${timestamp}.`)
  const signed = new Uint8Array([...head, ...body])
  const { subtle } = await webCrypto()
  const signatures = headerOf(headers, "webhook-signature")
    .split(" ")
    .filter((each) => each.startsWith("v1,"))
  for (const signature of signatures) {
    if (await subtle.verify("HMAC", key, bytesOfBase64(signature.slice(3)), signed)) {
      requireFresh(timestamp, toleranceSeconds)
      return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent
    }
  }
  throw new WebhookVerificationError("The signature is not Peyk's.")
}
