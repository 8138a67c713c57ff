import { Effect, Option, Redacted, Result, Schema } from "effect"
import { DeliveryReport } from "../../../domain/account/DeliveryReport.ts"
import { type Blame, inWords, ProviderOutcome } from "../../../domain/account/ProviderOutcome.ts"
import {
  AccountProblem,
  type ProviderAdapter,
  type ProviderConnection
} from "../../../services/provider/ProviderAdapter.ts"
import { Credential, ProviderNumber, originOf, readSettings } from "../AccountSettings.ts"
import { ask, outcomeOfStatus, perhaps, providerWords, send } from "../ProviderAnswers.ts"
import type { ProviderAnswer, ProviderHttp } from "../ProviderHttp.ts"
import { localNumber } from "./LocalNumber.ts"

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
      Schema.isPattern(/^[^\s#]{1,50}$/, { message: "must be 1 to 50 characters without spaces or #" })
    )
  ).annotateKey({
    description: "The template's parameter for the code, without the # marks; CODE by default."
  })
})

const envelopeOf = <Data extends Schema.Top>(data: Data) =>
  Schema.Struct({
    status: Schema.Int,
    message: perhaps(Schema.String),
    data: perhaps(data)
  })

/** For sends: the data is parsed once the status is known, because a failure can have any data. */
const Answer = envelopeOf(Schema.Unknown)
const VerifyData = Schema.Struct({ messageId: Schema.Int })
/** One id per number: 0 is blacklisted, null is a wrong number or text. */
const BulkData = Schema.Struct({ messageIds: Schema.Tuple([Schema.NullOr(Schema.Int)]) })

const SUCCESS = 1
const SYSTEM_PROBLEM = 0
const TOO_MANY_REQUESTS = 20

/** What each documented status blames: SMS.ir's table of errors. */
const blames: Readonly<Record<number, Blame>> = {
  10: "configuration",
  11: "configuration",
  12: "configuration",
  13: "configuration",
  14: "configuration",
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
  const { retryAfterMillis } = received
  if (status === TOO_MANY_REQUESTS) return ProviderOutcome.Throttled({ retryAfterMillis, providerError })
  const blame = blames[status]
  if (blame !== undefined) return ProviderOutcome.Rejected({ blame, providerError })
  if (status === SYSTEM_PROBLEM || status === SUCCESS) return ProviderOutcome.Unknown({ providerError })
  return inWords(outcomeOfStatus(received), () => providerError)
}

const isSuccess = ({ status }: typeof Answer.Type, received: ProviderAnswer): boolean =>
  status === SUCCESS && received.status < 300

const readVerifyData = Schema.decodeUnknownOption(VerifyData)
const readBulkData = Schema.decodeUnknownOption(BulkData)

/** A success counts even if its id cannot be read. */
const classifyCode = (answer: typeof Answer.Type, received: ProviderAnswer): ProviderOutcome =>
  isSuccess(answer, received)
    ? ProviderOutcome.Accepted({
        messageId: Option.match(readVerifyData(answer.data), {
          onNone: () => null,
          onSome: ({ messageId }) => String(messageId)
        })
      })
    : failureOf(answer, received)

const outcomeOfId = (id: number | null): ProviderOutcome => {
  if (id === null) {
    return ProviderOutcome.Rejected({
      blame: "recipient",
      providerError: "no message id: invalid number or text"
    })
  }
  return id === 0
    ? ProviderOutcome.Rejected({ blame: "recipient", providerError: "message id 0: blacklisted number" })
    : ProviderOutcome.Accepted({ messageId: String(id) })
}

/** A successful pack can have failed for its only number. */
const classifyText = (answer: typeof Answer.Type, received: ProviderAnswer): ProviderOutcome =>
  isSuccess(answer, received)
    ? Option.match(readBulkData(answer.data), {
        onNone: () => ProviderOutcome.Unknown({ providerError: "success without message ids" }),
        onSome: ({ messageIds: [id] }) => outcomeOfId(id)
      })
    : failureOf(answer, received)

const Credit = envelopeOf(Schema.Union([Schema.Finite, Schema.String]))
const Report = envelopeOf(
  Schema.Struct({
    deliveryState: perhaps(Schema.Int),
    // Unix seconds; a time in another form does not make the state unreadable.
    deliveryDateTime: Schema.optionalKey(Schema.Unknown)
  })
)

const DELIVERED = 1
/** A larger number is in another unit. */
const MAX_UNIX_SECONDS = 1e11
const undelivered: Readonly<Record<number, string>> = {
  2: "2 did not reach the handset",
  4: "4 did not reach the operator",
  6: "6 error",
  7: "7 blacklisted"
}

/** States 3 and 5 (and none yet) are still in progress; times are Unix seconds. */
const readReport = ({ status, data }: typeof Report.Type): DeliveryReport => {
  if (status !== SUCCESS) return DeliveryReport.NotKnown({ reason: `status ${status}` })
  const state = data?.deliveryState ?? 0
  const at = data?.deliveryDateTime
  const isTime = typeof at === "number" && Number.isInteger(at) && at > 0 && at < MAX_UNIX_SECONDS
  if (state === DELIVERED) return DeliveryReport.Delivered({ at: isTime ? at * 1000 : null })
  const providerError = undelivered[state]
  return providerError === undefined
    ? DeliveryReport.InProgress()
    : DeliveryReport.Undelivered({ providerError })
}

/** SMS over sms.ir: codes by a template, texts from a line. Source: sms.ir/rest-api, and its SDKs. */
export const smsirAdapter = (http: ProviderHttp["Service"], baseUrl: string): ProviderAdapter => ({
  name: "smsir",
  channels: ["sms"],
  sendingSettings: { codes: "otp_template_id", texts: "line_number" },
  settings: SmsirSettings,
  connect: (settings) =>
    Result.map(readSettings(SmsirSettings, settings), (account): ProviderConnection => {
      const { api_key, line_number, otp_template_id, otp_parameter = DEFAULT_PARAMETER } = account
      const headers = { "x-api-key": api_key }
      const post = (path: string, body: Readonly<Record<string, unknown>>) =>
        ({ method: "POST", url: `${baseUrl}${path}`, headers, body: JSON.stringify(body) }) as const
      const get = (path: string) => ({ method: "GET", url: `${baseUrl}${path}`, headers }) as const
      return {
        farEnd: originOf(baseUrl),
        traits: {
          sendsCodes: otp_template_id !== undefined,
          sendsTexts: line_number !== undefined,
          deduplicatesCodes: false,
          deduplicatesTexts: false,
          reportsDelivery: true,
          needsContact: false,
          cooldownByKind: true
        },
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
        check: Effect.flatMap(ask(http, get("/credit"), Credit), ({ answer }) =>
          answer.status === SUCCESS
            ? Effect.succeed(`credit ${answer.data ?? "unknown"}`)
            : Effect.fail(
                new AccountProblem({
                  message: providerWords(answer.status, answer.message),
                  isDefinite: blames[answer.status] !== undefined
                })
              )
        ),
        deliveryReport: (messageId) =>
          ask(http, get(`/send/${encodeURIComponent(messageId)}`), Report).pipe(
            Effect.map(({ answer }) => readReport(answer)),
            Effect.catch(({ message }) => Effect.succeed(DeliveryReport.NotKnown({ reason: message })))
          ),
        inbox: null
      }
    })
})
