import { Effect, Redacted, Result, Schema } from "effect"
import { sendingSettings } from "../../../domain/account/AccountState.ts"
import type { ProviderAdapter, ProviderConnection } from "../../../services/provider/ProviderAdapter.ts"
import { Credential, ProviderNumber, originOf, readSettings } from "../AccountSettings.ts"
import { ask, send } from "../ProviderAnswers.ts"
import type { ProviderHttp } from "../ProviderHttp.ts"
import { NO_WARNING, numberOf } from "./AccountChecks.ts"
import { orNotKnown, smsTraits } from "./AnswerTable.ts"
import { localNumber } from "./LocalNumber.ts"
import { Answer, classifyCode, classifyText, dataOf, readReport, requireLine } from "./SmsirAnswers.ts"
import { problem } from "../../../domain/Problem.ts"
import { refusing } from "../../../domain/SchemaProblems.ts"

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
