import { Effect } from "effect"
import { type Answer, fakeFarEnd, type FakeOptions, type Received } from "./FakeFarEnd.ts"

export const SAFIR_KEY = "safir-key-0123456789"
/** A number that is not Bale's. */
export const STRANGER = "989350000000"

export interface Delivered {
  readonly messageId: string
  readonly phone: string
  readonly data: unknown
}

/** Safir's failure, with HTTP 200 by default. */
export const safirError = (
  code: number,
  description: string,
  phone: unknown = "989123456789",
  status = 200
): Answer => ({ status, json: { message_id: "", error_data: [{ phone_number: phone, code, description }] } })

export const safirSuccess = (messageId: string): Answer => ({
  json: { message_id: messageId, error_data: null }
})

const field = (value: unknown, name: string): unknown => Object(value)[name]

const PRIMARY_VARIANTS = ["otp_message", "message", "template_message"]

/** One primary variant, whose text is there; a code is digits alone. */
const isMessageData = (data: unknown): boolean => {
  const variants = PRIMARY_VARIANTS.filter((name) => field(data, name) !== undefined)
  if (variants.length !== 1) return false
  const otp = field(field(data, "otp_message"), "otp")
  const text = field(field(data, "message"), "text")
  return variants[0] === "otp_message" ? /^\d+$/.test(String(otp)) : typeof text === "string" && text !== ""
}

/** Bale's Safir as its documentation has it: the same `request_id` again is answered as before, and not delivered again. */
export const fakeBaleSafir = (options: FakeOptions = {}) => {
  const delivered: Array<Delivered> = []
  const idByRequest = new Map<unknown, string>()

  const deliver = (phone: string, data: unknown): string => {
    const messageId = `safir-${delivered.length + 1}`
    delivered.push({ messageId, phone, data })
    return messageId
  }

  const sendMessage = ({ json }: Received): Answer => {
    const phone = field(json, "phone_number")
    const data = field(json, "message_data")
    const requestId = field(json, "request_id")
    if (!Number.isInteger(field(json, "bot_id"))) return safirError(4, "InvalidInput", phone)
    if (typeof phone !== "string" || !/^989\d{9}$/.test(phone)) return safirError(8, "InvalidPhone", phone)
    if (!isMessageData(data)) return safirError(4, "InvalidInput", phone)
    if (phone === STRANGER) return safirError(17, "NotBaleUser", phone)
    const messageId = idByRequest.get(requestId) ?? deliver(phone, data)
    if (requestId !== undefined) idByRequest.set(requestId, messageId)
    return safirSuccess(messageId)
  }

  const farEnd = fakeFarEnd((received) => {
    const { method, path, headers } = received
    if (headers["api-access-key"] !== SAFIR_KEY) return { status: 401, text: "" }
    return `${method} ${path}` === "POST /api/v3/send_message"
      ? sendMessage(received)
      : { status: 404, text: "<html>Not Found</html>" }
  }, options)
  return Effect.map(farEnd, (fake) => ({ ...fake, delivered }))
}
