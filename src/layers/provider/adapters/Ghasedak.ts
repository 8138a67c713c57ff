import { Effect, Option, Redacted, Schema } from "effect"
import { DeliveryReport, inWords, type ProviderOutcome } from "../../../domain/ProviderOutcome.ts"
import { Credential } from "../AccountSettings.ts"
import {
  fieldOf,
  firstOf,
  idOf,
  maybeAnything,
  maybeWhole,
  maybeWords,
  wholeOf,
  YesOrNo
} from "../LenientResponses.ts"
import { outcomeOfRefusal, outcomeOfStatus, providerWords } from "../ProviderResponses.ts"
import type { ProviderResponse, ProviderHttp } from "../ProviderHttp.ts"
import { accepted, connectionTo, jsonCalls, Line, localNumber, optionalWord } from "./AdapterKit.ts"
import { askAbout, creditIn, NO_WARNING, problemWith, requireVariable } from "./AdapterKit.ts"
import { reportOfState, type ReportTable, smsAdapter, smsTraits } from "./AdapterKit.ts"
import type { ProviderAdapter } from "../../../services/provider/ProviderAdapter.ts"

const Envelope = Schema.Struct({
  issuccess: YesOrNo,
  statuscode: maybeWhole,
  message: maybeWords,
  data: maybeAnything
})
type Envelope = typeof Envelope.Type

/** The documents write `isSuccess` and `IsSuccess`: names are read in lower case. */
const inLowerCase = (json: unknown): unknown => {
  if (Array.isArray(json)) return json.map(inLowerCase)
  if (typeof json !== "object" || json === null) return json
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name.toLowerCase(), inLowerCase(value)])
  )
}

const decodeEnvelope = Schema.decodeUnknownOption(Envelope)
const readEnvelope = (json: unknown) => decodeEnvelope(inLowerCase(json))

const wordsOf = ({ statuscode, message }: Envelope): string => providerWords(statuscode, message)

/** No list of codes is published. An HTTP 400 can have the 401 that it means in its body. */
const outcomeOfFailure = (response: Envelope, received: ProviderResponse): ProviderOutcome => {
  const status = response.statuscode ?? 0
  const meant = status >= 400 && status < 600 ? { ...received, status } : received
  return outcomeOfRefusal(meant, wordsOf(response))
}

const classifyBy =
  (idIn: (data: unknown) => unknown) =>
  (json: unknown, received: ProviderResponse): ProviderOutcome =>
    Option.match(readEnvelope(json), {
      onNone: () => outcomeOfStatus(received),
      onSome: (response) => {
        if (!response.issuccess) return outcomeOfFailure(response, received)
        return received.status < 300
          ? accepted(idOf(idIn(response.data)))
          : inWords(outcomeOfStatus(received), () => wordsOf(response))
      }
    })

const classifyCode = classifyBy((data) => fieldOf(firstOf(fieldOf(data, "items")), "messageid"))
const classifyText = classifyBy((data) => fieldOf(data, "messageid"))

/** 7 and 8 are states without a result: it is being debugged, or not known. */
const states: ReportTable = {
  delivered: 5,
  inProgress: [0, 3],
  undelivered: {
    1: "1 canceled",
    2: "2 blacklisted",
    4: "4 did not reach the handset",
    6: "6 sent with an error"
  }
}

const readReport = (data: unknown): DeliveryReport => {
  const status = wholeOf(fieldOf(firstOf(data), "status"))
  return status === null
    ? DeliveryReport.NotKnown({ reason: "no report" })
    : reportOfState(states, status, `status ${status}`)
}

const GhasedakSettings = Schema.Struct({
  api_key: Credential,
  line_number: Schema.optionalKey(Line).annotateKey({ description: "The line that texts are sent from." }),
  otp_template: optionalWord("The name of the template that codes are sent with."),
  otp_parameter: optionalWord("The template's parameter that takes the code; Code by default.")
})

const readTemplate = Schema.decodeUnknownOption(Schema.Struct({ params: Schema.Array(Schema.String) }))

/** The documents give the base with `/WebService`, and without. */
const rootOf = (baseUrl: string): string => baseUrl.replace(/\/rest\/api\/v1$/i, "$&/WebService")

/** SMS over Ghasedak: codes by a template, texts from a line. Source: ghasedak.me/docs, and its SDKs. */
export const ghasedakAdapter = (http: ProviderHttp["Service"], baseUrl: string): ProviderAdapter =>
  smsAdapter("ghasedak", GhasedakSettings, (account) => {
    const { api_key, line_number, otp_template, otp_parameter = "Code" } = account
    const calls = jsonCalls(http, rootOf(baseUrl), { apikey: api_key }, Schema.Unknown)
    /** The data of a call that changes nothing. */
    const get = Effect.fnUntraced(function* (path: string) {
      const { response, status } = yield* calls.query(path)
      const read = Option.getOrUndefined(readEnvelope(response))
      if (read === undefined) {
        const message = `HTTP ${status}, and an answer that is not the provider's`
        return yield* problemWith(message, [401, 403].includes(status))
      }
      if (read.issuccess && status < 300) return read.data
      const isRefused = [status, read.statuscode ?? status].every((code) => code < 500 && code !== 429)
      return yield* problemWith(wordsOf(read), isRefused)
    })
    const checkTemplate = Effect.gen(function* () {
      if (otp_template === undefined) return
      const name = `template ${otp_template}`
      const path = `/GetOtpTemplateParameters?TemplateName=${encodeURIComponent(otp_template)}`
      const data = yield* askAbout(name, get(path))
      const template = Option.getOrUndefined(readTemplate(data))
      if (template !== undefined) yield* requireVariable(name, otp_parameter, template.params)
    })
    return connectionTo(baseUrl, {
      traits: smsTraits({ sendsCodes: otp_template !== undefined, sendsTexts: line_number !== undefined }),
      sendCode: ({ phone, code, attemptId }) => {
        const receptors = [{ mobile: localNumber(phone), clientReferenceId: attemptId }]
        const inputs = [{ param: otp_parameter, value: Redacted.value(code) }]
        const body = { receptors, templateName: otp_template, inputs, udh: false, isVoice: false }
        return calls.send("/SendOtpSMS", body, classifyCode)
      },
      sendText: ({ phone, text, attemptId }) => {
        const message = { receptor: localNumber(phone), message: Redacted.value(text) }
        const body = { lineNumber: line_number, ...message, clientReferenceId: attemptId, udh: false }
        return calls.send("/SendSingleSMS", body, classifyText)
      },
      credit: Effect.map(get("/GetAccountInformation"), creditIn("credit")),
      check: Effect.as(checkTemplate, NO_WARNING),
      deliveryReport: (messageId) =>
        Effect.map(get(`/CheckSmsStatus?Ids=${encodeURIComponent(messageId)}&Type=1`), readReport)
    })
  })
