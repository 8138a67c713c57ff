import { Effect, Option, Redacted, Result, Schema } from "effect"
import { problem } from "../../../domain/Problem.ts"
import { refusing } from "../../../domain/SchemaProblems.ts"
import { sendingSettings } from "../../../domain/account/AccountState.ts"
import { DeliveryReport } from "../../../domain/provider/DeliveryReport.ts"
import { ProviderOutcome } from "../../../domain/provider/ProviderOutcome.ts"
import { Credential, originOf, ProviderNumber, readSettings } from "../AccountSettings.ts"
import { fieldOf, firstOf, idOf, maybeAnything, maybeWords, Whole, wholeOf } from "../LenientAnswers.ts"
import { ask, instantOfSeconds, outcomeOfRefusal, providerWords, send } from "../ProviderAnswers.ts"
import type { ProviderAnswer, ProviderHttp } from "../ProviderHttp.ts"
import { NO_WARNING, numberOf } from "./AccountChecks.ts"
import {
  type AnswerTable,
  localNumber,
  orNotKnown,
  outcomeOfMeaning,
  reportOfState,
  type ReportTable,
  smsTraits
} from "./AnswerTable.ts"
import {
  AccountProblem,
  type ProviderAdapter,
  type ProviderConnection
} from "../../../services/provider/ProviderAdapter.ts"

/** Every answer; the data is read once the status is known. */
const Answer = Schema.Struct({ status: Whole, message: maybeWords, data: maybeAnything })

const SUCCESS = 1

/** The meaning of each documented status: SMS.ir's table of errors. */
const meanings: AnswerTable = {
  0: "unknown",
  1: "unknown",
  10: "configuration",
  11: "configuration",
  12: "configuration",
  13: "configuration",
  14: "configuration",
  20: "throttled",
  101: "configuration",
  102: "configuration",
  103: "request",
  104: "recipient",
  105: "request",
  106: "request",
  107: "request",
  108: "request",
  109: "request",
  110: "request",
  111: "request",
  112: "request",
  113: "configuration",
  114: "request",
  115: "recipient",
  116: "request",
  117: "request",
  118: "request",
  119: "configuration",
  123: "configuration"
}

/** The failure in an envelope. */
const failureOf = ({ status, message }: typeof Answer.Type, received: ProviderAnswer): ProviderOutcome => {
  const providerError = providerWords(status, message)
  const meaning = meanings[status]
  return meaning === undefined
    ? outcomeOfRefusal(received, providerError)
    : outcomeOfMeaning(meaning, providerError, received)
}

const isSent = ({ status }: typeof Answer.Type, received: ProviderAnswer): boolean =>
  status === SUCCESS && received.status < 300

/** A success counts even if its id cannot be read. */
const classifyCode = (answer: typeof Answer.Type, received: ProviderAnswer): ProviderOutcome =>
  isSent(answer, received)
    ? ProviderOutcome.Accepted({ messageId: idOf(fieldOf(answer.data, "messageId")) })
    : failureOf(answer, received)

/** One id per number: 0 is a blacklisted one, null a wrong number or text. */
const outcomeOfId = (id: unknown): ProviderOutcome => {
  if (id === null) {
    return ProviderOutcome.Rejected({
      blame: "recipient",
      providerError: "no message id: invalid number or text"
    })
  }
  return wholeOf(id) === 0
    ? ProviderOutcome.Rejected({ blame: "recipient", providerError: "message id 0: blacklisted number" })
    : ProviderOutcome.Accepted({ messageId: idOf(id) })
}

/** A successful pack can have failed for its only number. */
const classifyText = (answer: typeof Answer.Type, received: ProviderAnswer): ProviderOutcome =>
  isSent(answer, received)
    ? outcomeOfId(firstOf(fieldOf(answer.data, "messageIds") ?? undefined))
    : failureOf(answer, received)

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

const readReport = ({ status, data }: typeof Answer.Type): DeliveryReport => {
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
  return Effect.fail(new AccountProblem({ message, isDefinite: true }))
}

/** The data of an answer to a question. */
const dataOf = ({ status, message, data }: typeof Answer.Type): Effect.Effect<unknown, AccountProblem> => {
  if (status === SUCCESS) return Effect.succeed(data)
  const meaning = meanings[status]
  const isDefinite = meaning !== undefined && !["unknown", "throttled"].includes(meaning)
  return Effect.fail(new AccountProblem({ message: providerWords(status, message), isDefinite }))
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
export const smsirAdapter = (http: ProviderHttp["Service"], baseUrl: string): ProviderAdapter => ({
  name: "smsir",
  channels: ["sms"],
  sendingSettings: sendingSettings.smsir,
  settings: SmsirSettings,
  connect: (settings) =>
    Result.map(readSettings(SmsirSettings, settings), (account): ProviderConnection => {
      const { api_key, line_number, otp_template_id, otp_parameter = DEFAULT_PARAMETER } = account
      const headers = { "x-api-key": api_key }
      const post = (path: string, body: Readonly<Record<string, unknown>>) =>
        ({ method: "POST", url: `${baseUrl}${path}`, headers, body: JSON.stringify(body) }) as const
      const get = (path: string) => ({ method: "GET", url: `${baseUrl}${path}`, headers }) as const
      const dataAt = (path: string) =>
        Effect.flatMap(ask(http, get(path), Answer), ({ answer }) => dataOf(answer))
      const credit = Effect.map(dataAt("/credit"), numberOf)
      const checkLine = Effect.suspend(() =>
        line_number === undefined
          ? Effect.void
          : Effect.flatMap(dataAt("/line"), (lines) => requireLine(line_number, lines))
      )
      return {
        farEnd: originOf(baseUrl),
        traits: smsTraits({
          sendsCodes: otp_template_id !== undefined,
          sendsTexts: line_number !== undefined
        }),
        sendCode: ({ phone, code }) =>
          send(
            http,
            post("/send/verify", {
              mobile: localNumber(phone),
              templateId: otp_template_id,
              parameters: [{ name: otp_parameter, value: Redacted.value(code) }]
            }),
            Answer,
            classifyCode
          ),
        sendText: ({ phone, text }) =>
          send(
            http,
            post("/send/bulk", {
              lineNumber: line_number,
              messageText: Redacted.value(text),
              mobiles: [localNumber(phone)],
              sendDateTime: null
            }),
            Answer,
            classifyText
          ),
        credit,
        check: Effect.as(checkLine, NO_WARNING),
        deliveryReport: (messageId) =>
          orNotKnown(
            Effect.map(ask(http, get(`/send/${encodeURIComponent(messageId)}`), Answer), ({ answer }) =>
              readReport(answer)
            )
          ),
        inbox: null
      }
    })
})
