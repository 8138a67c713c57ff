import { Redacted, Schema } from "effect"
import { inWords, type ProviderOutcome } from "../../../domain/ProviderOutcome.ts"
import { Credential, ProviderNumber } from "../AccountSettings.ts"
import { fieldOf, firstOf, idOf, maybeAnything, wholeOf, wordsIn } from "../LenientResponses.ts"
import { outcomeOfStatus, providerWords } from "../ProviderResponses.ts"
import type { ProviderResponse, ProviderHttp } from "../ProviderHttp.ts"
import {
  accepted,
  adapter,
  byCode,
  connectionTo,
  jsonCalls,
  rejected,
  throttled,
  unknown
} from "./AdapterKit.ts"
import type { ProviderAdapter } from "../../../services/provider/ProviderAdapter.ts"
import type { TextDelivery } from "../../../services/provider/Providers.ts"

const BaleSafirSettings = Schema.Struct({
  api_key: Credential.annotateKey({ description: "The organization's key, from Bale's business panel." }),
  bot_id: ProviderNumber.annotateKey({ description: "The bot that messages come from." })
})

const ResponseBody = Schema.Struct({
  message_id: maybeAnything,
  /** One entry per failed number; Peyk sends to one. */
  error_data: maybeAnything
})

const INTERNAL_ERROR = 2
const RATE_LIMIT_EXCEEDED = 3

/** The cause that each documented refusal code means. */
const causes = byCode({ request: [4], recipient: [8, 17], configuration: [20, 21] })

/** Statuses that are clearer than an undocumented code. */
const isTelling = (status: number): boolean => [401, 403, 422, 429].includes(status) || status >= 500

const outcomeOfError = (
  code: number | null,
  providerError: string,
  received: ProviderResponse
): ProviderOutcome => {
  const { status, retryAfterMillis } = received
  if (code === RATE_LIMIT_EXCEEDED) return throttled(retryAfterMillis, providerError)
  if (code === INTERNAL_ERROR) return unknown(providerError)
  const cause = code === null ? undefined : causes[code]
  return cause === undefined && isTelling(status)
    ? inWords(outcomeOfStatus(received), () => providerError)
    : rejected(cause ?? "recipient", providerError)
}

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === ""

/** Failures can have HTTP 200: only an id without an error is a success. */
const classify = (
  { message_id, error_data }: typeof ResponseBody.Type,
  received: ProviderResponse
): ProviderOutcome => {
  const error = firstOf(error_data)
  const hasId = !isMissing(message_id)
  if (!isMissing(error)) {
    const code = wholeOf(fieldOf(error, "code"))
    const words = wordsIn(fieldOf(error, "description"))
    // An id says yes, and an error without a code hardly says no.
    return code === null && hasId
      ? unknown(providerWords(null, words))
      : outcomeOfError(code, providerWords(code, words), received)
  }
  return hasId && received.status < 300 ? accepted(idOf(message_id)) : outcomeOfStatus(received)
}

/** Sends over Bale to phone numbers: codes as Bale's own card, texts unchanged. Source: docs.bale.ai/safir. */
export const baleSafirAdapter = (http: ProviderHttp["Service"], baseUrl: string): ProviderAdapter =>
  adapter({ name: "bale_safir", channels: ["bale"], settings: BaleSafirSettings }, ({ api_key, bot_id }) => {
    const calls = jsonCalls(http, baseUrl, { "api-access-key": api_key }, ResponseBody)
    const post = ({ attemptId, phone }: TextDelivery, messageData: Readonly<Record<string, unknown>>) => {
      const message = { bot_id, phone_number: phone.slice("+".length), message_data: messageData }
      // Bale does not deliver a repeat with this id again.
      return calls.send("/send_message", { request_id: attemptId, ...message }, classify)
    }
    return connectionTo(baseUrl, {
      traits: { deduplicatesCodes: true, deduplicatesTexts: true },
      sendCode: (delivery) => post(delivery, { otp_message: { otp: Redacted.value(delivery.code) } }),
      sendText: (delivery) => post(delivery, { message: { text: Redacted.value(delivery.text) } })
    })
  })
