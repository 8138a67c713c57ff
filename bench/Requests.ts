/** The requests of a run, made before it begins: while it lasts, making them would take CPU from whoever is measured. */
import { randomUUID } from "node:crypto"

export interface HttpRequest {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A verification that was started, as the program that started it tells it. */
export interface Target {
  readonly id: string
  /** E.164. */
  readonly phone: string
  readonly code: string
}

/** How a program is asked. */
export interface Dialect {
  /** @param phone without the country */
  readonly send: (phone: string) => HttpRequest
  readonly verify: (target: Target) => HttpRequest
  /** Null: it has no such thing. */
  readonly status: ((target: Target) => HttpRequest) | null
  readonly message: ((phone: string) => HttpRequest) | null
}

const json = { "content-type": "application/json" }

const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): HttpRequest => ({
  method: "POST",
  path,
  headers: { ...json, ...headers },
  body: JSON.stringify(body)
})

/** A key for each request: none is a repetition. */
const once = (apiKey: string) => ({ "x-api-key": apiKey, "idempotency-key": randomUUID() })

export const peykDialect = (apiKey: string): Dialect => ({
  send: (phone) => post("/v1/otp/send", { phone: `0${phone}` }, once(apiKey)),
  verify: ({ id, code }) => post("/v1/otp/verify", { verification_id: id, code }, { "x-api-key": apiKey }),
  status: ({ id }) => ({ method: "GET", path: `/v1/otp/${id}`, headers: { "x-api-key": apiKey }, body: "" }),
  message: (phone) =>
    post("/v1/messages/send", { to: `0${phone}`, message: "سلام!", channels: ["bale"] }, once(apiKey))
})

/** The references have no messages. */
export const referenceDialect: Dialect = { ...peykDialect("svc_live_reference1"), message: null }

export const betterAuthDialect: Dialect = {
  send: (phone) => post("/api/auth/phone-number/send-otp", { phoneNumber: `+98${phone}` }),
  verify: ({ phone, code }) => post("/verify", { phoneNumber: phone, code }),
  status: null,
  message: null
}

const FIRST_PHONE = 9_120_000_000

/** To phones of which none is sent to twice, if no number is. */
export const toPhones = (from: number, count: number, make: (phone: string) => HttpRequest) =>
  Array.from({ length: count }, (_, n) => make(String(FIRST_PHONE + from + n)))
