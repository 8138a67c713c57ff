import { Effect, Option, Redacted, Schema } from "effect"
import type { ProviderOutcome } from "../../../domain/ProviderOutcome.ts"
import { Credential } from "../AccountSettings.ts"
import { maybeAnything, maybeWords, YesOrNo } from "../LenientResponses.ts"
import { outcomeOfRefusal, providerWords } from "../ProviderResponses.ts"
import type { ProviderResponse, ProviderHttp } from "../ProviderHttp.ts"
import { accepted, connectionTo, jsonCalls, Line, localNumber, optionalWord, unknown } from "./AdapterKit.ts"
import { askAbout, creditIn, NO_WARNING, numberOf, problemWith, requireVariable } from "./AdapterKit.ts"
import { smsAdapter, smsTraits } from "./AdapterKit.ts"
import type { ProviderAdapter } from "../../../services/provider/ProviderAdapter.ts"

const FarazsmsSettings = Schema.Struct({
  api_key: Credential,
  line_number: Schema.optionalKey(Line).annotateKey({
    description:
      "The line that texts and codes are sent from; if absent, codes leave from a line that all share."
  }),
  otp_pattern: optionalWord("The pattern that codes are sent with."),
  otp_parameter: optionalWord("The pattern's variable that takes the code; code by default.")
})

const SHARED_LINE = "90008361"

const ResponseBody = Schema.Struct({
  status: YesOrNo,
  data: maybeAnything,
  code: maybeWords,
  message: maybeWords,
  messages: maybeWords
})
type ResponseBody = typeof ResponseBody.Type

const wordsOf = ({ code, message, messages }: ResponseBody): string =>
  providerWords(code, message ?? messages)

/** No response has a message id, so there are no delivery reports. */
const classify = (response: ResponseBody, received: ProviderResponse): ProviderOutcome => {
  // No list of errors is published: the HTTP status decides.
  if (!response.status) return outcomeOfRefusal(received, wordsOf(response))
  return received.status < 300 ? accepted(null) : unknown(wordsOf(response))
}

const Variables = Schema.Struct({ vars: Schema.Array(Schema.Struct({ var: Schema.String })) })
const readVariables = Schema.decodeUnknownOption(Variables)

/** The amount itself, or an object that has it. */
const readCredit = (data: unknown): number =>
  typeof data === "object" ? creditIn("balanceAmount", "balance_amount")(data) : numberOf(data)

/** SMS over FarazSMS (IranPayamak): codes by a pattern, texts from a line. Source: docs.farazsms.com. */
export const farazsmsAdapter = (http: ProviderHttp["Service"], baseUrl: string): ProviderAdapter =>
  smsAdapter("farazsms", FarazsmsSettings, (account) => {
    const { api_key, line_number, otp_pattern, otp_parameter = "code" } = account
    const calls = jsonCalls(http, `${baseUrl}/ws/v1`, { "api-key": api_key }, ResponseBody)
    const post = (kind: string, message: Readonly<Record<string, unknown>>) =>
      // Without this, the digits of a code arrive as Persian digits.
      calls.send(`/sms/${kind}`, { ...message, number_format: "english", schedule: null }, classify)
    /** The data of a call that changes nothing. */
    const get = Effect.fnUntraced(function* (path: string) {
      const { response, status } = yield* calls.query(path)
      if (response.status && status < 300) return response.data
      return yield* problemWith(wordsOf(response), !response.status && status < 500 && status !== 429)
    })
    const checkPattern = Effect.gen(function* () {
      if (otp_pattern === undefined) return
      const name = `pattern ${otp_pattern}`
      const data = yield* askAbout(name, get(`/patterns/${encodeURIComponent(otp_pattern)}`))
      const pattern = Option.getOrUndefined(readVariables(data))
      const names = pattern?.vars.map((each) => each.var)
      if (names !== undefined) yield* requireVariable(name, otp_parameter, names)
    })
    return connectionTo(baseUrl, {
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
      credit: Effect.map(get("/account/balance"), readCredit),
      check: Effect.as(checkPattern, NO_WARNING)
    })
  })
