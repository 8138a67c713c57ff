import { Effect, Option, Redacted, Schema } from "effect"
import type { Phone } from "../../../domain/Phone.ts"
import { problem } from "../../../domain/Problem.ts"
import { refusing } from "../../../domain/SchemaProblems.ts"
import {
  type RejectionCause,
  DeliveryReport,
  inWords,
  type ProviderOutcome
} from "../../../domain/ProviderOutcome.ts"
import { Credential } from "../AccountSettings.ts"
import { fieldOf, firstOf, idOf, maybeAnything, maybeWords, YesOrNo } from "../LenientResponses.ts"
import { outcomeOfRefusal, outcomeOfStatus, ownValue, perhaps, providerWords } from "../ProviderResponses.ts"
import type { ProviderResponse, ProviderHttp } from "../ProviderHttp.ts"
import {
  accepted,
  connectionTo,
  jsonCalls,
  optionalWord,
  rejected,
  smsAndVoiceAdapter,
  smsTraits
} from "./AdapterKit.ts"
import { askAbout, creditIn, problemWith, requireVariable, warnOfLine } from "./AdapterKit.ts"
import type { AccountProblem, ProviderAdapter } from "../../../services/provider/ProviderAdapter.ts"

/** A line's number in E.164. */
const InternationalLine = Schema.String.check(
  Schema.isPattern(/^\+98\d{3,13}$/, refusing(problem("setting_not_iranian")))
)

const Meta = Schema.Struct({
  status: YesOrNo,
  message: maybeWords,
  message_code: maybeWords,
  errors: maybeAnything
})
const ResponseBody = Schema.Struct({ meta: Meta, data: maybeAnything })
type ResponseBody = typeof ResponseBody.Type

const wordsOf = ({ meta }: ResponseBody): string => providerWords(meta.message_code, meta.message)

/** The outcome that each field of a 422 stands for. */
const causeOf = (errors: unknown): RejectionCause => {
  const fields = Object.keys(Object(errors))
  if (fields.some((field) => /recipient/.test(field))) return "recipient"
  return fields.some((field) => ["code", "from_number"].includes(field)) ? "configuration" : "request"
}

const INVALID = 422

const classify = (response: ResponseBody, received: ProviderResponse): ProviderOutcome => {
  const { meta, data } = response
  if (meta.status) {
    return received.status < 300
      ? accepted(idOf(firstOf(fieldOf(data, "message_outbox_ids"))))
      : inWords(outcomeOfStatus(received), () => wordsOf(response))
  }
  return received.status === INVALID
    ? rejected(causeOf(meta.errors), wordsOf(response))
    : outcomeOfRefusal(received, wordsOf(response), causeOf(meta.errors))
}

const undelivered: Readonly<Record<string, string>> = { 3: "3 not delivered", 4: "4 blacklisted" }
/** Accepted does not mean sent: a person at IPPanel may reject it, and the credit may be too low. */
const failedStates: Readonly<Record<string, string>> = {
  3: "state 3 rejected",
  4: "state 4 wrong recipients",
  7: "state 7 canceled",
  8: "state 8 no credit",
  9: "state 9 system error"
}

/** The report of a message whose recipients have no final state. */
const reportOfBulk = (response: ResponseBody): DeliveryReport => {
  if (!response.meta.status) return DeliveryReport.NotKnown({ reason: wordsOf(response) })
  const providerError = ownValue(failedStates, String(fieldOf(response.data, "state_id")))
  return providerError === undefined
    ? DeliveryReport.InProgress()
    : DeliveryReport.Undelivered({ providerError })
}

/** The report of the message's only recipient; undefined if that has no final state, or is refused. */
const reportOfRecipient = (response: ResponseBody): DeliveryReport | undefined => {
  if (!response.meta.status) return undefined
  const status = String(fieldOf(firstOf(response.data), "message_status"))
  if (status === "2") return DeliveryReport.Delivered({ at: null })
  const providerError = ownValue(undelivered, status)
  return providerError === undefined ? undefined : DeliveryReport.Undelivered({ providerError })
}

/** The data of a response to a question that changes nothing. */
const dataOf = (received: {
  readonly response: ResponseBody
  readonly status: number
}): Effect.Effect<unknown, AccountProblem> =>
  received.response.meta.status && received.status < 300
    ? Effect.succeed(received.response.data)
    : Effect.fail(problemWith(wordsOf(received.response), [401, 403, 404, INVALID].includes(received.status)))

