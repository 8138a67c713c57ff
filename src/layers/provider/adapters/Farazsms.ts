import { Effect, Option, Redacted, Result, Schema } from "effect"
import { sendingSettings } from "../../../domain/account/AccountState.ts"
import { ProviderOutcome } from "../../../domain/provider/ProviderOutcome.ts"
import { Credential, originOf, readSettings } from "../AccountSettings.ts"
import { maybeAnything, maybeWords, YesOrNo } from "../LenientAnswers.ts"
import { ask, outcomeOfRefusal, providerWords, send } from "../ProviderAnswers.ts"
import type { ProviderAnswer, ProviderHttp } from "../ProviderHttp.ts"
import { askAbout, creditIn, NO_WARNING, numberOf, requireVariable } from "./AccountChecks.ts"
import { isWord, Line, localNumber, smsTraits } from "./AnswerTable.ts"
import {
  AccountProblem,
  type ProviderAdapter,
  type ProviderConnection
} from "../../../services/provider/ProviderAdapter.ts"

const FarazsmsSettings = Schema.Struct({
  api_key: Credential,
  line_number: Schema.optionalKey(Line).annotateKey({
    description:
      "The line that texts and codes are sent from; if absent, codes leave from a line that all share."
  }),
  otp_pattern: Schema.optionalKey(Schema.String.check(isWord)).annotateKey({
    description: "The pattern that codes are sent with."
  }),
  otp_parameter: Schema.optionalKey(Schema.String.check(isWord)).annotateKey({
    description: "The pattern's variable that takes the code; code by default."
  })
})

const SHARED_LINE = "90008361"

const Answer = Schema.Struct({
  status: YesOrNo,
  data: maybeAnything,
  code: maybeWords,
  message: maybeWords,
  messages: maybeWords
})
type Answer = typeof Answer.Type

const wordsOf = ({ code, message, messages }: Answer): string => providerWords(code, message ?? messages)

/** No response has a message id, so there are no delivery reports. */
const classify = (answer: Answer, received: ProviderAnswer): ProviderOutcome => {
  // No list of errors is published: the HTTP status decides.
  if (!answer.status) return outcomeOfRefusal(received, wordsOf(answer))
  return received.status < 300
    ? ProviderOutcome.Accepted({ messageId: null })
    : ProviderOutcome.Unknown({ providerError: wordsOf(answer) })
}

const Variables = Schema.Struct({ vars: Schema.Array(Schema.Struct({ var: Schema.String })) })
const readVariables = Schema.decodeUnknownOption(Variables)

/** The amount itself, or an object that has it. */
const readCredit = (data: unknown): number =>
  typeof data === "object" ? creditIn("balanceAmount", "balance_amount")(data) : numberOf(data)

/** The data of a call that changes nothing. */
const makeGet = (http: ProviderHttp["Service"], baseUrl: string, headers: Readonly<Record<string, string>>) =>
  Effect.fnUntraced(function* (path: string) {
    const { answer, status } = yield* ask(http, { method: "GET", url: `${baseUrl}${path}`, headers }, Answer)
    if (answer.status && status < 300) return answer.data
    const isDefinite = !answer.status && status < 500 && status !== 429
    return yield* new AccountProblem({ message: wordsOf(answer), isDefinite })
  })

/** SMS over FarazSMS (IranPayamak): codes by a pattern, texts from a line. Source: docs.farazsms.com. */
export const farazsmsAdapter = (http: ProviderHttp["Service"], baseUrl: string): ProviderAdapter => ({
  name: "farazsms",
  channels: ["sms"],
  settings: FarazsmsSettings,
  sendingSettings: sendingSettings.farazsms,
  connect: (settings) =>
    Result.map(readSettings(FarazsmsSettings, settings), (account): ProviderConnection => {
      const { api_key, line_number, otp_pattern, otp_parameter = "code" } = account
      const headers = { "api-key": api_key }
      const get = makeGet(http, baseUrl, headers)
      const post = (kind: string, message: Readonly<Record<string, unknown>>) => {
        // Without this, the digits of a code arrive as Persian digits.
        const body = JSON.stringify({ ...message, number_format: "english", schedule: null })
        const request = { method: "POST", url: `${baseUrl}/ws/v1/sms/${kind}`, headers, body } as const
        return send(http, request, Answer, classify)
      }
      const credit = Effect.map(get("/ws/v1/account/balance"), readCredit)
      const checkPattern = Effect.gen(function* () {
        if (otp_pattern === undefined) return
        const name = `pattern ${otp_pattern}`
        const data = yield* askAbout(name, get(`/ws/v1/patterns/${encodeURIComponent(otp_pattern)}`))
        const pattern = Option.getOrUndefined(readVariables(data))
        const names = pattern?.vars.map((each) => each.var)
        if (names !== undefined) yield* requireVariable(name, otp_parameter, names)
      })
      return {
        farEnd: originOf(baseUrl),
        traits: smsTraits({
          sendsCodes: otp_pattern !== undefined,
          sendsTexts: line_number !== undefined,
          reportsDelivery: false
        }),
        sendCode: ({ phone, code }) =>
          post("pattern", {
            code: otp_pattern,
            attributes: { [otp_parameter]: Redacted.value(code) },
            recipient: localNumber(phone),
            line_number: line_number ?? SHARED_LINE
          }),
        sendText: ({ phone, text }) =>
          post("simple", { text: Redacted.value(text), line_number, recipients: [localNumber(phone)] }),
        credit,
        check: Effect.as(checkPattern, NO_WARNING),
        deliveryReport: null,
        inbox: null
      }
    })
})
