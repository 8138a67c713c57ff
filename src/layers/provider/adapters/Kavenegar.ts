import { Effect, Redacted, Schema } from "effect"
import { createHash } from "node:crypto"
import { DeliveryReport, type ProviderOutcome } from "../../../domain/ProviderOutcome.ts"
import { Credential } from "../AccountSettings.ts"
import {
  fieldOf,
  firstOf,
  idOf,
  maybeAnything,
  maybeWords,
  Whole,
  wholeOf,
  wordsIn
} from "../LenientResponses.ts"
import { query, outcomeOfRefusal, providerWords, send } from "../ProviderResponses.ts"
import type { ProviderResponse, ProviderHttp } from "../ProviderHttp.ts"
import {
  accepted,
  type ResponseTable,
  byCode,
  connectionTo,
  formPost,
  Line,
  localNumber
} from "./AdapterKit.ts"
import { creditIn, NO_WARNING, problemOf } from "./AdapterKit.ts"
import {
  optionalWord,
  outcomeOfMeaning,
  rejected,
  smsAndVoiceAdapter,
  smsTraits,
  unknown
} from "./AdapterKit.ts"
import type { AccountProblem, ProviderAdapter } from "../../../services/provider/ProviderAdapter.ts"

/** Every answer; its entries, an array or one object, are read once the status is known. */
const ResponseBody = Schema.Struct({
  return: Schema.Struct({ status: Whole, message: maybeWords }),
  entries: maybeAnything
})
type ResponseBody = typeof ResponseBody.Type

const readEntry = (entries: unknown) => {
  const entry = firstOf(entries)
  return {
    messageId: idOf(fieldOf(entry, "messageid")),
    status: wholeOf(fieldOf(entry, "status")),
    statusText: wordsIn(fieldOf(entry, "statustext"))
  }
}

const OK = 200

/** The meanings of `return.status`. They are not those of HTTP: 429 is a forbidden address and 501 test mode. */
const meanings: ResponseTable = byCode({
  configuration: [401, 403, 404, 405, 407, 412, 416, 418, 424, 426, 427, 429, 432, 501, 607],
  recipient: [411],
  request: [400, 406, 413, 414, 415, 417, 419, 420, 422, 428, 431],
  throttled: [451],
  unknown: [402, 409]
})

const wordsOf = ({ return: { status, message } }: ResponseBody): string => providerWords(status, message)

/** The recipient refuses advertising on this line. */
const BLOCKED = 14

const outcomeOfEntry = (entries: unknown): ProviderOutcome => {
  const { messageId, status, statusText } = readEntry(entries)
  return status === BLOCKED ? rejected("recipient", providerWords(BLOCKED, statusText)) : accepted(messageId)
}

/** The status in the body goes before HTTP's, which repeats it. */
const classify = (response: ResponseBody, received: ProviderResponse): ProviderOutcome => {
  const { status } = response.return
  if (status === OK) {
    return received.status < 300 ? outcomeOfEntry(response.entries) : unknown(wordsOf(response))
  }
  const meaning = meanings[status]
  return meaning === undefined
    ? outcomeOfRefusal(received, wordsOf(response))
    : outcomeOfMeaning(meaning, wordsOf(response), received)
}

const DELIVERED = 10
const undelivered = [6, 11, 13, BLOCKED]
const UNKNOWN_ID = 100

const readReport = (response: ResponseBody): DeliveryReport => {
  const entry = firstOf(response.entries)
  if (response.return.status !== OK || typeof entry !== "object" || entry === null) {
    return DeliveryReport.NotKnown({ reason: wordsOf(response) })
  }
  const { status, statusText } = readEntry(entry)
  if (status === UNKNOWN_ID) return DeliveryReport.NotKnown({ reason: "100 unknown id" })
  if (status === DELIVERED) return DeliveryReport.Delivered({ at: null })
  return status !== null && undelivered.includes(status)
    ? DeliveryReport.Undelivered({ providerError: providerWords(status, statusText) })
    : DeliveryReport.InProgress()
}

/** Reads the credit from a response about the account. */
const readCredit = (response: ResponseBody): Effect.Effect<number, AccountProblem> =>
  response.return.status === OK
    ? Effect.succeed(creditIn("remaincredit")(firstOf(response.entries)))
    : Effect.fail(problemOf(wordsOf(response), meanings[response.return.status]))

const KavenegarSettings = Schema.Struct({
  api_key: Credential,
  sender: Schema.optionalKey(Line).annotateKey({
    description: "The line that texts are sent from; if absent, the one that the panel chose."
  }),
  otp_template: optionalWord("The name of the template that codes are sent with."),
  otp_token: Schema.optionalKey(
    Schema.Literals(["token", "token2", "token3", "token10", "token20"])
  ).annotateKey({ description: "The template's variable that takes the code; token by default." })
})

/** The attempt's id as Kavenegar has ids: a positive integer of 63 bits. A text with one that it knows is not sent again. */
const localIdOf = (attemptId: string): string =>
  String(createHash("sha256").update(attemptId).digest().readBigUInt64BE() >> 1n)

/**
 * Kavenegar: SMS, with codes by a template and texts from a line; and calls, which read the template or else the text.
 * Source: kavenegar.com/rest.html, and its SDKs.
 */
export const kavenegarAdapter = (http: ProviderHttp["Service"], baseUrl: string): ProviderAdapter =>
  smsAndVoiceAdapter("kavenegar", KavenegarSettings, (account, calls) => {
    const { api_key, sender, otp_template, otp_token = "token" } = account
    const to = (method: string, fields: Readonly<Record<string, string>>) =>
      formPost(`${baseUrl}/${encodeURIComponent(api_key)}/${method}.json`, fields)
    return connectionTo(baseUrl, {
      traits: calls
        ? smsTraits({ sendsTexts: false })
        : smsTraits({ sendsCodes: otp_template !== undefined, deduplicatesTexts: true }),
      sendCode: ({ phone, code, text }) => {
        const receptor = localNumber(phone)
        if (calls && otp_template === undefined) {
          const spoken = { receptor, message: Redacted.value(text) }
          return send(http, to("call/maketts", spoken), ResponseBody, classify)
        }
        // Kavenegar demands `token`, whichever the template shows.
        const tokens = { token: Redacted.value(code), [otp_token]: Redacted.value(code) }
        const fields = {
          receptor,
          template: otp_template ?? "",
          ...tokens,
          ...(calls && { type: "call" })
        }
        return send(http, to("verify/lookup", fields), ResponseBody, classify)
      },
      sendText: ({ phone, text, attemptId }) => {
        const fields = {
          receptor: localNumber(phone),
          message: Redacted.value(text),
          localid: localIdOf(attemptId),
          ...(sender !== undefined && { sender })
        }
        return send(http, to("sms/send", fields), ResponseBody, classify)
      },
      credit: Effect.flatMap(query(http, to("account/info", {}), ResponseBody), ({ response }) =>
        readCredit(response)
      ),
      check: Effect.succeed(NO_WARNING),
      deliveryReport: (messageid) =>
        Effect.map(query(http, to("sms/status", { messageid }), ResponseBody), ({ response }) =>
          readReport(response)
        )
    })
  })