const Lines = Schema.Array(Schema.Struct({ number: Schema.String }))
const decodeLines = Schema.decodeUnknownOption(Lines)
/** Empty if there are none, or if they cannot be read. */
const linesIn = (data: unknown): ReadonlyArray<string> =>
  Option.getOrElse(decodeLines(data), () => []).map(({ number }) => number)

const Pattern = Schema.Struct({
  pattern_status: perhaps(Schema.String),
  variable: Schema.Array(Schema.Struct({ name: Schema.String }))
})
const decodePattern = Schema.decodeUnknownOption(Pattern)

/** Fails if the pattern is not approved, or lacks the variable; one that cannot be read may be right. */
const requirePattern = Effect.fnUntraced(function* (code: string, variable: string, data: unknown) {
  const pattern = decodePattern(data)
  if (pattern._tag === "None") return
  const { pattern_status: state, variable: variables } = pattern.value
  if (typeof state === "string" && state !== "active") {
    return yield* problemWith(`pattern ${code} is ${state}`, true)
  }
  yield* requireVariable(
    `pattern ${code}`,
    variable,
    variables.map(({ name }) => name)
  )
})

const IppanelSettings = Schema.Struct({
  api_key: Credential,
  from_number: Schema.optionalKey(InternationalLine).annotateKey({
    description: "The line that codes and texts are sent from: +98 and digits."
  }),
  otp_pattern: optionalWord("The pattern that codes are sent with."),
  otp_parameter: optionalWord("The pattern's variable that takes the code; code by default.")
})

/**
 * IPPanel's Edge: SMS, with codes by a pattern and texts from a line; and calls, which read the digits of a code.
 * Source: ippanelcom.github.io/Edge-Document.
 */
export const ippanelAdapter = (http: ProviderHttp["Service"], baseUrl: string): ProviderAdapter =>
  smsAndVoiceAdapter("ippanel", IppanelSettings, (account, isVoice) => {
    const { api_key, from_number, otp_pattern, otp_parameter = "code" } = account
    const calls = jsonCalls(http, `${baseUrl}/api`, { authorization: api_key }, ResponseBody)
    const post = (message: Readonly<Record<string, unknown>>) => calls.send("/send", message, classify)
    const callWith = (phone: Phone, code: string) =>
      post({ sending_type: "votp", message: code, params: { recipients: [phone] } })
    const dataAt = (path: string) => Effect.flatMap(calls.query(path), dataOf)
    const checkPattern = Effect.suspend(() =>
      otp_pattern === undefined
        ? Effect.void
        : Effect.flatMap(
            askAbout(`pattern ${otp_pattern}`, dataAt(`/patterns/${encodeURIComponent(otp_pattern)}`)),
            (data) => requirePattern(otp_pattern, otp_parameter, data)
          )
    )
    const lines = Effect.map(dataAt("/number/numbers?page=1&per_page=100"), linesIn)
    return connectionTo(baseUrl, {
      traits: isVoice
        ? smsTraits({ sendsTexts: false })
        : smsTraits({
            sendsCodes: otp_pattern !== undefined && from_number !== undefined,
            sendsTexts: from_number !== undefined
          }),
      sendCode: ({ phone, code }) =>
        isVoice
          ? callWith(phone, Redacted.value(code))
          : post({
              sending_type: "pattern",
              code: otp_pattern,
              recipients: [phone],
              params: { [otp_parameter]: Redacted.value(code) },
              from_number
            }),
      sendText: ({ phone, text }) =>
        post({
          sending_type: "webservice",
          message: Redacted.value(text),
          params: { recipients: [phone] },
          from_number
        }),
      credit: Effect.map(dataAt("/payment/credit/mine"), creditIn("credit")),
      check: Effect.tap(warnOfLine(from_number, lines), checkPattern),
      deliveryReport: Effect.fnUntraced(function* (messageId) {
        const id = encodeURIComponent(messageId)
        // IPPanel can refuse this question, or not know the path, if the message was never sent: its bulk shows why.
        const report = yield* calls.query(`/report/recipients?bulk_id=${id}&page=1&per_page=10`).pipe(
          Effect.map(({ response }) => reportOfRecipient(response)),
          Effect.catch(() => Effect.undefined)
        )
        if (report !== undefined) return report
        return reportOfBulk((yield* calls.query(`/report/by_bulk?messages_outbox_id=${id}`)).response)
      })
    })
  })
