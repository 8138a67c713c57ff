/** The requests of a run, created before it begins: creating them during the run would take CPU from the subject. */
import { randomUUID } from "node:crypto"

export interface HttpRequest {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A verification that was started, as the program that started it returns it. */
export interface Target {
  readonly id: string
  /** E.164. */
  readonly phone: string
  readonly code: string
}

/** How to call a program. */
export interface Dialect {
  /** @param phone without the country */
  readonly send: (phone: string) => HttpRequest
  readonly verify: (target: Target) => HttpRequest
  /** Null: it has no such operation. */
  readonly status: ((target: Target) => HttpRequest) | null
  readonly message: ((phone: string) => HttpRequest) | null
  /** A message for a second later. */
  readonly scheduled: ((phone: string) => HttpRequest) | null
  /** A send with a second channel, after the longest wait. */
  readonly fallback: ((phone: string) => HttpRequest) | null
}

const json = { "content-type": "application/json" }

const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): HttpRequest => ({
  method: "POST",
  path,
  headers: { ...json, ...headers },
  body: JSON.stringify(body)
})

const TWO_CHANNELS = [{ channel: "bale", wait: 120 }, { channel: "sms" }]

const PHONE_DIGITS = 7

/** Each phone belongs to one customer: its requests have that customer's key. */
export const peykDialect = (apiKeys: ReadonlyArray<string>): Dialect => {
  const keyOf = (phone: string) => apiKeys[Number(phone.slice(-PHONE_DIGITS)) % apiKeys.length] ?? ""
  const own = (phone: string) => ({ "x-api-key": keyOf(phone) })
  const once = (phone: string) => ({ ...own(phone), "idempotency-key": randomUUID() })
  const text = (phone: string) => ({ to: `0${phone}`, message: "سلام!", channels: ["bale"] })
  return {
    send: (phone) => post("/v1/otp/send", { phone: `0${phone}` }, once(phone)),
    verify: ({ id, phone, code }) => post("/v1/otp/verify", { verification_id: id, code }, own(phone)),
    status: ({ id, phone }) => ({ method: "GET", path: `/v1/otp/${id}`, headers: own(phone), body: "" }),
    message: (phone) => post("/v1/messages/send", text(phone), once(phone)),
    scheduled: (phone) => post("/v1/messages/send", { ...text(phone), delay: "1s" }, once(phone)),
    fallback: (phone) => post("/v1/otp/send", { phone: `0${phone}`, channels: TWO_CHANNELS }, once(phone))
  }
}

/** The references send messages at once, and have no fallback. */
export const referenceDialect = (customers: number): Dialect => ({
  ...peykDialect(Array.from({ length: customers }, (_, n) => `svc_live_reference${n + 1}`)),
  scheduled: null,
  fallback: null
})

export const betterAuthDialect: Dialect = {
  send: (phone) => post("/api/auth/phone-number/send-otp", { phoneNumber: `+98${phone}` }),
  verify: ({ phone, code }) => post("/verify", { phoneNumber: phone, code }),
  status: null,
  message: null,
  scheduled: null,
  fallback: null
}

/** Ranges that are wholly in use, each with this many phones. */
const RANGES = ["91", "93"]
const PHONES = 100_000_000
/** Has no factor in common with their number: no phone repeats before all are used. */
const PHONE_STEP = 61_803_399

/** Mixed phones of two operators: neighbours would look like an attack on one part of the numbers. */
const phoneAt = (n: number) => {
  const place = (n * PHONE_STEP) % (PHONES * RANGES.length)
  return `${RANGES[Math.floor(place / PHONES)]}${String(place % PHONES).padStart(8, "0")}`
}

/** Sends each to another phone, if no number repeats. */
export const toPhones = <A>(from: number, count: number, make: (phone: string) => A) =>
  Array.from({ length: count }, (_, n) => make(phoneAt(from + n)))
