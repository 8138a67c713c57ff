import { Redacted, Result, Schema } from "effect"
import type { Phone } from "../../../domain/Phone.ts"
import type { AccountTraits } from "../../../domain/customer/Customer.ts"
import { type Blame, inWords, ProviderOutcome } from "../../../domain/provider/ProviderOutcome.ts"
import { Credential, originOf, ProviderNumber, readSettings } from "../AccountSettings.ts"
import { fieldOf, firstOf, idOf, maybeAnything, wholeOf, wordsIn } from "../LenientAnswers.ts"
import { outcomeOfStatus, providerWords, send } from "../ProviderAnswers.ts"
import type { ProviderAnswer, ProviderHttp } from "../ProviderHttp.ts"
import type { ProviderAdapter, ProviderConnection } from "../../../services/provider/ProviderAdapter.ts"
import type { TextDelivery } from "../../../services/provider/Providers.ts"

const BaleSafirSettings = Schema.Struct({
  api_key: Credential.annotateKey({ description: "The organization's key, from Bale's business panel." }),
  bot_id: ProviderNumber.annotateKey({ description: "The bot that messages come from." })
})

const Answer = Schema.Struct({
  message_id: maybeAnything,
  /** One entry per failed number; Peyk sends to one. */
  error_data: maybeAnything
})

const INTERNAL_ERROR = 2
const RATE_LIMIT_EXCEEDED = 3

/** The cause that each documented refusal code means. */
const blames: Readonly<Record<number, Blame>> = {
  4: "request",
  8: "recipient",
  17: "recipient",
  20: "configuration",
  21: "configuration"
}

/** Statuses that are clearer than an undocumented code. */
const isTelling = (status: number): boolean => [401, 403, 422, 429].includes(status) || status >= 500

const outcomeOfError = (
  code: number | null,
  providerError: string,
  received: ProviderAnswer
): ProviderOutcome => {
  const { status, retryAfterMillis } = received
  if (code === RATE_LIMIT_EXCEEDED) return ProviderOutcome.Throttled({ retryAfterMillis, providerError })
  if (code === INTERNAL_ERROR) return ProviderOutcome.Unknown({ providerError })
  const blame = code === null ? undefined : blames[code]
  return blame === undefined && isTelling(status)
    ? inWords(outcomeOfStatus(received), () => providerError)
    : ProviderOutcome.Rejected({ blame: blame ?? "recipient", providerError })
}

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === ""

/** Failures can have HTTP 200: only an id without an error is a success. */
const classify = (
  { message_id, error_data }: typeof Answer.Type,
  received: ProviderAnswer
): ProviderOutcome => {
  const error = firstOf(error_data)
  const hasId = !isMissing(message_id)
  if (!isMissing(error)) {
    const code = wholeOf(fieldOf(error, "code"))
    const words = wordsIn(fieldOf(error, "description"))
    // An id says yes, and an error without a code hardly says no.
    return code === null && hasId
      ? ProviderOutcome.Unknown({ providerError: providerWords(null, words) })
      : outcomeOfError(code, providerWords(code, words), received)
  }
  return hasId && received.status < 300
    ? ProviderOutcome.Accepted({ messageId: idOf(message_id) })
    : outcomeOfStatus(received)
}

/** In Safir's form: `989123456789`. */
const digitsOf = (phone: Phone): string => phone.slice("+".length)

const traits: AccountTraits = {
  sendsCodes: true,
  sendsTexts: true,
  deduplicatesCodes: true,
  deduplicatesTexts: true,
  reportsDelivery: false,
  needsContact: false
}

/** Sends over Bale to phone numbers: codes as Bale's own card, texts unchanged. Source: docs.bale.ai/safir. */
export const baleSafirAdapter = (http: ProviderHttp["Service"], baseUrl: string): ProviderAdapter => ({
  name: "bale_safir",
  channels: ["bale"],
  settings: BaleSafirSettings,
  connect: (settings) =>
    Result.map(readSettings(BaleSafirSettings, settings), ({ api_key, bot_id }): ProviderConnection => {
      const post = ({ attemptId, phone }: TextDelivery, messageData: Readonly<Record<string, unknown>>) =>
        send(
          http,
          {
            method: "POST",
            url: `${baseUrl}/send_message`,
            headers: { "api-access-key": api_key },
            body: JSON.stringify({
              // Bale does not deliver a repeat with this id again.
              request_id: attemptId,
              bot_id,
              phone_number: digitsOf(phone),
              message_data: messageData
            })
          },
          Answer,
          classify
        )
      return {
        farEnd: originOf(baseUrl),
        traits,
        sendCode: (delivery) => post(delivery, { otp_message: { otp: Redacted.value(delivery.code) } }),
        sendText: (delivery) => post(delivery, { message: { text: Redacted.value(delivery.text) } }),
        // No documented call changes nothing.
        check: null,
        deliveryReport: null,
        inbox: null
      }
    })
})
