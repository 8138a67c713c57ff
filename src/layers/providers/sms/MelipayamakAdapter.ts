import { Effect, Redacted, Result, Schema } from "effect"
import { DeliveryReport } from "../../../domain/account/DeliveryReport.ts"
import { ProviderOutcome } from "../../../domain/account/ProviderOutcome.ts"
import type { ProviderAdapter, ProviderConnection } from "../../../services/provider/ProviderAdapter.ts"
import { Credential, originOf, ProviderNumber, readSettings } from "../AccountSettings.ts"
import { ask, outcomeOfStatus, perhaps, providerWords, send } from "../ProviderAnswers.ts"
import type { ProviderAnswer, ProviderHttp } from "../ProviderHttp.ts"
import { type AnswerTable, formPost, Line, orNotKnown, outcomeOfMeaning, problemOf } from "./AnswerTable.ts"
import { localNumber } from "./LocalNumber.ts"

const MelipayamakSettings = Schema.Struct({
  username: Credential,
  password: Credential,
  from: Schema.optionalKey(Line).annotateKey({ description: "The line that texts are sent from." }),
  otp_body_id: Schema.optionalKey(ProviderNumber).annotateKey({
    description: "The approved template that codes are sent with, over a shared line."
  })
})

/** Every answer, with HTTP 200 also where it refuses. */
const Answer = Schema.Struct({
  Value: perhaps(Schema.Union([Schema.Finite, Schema.String])),
  RetStatus: Schema.Int,
  StrRetStatus: perhaps(Schema.String)
})
type Answer = typeof Answer.Type

/** What `Value` means where it is no message id, for both kinds. */
const common: AnswerTable = {
  0: "configuration",
  2: "configuration",
  6: "unavailable",
  7: "request",
  10: "configuration",
  11: "unknown",
  12: "configuration",
  16: "recipient",
  17: "request",
  18: "recipient",
  35: "recipient",
  108: "configuration",
  109: "configuration",
  110: "configuration"
}
const codeMeanings: AnswerTable = {
  ...common,
  [-1]: "configuration",
  [-2]: "request",
  [-3]: "configuration",
  [-4]: "configuration",
  [-5]: "configuration",
  [-6]: "unknown",
  [-7]: "configuration",
  [-10]: "request"
}
const textMeanings: AnswerTable = {
  ...common,
  3: "throttled",
  4: "throttled",
  5: "configuration",
  9: "configuration",
  14: "request",
  15: "request"
}

const OK = 1
const INVALID_DATA = 35
const MESSAGE_ID = /^[1-9]\d{14,}$/

const valueOf = ({ Value }: Answer): string => String(Value ?? "").trim()
const wordsOf = (answer: Answer): string => providerWords(valueOf(answer), answer.StrRetStatus)

const classifyBy =
  (meanings: AnswerTable) =>
  (answer: Answer, received: ProviderAnswer): ProviderOutcome => {
    const value = valueOf(answer)
    if (received.status >= 300) return outcomeOfStatus(received)
    if (answer.RetStatus === OK && MESSAGE_ID.test(value)) {
      return ProviderOutcome.Accepted({ messageId: value })
    }
    const isInvalidData = answer.RetStatus === INVALID_DATA && ["", "0"].includes(value)
    const meaning = isInvalidData ? "request" : (meanings[value] ?? "unknown")
    return outcomeOfMeaning(meaning, wordsOf(answer), received)
  }

const DELIVERED = "1"
const underWay = ["0", "8", "200", "400"]
const undelivered: Readonly<Record<string, string>> = {
  2: "2 did not reach the handset",
  3: "3 operator error",
  16: "16 did not reach the operator",
  35: "35 blacklisted",
  300: "300 filtered",
  500: "500 not accepted"
}

const readReport = (answer: Answer): DeliveryReport => {
  const value = valueOf(answer)
  const providerError = undelivered[value]
  if (answer.RetStatus !== OK) return DeliveryReport.NotKnown({ reason: wordsOf(answer) })
  if (value === DELIVERED) return DeliveryReport.Delivered({ at: null })
  if (underWay.includes(value)) return DeliveryReport.InProgress()
  return providerError === undefined
    ? DeliveryReport.NotKnown({ reason: wordsOf(answer) })
    : DeliveryReport.Undelivered({ providerError })
}

/** SMS over Melipayamak: codes by a template, texts from a line. Source: melipayamak.com/api, and its SDKs. */
export const melipayamakAdapter = (http: ProviderHttp["Service"], baseUrl: string): ProviderAdapter => ({
  name: "melipayamak",
  channels: ["sms"],
  sendingSettings: { codes: "otp_body_id", texts: "from" },
  settings: MelipayamakSettings,
  connect: (settings) =>
    Result.map(readSettings(MelipayamakSettings, settings), (account): ProviderConnection => {
      const { username, password, from, otp_body_id } = account
      const to = (method: string, fields: Readonly<Record<string, string>>) =>
        formPost(`${baseUrl}/SendSMS/${method}`, { username, password, ...fields })
      return {
        farEnd: originOf(baseUrl),
        traits: {
          sendsCodes: otp_body_id !== undefined,
          sendsTexts: from !== undefined,
          deduplicatesCodes: false,
          deduplicatesTexts: false,
          reportsDelivery: true,
          needsContact: false,
          cooldownByKind: true
        },
        sendCode: ({ phone, code }) => {
          const fields = { to: localNumber(phone), bodyId: String(otp_body_id), text: Redacted.value(code) }
          return send(http, to("BaseServiceNumber", fields), Answer, classifyBy(codeMeanings))
        },
        sendText: ({ phone, text }) => {
          const message = { to: localNumber(phone), from: from ?? "", text: Redacted.value(text) }
          return send(http, to("SendSMS", { ...message, isFlash: "false" }), Answer, classifyBy(textMeanings))
        },
        // It is sent nothing but the credentials: invalid data are wrong ones.
        check: Effect.flatMap(ask(http, to("GetCredit", {}), Answer), ({ answer }) =>
          answer.RetStatus === OK
            ? Effect.succeed(`credit ${valueOf(answer)}`)
            : Effect.fail(
                problemOf(
                  wordsOf(answer),
                  answer.RetStatus === INVALID_DATA ? "configuration" : common[valueOf(answer)]
                )
              )
        ),
        deliveryReport: (recId) =>
          orNotKnown(
            Effect.map(ask(http, to("GetDeliveries2", { recId }), Answer), ({ answer }) => readReport(answer))
          ),
        inbox: null
      }
    })
})
