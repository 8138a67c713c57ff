import { Effect, Option, Result, Schema } from "effect"
import { DeliveryReport, ProviderOutcome } from "../../../domain/ProviderOutcome.ts"
import { fieldOf, idOf, maybeAnything, maybeWords, YesOrNo } from "../LenientResponses.ts"
import type { ProviderResponse } from "../ProviderHttp.ts"
import { instantOfSeconds, outcomeOfStatus, ownValue } from "../ProviderResponses.ts"
import { accepted, byCode, type jsonCalls, rejected, throttled, unknown } from "./AdapterKit.ts"

export const ResponseBody = Schema.Struct({
  ok: YesOrNo,
  error: maybeWords,
  result: maybeAnything
})
type ResponseBody = typeof ResponseBody.Type

/** The cause that each known error means. Telegram publishes no list; these are from clients. */
const causes = byCode({
  configuration: `ACCESS_TOKEN_INVALID ACCESS_TOKEN_REQUIRED BALANCE_NOT_ENOUGH CALLBACK_URL_INVALID
    SENDER_USERNAME_INVALID SENDER_NOT_VERIFIED SENDER_NOT_OWNED UNKNOWN_METHOD`.split(/\s+/),
  recipient: `PHONE_NUMBER_INVALID PHONE_NUMBER_NOT_FOUND PHONE_NUMBER_NOT_AVAILABLE
    PHONE_NUMBER_UNOCCUPIED`.split(/\s+/),
  request: `CODE_INVALID CODE_LENGTH_INVALID CODE_LENGTH_REQUIRED TTL_INVALID PAYLOAD_INVALID
    REQUEST_ID_INVALID REQUEST_ID_REQUIRED PHONE_NUMBER_MISMATCH`.split(/\s+/)
})

const ALREADY_SENT = "MESSAGE_ALREADY_SENT"
const FLOOD_WAIT = /FLOOD_WAIT(?:_(\d+))?/

/** An unknown error under HTTP 200 is taken for the recipient's, but not after a send that may have gone out. */
const outcomeOfError = (error: string, received: ProviderResponse, isRepeat: boolean): ProviderOutcome => {
  const flood = FLOOD_WAIT.exec(error)
  if (flood !== null) {
    const seconds = flood[1] === undefined ? null : Number(flood[1])
    const retryAfterMillis = seconds === null ? received.retryAfterMillis : seconds * 1000
    return throttled(retryAfterMillis, error)
  }
  if (error === "INTERNAL_ERROR") return unknown(error)
  const byStatus = outcomeOfStatus(received)
  const guessed = received.status < 300 && !isRepeat ? "recipient" : undefined
  const cause = ownValue(causes, error) ?? guessed
  if (cause !== undefined) return rejected(cause, error)
  return byStatus._tag === "Accepted" ? byStatus : { ...byStatus, providerError: error }
}

const classifyFor =
  (requestId: string | null, isRepeat = false) =>
  ({ ok, error, result }: ResponseBody, received: ProviderResponse): ProviderOutcome => {
    if (!ok && requestId !== null && error === ALREADY_SENT) return accepted(requestId)
    if (!ok) return outcomeOfError(error ?? "refused without a reason", received, isRepeat)
    if (received.status >= 300) return unknown(`HTTP ${received.status}`)
    return accepted(idOf(fieldOf(result, "request_id")) ?? requestId)
  }

/** Nothing is sent by a question, whatever became of it. */
const asNotSent = (outcome: ProviderOutcome): ProviderOutcome =>
  outcome._tag === "Unknown"
    ? ProviderOutcome.Unavailable({ providerError: `not sent: ${outcome.providerError}` })
    : outcome

/** The question, the send and its repeat together take no longer than one call to a provider may. */
const SHARES = { question: 0.4, send: 0.4, repeat: 0.2 } as const

/** The two calls of a send. */
export const gatewayCalls = (calls: ReturnType<typeof jsonCalls<typeof ResponseBody>>) => ({
  /** The id with which the number can be sent one code; or why it cannot. */
  checkSendAbility: (phone: string): Effect.Effect<Result.Result<string, ProviderOutcome>> =>
    Effect.map(
      calls.send("/checkSendAbility", { phone_number: phone }, classifyFor(null), {
        timeoutShare: SHARES.question
      }),
      (outcome) =>
        outcome._tag === "Accepted" && outcome.messageId !== null
          ? Result.succeed(outcome.messageId)
          : Result.fail(
              outcome._tag === "Accepted"
                ? ProviderOutcome.Unavailable({ providerError: "not sent: no request id" })
                : asNotSent(outcome)
            )
    ),

  /** Telegram sends one code for a request id, so a send whose answer was lost is repeated with the same id. */
  sendOnce: (fields: { readonly request_id: string; readonly [field: string]: unknown }) => {
    const call = (timeoutShare: number, isRepeat: boolean) =>
      calls.send("/sendVerificationMessage", fields, classifyFor(fields.request_id, isRepeat), {
        timeoutShare
      })
    return Effect.flatMap(call(SHARES.send, false), (outcome): Effect.Effect<ProviderOutcome> =>
      outcome._tag !== "Unknown"
        ? Effect.succeed(outcome)
        : Effect.map(call(SHARES.repeat, true), (repeat) =>
            repeat._tag === "Accepted" || (repeat._tag === "Rejected" && repeat.cause === "recipient")
              ? repeat
              : outcome
          )
    )
  }
})

/** Whether the token is valid, from the response about a request that does not exist. */
export const isAuthorized = ({ ok, error }: ResponseBody): boolean =>
  ok || error?.startsWith("REQUEST_ID_") === true

const Delivery = Schema.Struct({
  delivery_status: Schema.Struct({
    status: Schema.String,
    // Unix seconds; a time in another form does not make the status unreadable.
    updated_at: Schema.optionalKey(Schema.Unknown)
  })
})
const readDelivery = Schema.decodeUnknownOption(Delivery)

export const readReport = ({ ok, error, result }: ResponseBody): DeliveryReport => {
  if (!ok) return DeliveryReport.NotKnown({ reason: error ?? "refused without a reason" })
  const delivery = Option.getOrUndefined(readDelivery(result))?.delivery_status
  switch (delivery?.status) {
    case "delivered":
    case "read":
      return DeliveryReport.Delivered({ at: instantOfSeconds(delivery.updated_at) })
    case "expired":
    case "revoked":
      return DeliveryReport.Undelivered({ providerError: delivery.status })
    case undefined:
      return DeliveryReport.NotKnown({ reason: "no delivery status" })
    default:
      return DeliveryReport.InProgress()
  }
}
