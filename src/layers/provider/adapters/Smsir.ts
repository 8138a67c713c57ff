import { Effect, Option, Redacted, Schema } from "effect"
import { problem } from "../../../domain/Problem.ts"
import { refusing } from "../../../domain/SchemaProblems.ts"
import { DeliveryReport, type ProviderOutcome } from "../../../domain/ProviderOutcome.ts"
import { Credential, ProviderNumber } from "../AccountSettings.ts"
import { fieldOf, firstOf, idOf, maybeAnything, maybeWords, Whole, wholeOf } from "../LenientResponses.ts"
import { instantOfSeconds, outcomeOfRefusal, providerWords } from "../ProviderResponses.ts"
import type { ProviderResponse, ProviderHttp } from "../ProviderHttp.ts"
import { accepted, type ResponseTable, byCode, connectionTo, jsonCalls, localNumber } from "./AdapterKit.ts"
import { NO_WARNING, numberOf, outcomeOfMeaning, problemWith, rejected, reportOfState } from "./AdapterKit.ts"
import { type ReportTable, smsAdapter, smsTraits } from "./AdapterKit.ts"
import type { AccountProblem, ProviderAdapter } from "../../../services/provider/ProviderAdapter.ts"

/** Every answer; the data is read once the status is known. */
const ResponseBody = Schema.Struct({ status: Whole, message: maybeWords, data: maybeAnything })

const SUCCESS = 1

/** The meaning of each documented status: SMS.ir's table of errors. */
const meanings: ResponseTable = byCode({
  configuration: [10, 11, 12, 13, 14, 101, 102, 113, 119, 123],
  recipient: [104, 115],
  request: [103, 105, 106, 107, 108, 109, 110, 111, 112, 114, 116, 117, 118],
  throttled: [20],
  unknown: [0, 1]
})

/** The failure in an envelope. */
const failureOf = (
  { status, message }: typeof ResponseBody.Type,
  received: ProviderResponse
): ProviderOutcome => {
  const providerError = providerWords(status, message)
  const meaning = meanings[status]
  return meaning === undefined
    ? outcomeOfRefusal(received, providerError)
    : outcomeOfMeaning(meaning, providerError, received)
}

const isSent = ({ status }: typeof ResponseBody.Type, received: ProviderResponse): boolean =>
  status === SUCCESS && received.status < 300

/** A success counts even if its id cannot be read. */
const classifyCode = (response: typeof ResponseBody.Type, received: ProviderResponse): ProviderOutcome =>
  isSent(response, received)
    ? accepted(idOf(fieldOf(response.data, "messageId")))
    : failureOf(response, received)

/** One id per number: 0 is a blacklisted one, null a wrong number or text. */
const outcomeOfId = (id: unknown): ProviderOutcome => {
  if (id === null) return rejected("recipient", "no message id: invalid number or text")
  return wholeOf(id) === 0 ? rejected("recipient", "message id 0: blacklisted number") : accepted(idOf(id))
}

/** A successful pack can have failed for its only number. */
const classifyText = (response: typeof ResponseBody.Type, received: ProviderResponse): ProviderOutcome =>
  isSent(response, received)
    ? outcomeOfId(firstOf(fieldOf(response.data, "messageIds") ?? undefined))
    : failureOf(response, received)

const states: ReportTable = {
  delivered: 1,
  inProgress: "others",
  undelivered: {
    2: "2 did not reach the handset",
    4: "4 did not reach the operator",
    6: "6 error",
    7: "7 blacklisted"
  }
}

const readReport = ({ status, data }: typeof ResponseBody.Type): DeliveryReport => {
  if (status !== SUCCESS) return DeliveryReport.NotKnown({ reason: `status ${status}` })
  const state = wholeOf(fieldOf(data, "deliveryState")) ?? 0
  return reportOfState(states, state, `state ${state}`, instantOfSeconds(fieldOf(data, "deliveryDateTime")))
}

const readLines = Schema.decodeUnknownOption(Schema.Array(Schema.Union([Schema.Finite, Schema.String])))

/** Fails if the account has lines, and this is none of them. */
const requireLine = (line: number, data: unknown): Effect.Effect<void, AccountProblem> => {
  const lines = Option.getOrElse(readLines(data), () => []).map(String)
  if (lines.length === 0 || lines.includes(String(line))) return Effect.void
  const message = `line ${line} is not one of the account's: ${lines.join(", ")}`
  return Effect.fail(problemWith(message, true))
}

/** The data of a response to a question. */
const dataOf = ({
  status,
  message,
  data
}: typeof ResponseBody.Type): Effect.Effect<unknown, AccountProblem> => {
  if (status === SUCCESS) return Effect.succeed(data)
  const meaning = meanings[status]
  const isDefinite = meaning !== undefined && !["unknown", "throttled"].includes(meaning)
  return Effect.fail(problemWith(providerWords(status, message), isDefinite))
}

const DEFAULT_PARAMETER = "CODE"

const SmsirSettings = Schema.Struct({
  api_key: Credential,
  line_number: Schema.optionalKey(ProviderNumber).annotateKey({
    description: "The line that texts are sent from."
  }),
  otp_template_id: Schema.optionalKey(ProviderNumber).annotateKey({
    description: "The template that codes are sent with."
  }),
  otp_parameter: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^[^\s#]{1,50}$/, refusing(problem("setting_has_hash", { minimum: 1, maximum: 50 })))
    )
  ).annotateKey({
    description: "The template's parameter for the code, without the # marks; CODE by default."
  })
})

/** SMS over sms.ir: codes by a template, texts from a line. Source: sms.ir/rest-api, and its SDKs. */
export const smsirAdapter = (http: ProviderHttp["Service"], baseUrl: string): ProviderAdapter =>
  smsAdapter("smsir", SmsirSettings, (account) => {
    const { api_key, line_number, otp_template_id, otp_parameter = DEFAULT_PARAMETER } = account
    const calls = jsonCalls(http, baseUrl, { "x-api-key": api_key }, ResponseBody)
    const dataAt = (path: string) => Effect.flatMap(calls.query(path), ({ response }) => dataOf(response))
    const checkLine = Effect.suspend(() =>
      line_number === undefined
        ? Effect.void
        : Effect.flatMap(dataAt("/line"), (lines) => requireLine(line_number, lines))
    )
    return connectionTo(baseUrl, {
      traits: smsTraits({
        sendsCodes: otp_template_id !== undefined,
        sendsTexts: line_number !== undefined
      }),
      sendCode: ({ phone, code }) => {
        const parameters = [{ name: otp_parameter, value: Redacted.value(code) }]
        const body = { mobile: localNumber(phone), templateId: otp_template_id, parameters }
        return calls.send("/send/verify", body, classifyCode)
      },
      sendText: ({ phone, text }) => {
        const message = { lineNumber: line_number, messageText: Redacted.value(text) }
        const body = { ...message, mobiles: [localNumber(phone)], sendDateTime: null }
        return calls.send("/send/bulk", body, classifyText)
      },
      credit: Effect.map(dataAt("/credit"), numberOf),
      check: Effect.as(checkLine, NO_WARNING),
      deliveryReport: (messageId) =>
        Effect.map(calls.query(`/send/${encodeURIComponent(messageId)}`), ({ response }) =>
          readReport(response)
        )
    })
  })
