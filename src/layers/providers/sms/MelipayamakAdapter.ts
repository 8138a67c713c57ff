import { Effect, Redacted, Result, Schema } from "effect"
import { sendingSettings } from "../../../domain/account/AccountState.ts"
import type { ProviderAdapter, ProviderConnection } from "../../../services/provider/ProviderAdapter.ts"
import { Credential, originOf, ProviderNumber, readSettings } from "../AccountSettings.ts"
import { ask, send } from "../ProviderAnswers.ts"
import type { ProviderHttp } from "../ProviderHttp.ts"
import { warnOfLine } from "./AccountChecks.ts"
import { formPost, Line, orNotKnown, smsTraits } from "./AnswerTable.ts"
import { localNumber } from "./LocalNumber.ts"
import {
  Answer,
  classifyCode,
  classifyText,
  linesIn,
  Numbers,
  readCredit,
  readReport
} from "./MelipayamakAnswers.ts"

const MelipayamakSettings = Schema.Struct({
  username: Credential,
  password: Credential,
  from: Schema.optionalKey(Line).annotateKey({ description: "The line that texts are sent from." }),
  otp_body_id: Schema.optionalKey(ProviderNumber).annotateKey({
    description: "The approved template that codes are sent with, over a shared line."
  })
})

/** SMS over Melipayamak: codes by a template, texts from a line. Source: melipayamak.com/api, and its SDKs. */
export const melipayamakAdapter = (http: ProviderHttp["Service"], baseUrl: string): ProviderAdapter => ({
  name: "melipayamak",
  channels: ["sms"],
  sendingSettings: sendingSettings.melipayamak,
  settings: MelipayamakSettings,
  connect: (settings) =>
    Result.map(readSettings(MelipayamakSettings, settings), (account): ProviderConnection => {
      const { username, password, from, otp_body_id } = account
      const to = (method: string, fields: Readonly<Record<string, string>>) =>
        formPost(`${baseUrl}/SendSMS/${method}`, { username, password, ...fields })
      const credit = Effect.flatMap(ask(http, to("GetCredit", {}), Answer), ({ answer }) =>
        readCredit(answer)
      )
      const lines = Effect.map(ask(http, to("GetUserNumbers", {}), Numbers), ({ answer }) => linesIn(answer))
      return {
        farEnd: originOf(baseUrl),
        traits: smsTraits({ sendsCodes: otp_body_id !== undefined, sendsTexts: from !== undefined }),
        sendCode: ({ phone, code }) => {
          const fields = { to: localNumber(phone), bodyId: String(otp_body_id), text: Redacted.value(code) }
          return send(http, to("BaseServiceNumber", fields), Answer, classifyCode)
        },
        sendText: ({ phone, text }) => {
          const message = { to: localNumber(phone), from: from ?? "", text: Redacted.value(text) }
          return send(http, to("SendSMS", { ...message, isFlash: "false" }), Answer, classifyText)
        },
        credit,
        check: warnOfLine(from, lines),
        deliveryReport: (recId) =>
          orNotKnown(
            Effect.map(ask(http, to("GetDeliveries2", { recId }), Answer), ({ answer }) => readReport(answer))
          ),
        inbox: null
      }
    })
})
