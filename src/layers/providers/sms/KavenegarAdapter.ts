import { Effect, Redacted, Result, Schema } from "effect"
import { sendingSettings } from "../../../domain/account/AccountState.ts"
import { createHash } from "node:crypto"
import type { ProviderAdapter, ProviderConnection } from "../../../services/provider/ProviderAdapter.ts"
import { Credential, originOf, readSettings } from "../AccountSettings.ts"
import { ask, send } from "../ProviderAnswers.ts"
import type { ProviderHttp } from "../ProviderHttp.ts"
import { NO_WARNING } from "./AccountChecks.ts"
import { formPost, isWord, Line, orNotKnown, smsTraits } from "./AnswerTable.ts"
import { Answer, classify, readCredit, readReport } from "./KavenegarAnswers.ts"
import { localNumber } from "./LocalNumber.ts"

const KavenegarSettings = Schema.Struct({
  api_key: Credential,
  sender: Schema.optionalKey(Line).annotateKey({
    description: "The line that texts are sent from; if absent, the one that the panel chose."
  }),
  otp_template: Schema.optionalKey(Schema.String.check(isWord)).annotateKey({
    description: "The name of the template that codes are sent with."
  }),
  otp_token: Schema.optionalKey(
    Schema.Literals(["token", "token2", "token3", "token10", "token20"])
  ).annotateKey({ description: "The template's variable that takes the code; token by default." })
})

/** The attempt's id as Kavenegar has ids: a positive integer of 63 bits. A text with one that it knows is not sent again. */
const localIdOf = (attemptId: string): string =>
  String(createHash("sha256").update(attemptId).digest().readBigUInt64BE() >> 1n)

/** SMS over Kavenegar: codes by a template, texts from a line. Source: kavenegar.com/rest.html, and its SDKs. */
export const kavenegarAdapter = (http: ProviderHttp["Service"], baseUrl: string): ProviderAdapter => ({
  name: "kavenegar",
  channels: ["sms"],
  settings: KavenegarSettings,
  sendingSettings: sendingSettings.kavenegar,
  connect: (settings) =>
    Result.map(readSettings(KavenegarSettings, settings), (account): ProviderConnection => {
      const { api_key, sender, otp_template, otp_token = "token" } = account
      const to = (method: string, fields: Readonly<Record<string, string>>) =>
        formPost(`${baseUrl}/${encodeURIComponent(api_key)}/${method}.json`, fields)
      const credit = Effect.flatMap(ask(http, to("account/info", {}), Answer), ({ answer }) =>
        readCredit(answer)
      )
      return {
        farEnd: originOf(baseUrl),
        traits: smsTraits({
          sendsCodes: otp_template !== undefined,
          sendsTexts: true,
          deduplicatesTexts: true
        }),
        sendCode: ({ phone, code }) => {
          // Kavenegar demands `token`, whichever the template shows.
          const tokens = { token: Redacted.value(code), [otp_token]: Redacted.value(code) }
          const fields = { receptor: localNumber(phone), template: otp_template ?? "", ...tokens }
          return send(http, to("verify/lookup", fields), Answer, classify)
        },
        sendText: ({ phone, text, attemptId }) => {
          const fields = {
            receptor: localNumber(phone),
            message: Redacted.value(text),
            localid: localIdOf(attemptId),
            ...(sender !== undefined && { sender })
          }
          return send(http, to("sms/send", fields), Answer, classify)
        },
        credit,
        check: Effect.succeed(NO_WARNING),
        deliveryReport: (messageid) =>
          orNotKnown(
            Effect.map(ask(http, to("sms/status", { messageid }), Answer), ({ answer }) => readReport(answer))
          ),
        inbox: null
      }
    })
})
