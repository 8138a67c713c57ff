import { Effect } from "effect"
import { type Fields, sentFields } from "./SentFields.ts"
import { type Answer, fakeFarEnd, type FakeOptions, type Received } from "./FakeFarEnd.ts"

export const GATEWAY_TOKEN = "AAGfakeGatewayToken0123456789"
export const GATEWAY_SENDER = "peyk_channel"
/** A number that is not Telegram's. */
export const GATEWAY_STRANGER = "+989350000000"

export const gatewayResult = (result: unknown): Answer => ({ json: { ok: true, result } })
/** HTTP 200 by default. */
export const gatewayError = (error: string, status = 200): Answer => ({ status, json: { ok: false, error } })

const isInteger = (value: unknown, least: number, most: number): boolean =>
  Number.isInteger(Number(value)) && Number(value) >= least && Number(value) <= most

/** Telegram Gateway as its documents have it: a request is sent once, and its first send after the question is free. */
export const fakeTelegramGateway = (options: FakeOptions = {}) => {
  const requests = new Map<string, { readonly phone: string; sent: boolean }>()
  let balance = 12.5

  const charge = (phone: string): string => {
    const requestId = String(7_000_000_000_000_001n + BigInt(requests.size))
    requests.set(requestId, { phone, sent: false })
    balance -= 0.01
    return requestId
  }

  const statusOf = (
    requestId: string,
    { phone, sent }: { readonly phone: string; readonly sent: boolean }
  ) => ({
    request_id: requestId,
    // Without the plus, as it was seen.
    phone_number: phone.replace("+", ""),
    request_cost: 0.01,
    remaining_balance: balance,
    ...(sent && { delivery_status: { status: "delivered", updated_at: 1_763_000_007 } })
  })

  const phoneProblem = (phone: unknown): Answer | undefined => {
    if (!/^\+\d{8,15}$/.test(String(phone))) return gatewayError("PHONE_NUMBER_INVALID")
    return phone === GATEWAY_STRANGER ? gatewayError("PHONE_NUMBER_NOT_FOUND") : undefined
  }

  const checkSendAbility = ({ phone_number }: Fields): Answer => {
    const problem = phoneProblem(phone_number)
    if (problem !== undefined) return problem
    const requestId = charge(String(phone_number))
    return gatewayResult(statusOf(requestId, { phone: String(phone_number), sent: false }))
  }

  const sendVerificationMessage = (fields: Fields): Answer => {
    const { phone_number, request_id, code, sender_username, ttl } = fields
    const problem = phoneProblem(phone_number)
    if (problem !== undefined) return problem
    if (!/^\d{4,8}$/.test(String(code))) return gatewayError("CODE_INVALID")
    if (ttl !== undefined && !isInteger(ttl, 30, 3600)) return gatewayError("TTL_INVALID")
    if (sender_username !== undefined && sender_username !== GATEWAY_SENDER) {
      return gatewayError("SENDER_NOT_OWNED")
    }
    const requestId = request_id === undefined ? charge(String(phone_number)) : String(request_id)
    const request = requests.get(requestId)
    if (request === undefined) return gatewayError("REQUEST_ID_INVALID")
    if (request.phone !== phone_number) return gatewayError("PHONE_NUMBER_MISMATCH")
    if (request.sent) return gatewayError("MESSAGE_ALREADY_SENT")
    request.sent = true
    return gatewayResult(statusOf(requestId, request))
  }

  const checkVerificationStatus = ({ request_id }: Fields): Answer => {
    if (request_id === undefined) return gatewayError("REQUEST_ID_REQUIRED")
    const request = requests.get(String(request_id))
    return request === undefined
      ? gatewayError("REQUEST_ID_INVALID")
      : gatewayResult(statusOf(String(request_id), request))
  }

  const methods: Readonly<Record<string, (fields: Fields) => Answer>> = {
    checksendability: checkSendAbility,
    sendverificationmessage: sendVerificationMessage,
    checkverificationstatus: checkVerificationStatus,
    revokeverificationmessage: ({ request_id }) =>
      requests.has(String(request_id)) ? gatewayResult(true) : gatewayError("REQUEST_ID_INVALID")
  }

  const behave = (received: Received): Answer => {
    const fields = sentFields(received)
    const token = received.headers["authorization"]?.replace(/^Bearer /, "") ?? fields["access_token"]
    if (token === undefined) return gatewayError("ACCESS_TOKEN_REQUIRED")
    if (token !== GATEWAY_TOKEN) return gatewayError("ACCESS_TOKEN_INVALID")
    return methods[received.path.slice(1).toLowerCase()]?.(fields) ?? gatewayError("UNKNOWN_METHOD")
  }

  return Effect.map(fakeFarEnd(behave, options), (fake) => ({
    ...fake,
    /** How many codes went out. */
    sentCount: () => [...requests.values()].filter(({ sent }) => sent).length
  }))
}
