import { Effect, Redacted, Result, Schema } from "effect"
import { sendingSettings } from "../../../domain/account/AccountState.ts"
import type { ProviderAdapter, ProviderConnection } from "../../../services/provider/ProviderAdapter.ts"
import { Credential, originOf, readSettings } from "../AccountSettings.ts"
import { ask, send } from "../ProviderAnswers.ts"
import type { ProviderHttp } from "../ProviderHttp.ts"
import { askAbout, creditIn, warnOfLine } from "./AccountChecks.ts"
import { InternationalLine, isWord, orNotKnown, smsTraits } from "./AnswerTable.ts"
import {
  Answer,
  classify,
  dataOf,
  linesIn,
  reportOfBulk,
  reportOfRecipient,
  requirePattern
} from "./IppanelAnswers.ts"

const IppanelSettings = Schema.Struct({
  api_key: Credential,
  from_number: Schema.optionalKey(InternationalLine).annotateKey({
    description: "The line that codes and texts are sent from: +98 and digits."
  }),
  otp_pattern: Schema.optionalKey(Schema.String.check(isWord)).annotateKey({
    description: "The pattern that codes are sent with."
  }),
  otp_parameter: Schema.optionalKey(Schema.String.check(isWord)).annotateKey({
    description: "The pattern's variable that takes the code; code by default."
  })
})

/** SMS over IPPanel's Edge: codes by a pattern, texts from a line. Source: ippanelcom.github.io/Edge-Document. */
export const ippanelAdapter = (http: ProviderHttp["Service"], baseUrl: string): ProviderAdapter => ({
  name: "ippanel",
  channels: ["sms"],
  sendingSettings: sendingSettings.ippanel,
  settings: IppanelSettings,
  connect: (settings) =>
    Result.map(readSettings(IppanelSettings, settings), (account): ProviderConnection => {
      const { api_key, from_number, otp_pattern, otp_parameter = "code" } = account
      const headers = { authorization: api_key }
      const post = (body: Readonly<Record<string, unknown>>) => {
        const request = { method: "POST", url: `${baseUrl}/api/send`, headers } as const
        return send(http, { ...request, body: JSON.stringify({ ...body, from_number }) }, Answer, classify)
      }
      const get = (path: string) => ({ method: "GET", url: `${baseUrl}${path}`, headers }) as const
      const dataAt = (path: string) => Effect.flatMap(ask(http, get(path), Answer), dataOf)
      const credit = Effect.map(dataAt("/api/payment/credit/mine"), creditIn("credit"))
      const checkPattern = Effect.suspend(() =>
        otp_pattern === undefined
          ? Effect.void
          : Effect.flatMap(
              askAbout(`pattern ${otp_pattern}`, dataAt(`/api/patterns/${encodeURIComponent(otp_pattern)}`)),
              (data) => requirePattern(otp_pattern, otp_parameter, data)
            )
      )
      const lines = Effect.map(dataAt("/api/number/numbers?page=1&per_page=100"), linesIn)
      const askReport = Effect.fnUntraced(function* (messageId: string) {
        const id = encodeURIComponent(messageId)
        const path = `/api/report/recipients?bulk_id=${id}&page=1&per_page=10`
        // IPPanel can refuse this question, or not know the path, if the message was never sent: its bulk shows why.
        const report = yield* ask(http, get(path), Answer).pipe(
          Effect.map(({ answer }) => reportOfRecipient(answer)),
          Effect.catch(() => Effect.undefined)
        )
        if (report !== undefined) return report
        const bulk = yield* ask(http, get(`/api/report/by_bulk?messages_outbox_id=${id}`), Answer)
        return reportOfBulk(bulk.answer)
      })
      return {
        farEnd: originOf(baseUrl),
        traits: smsTraits({
          sendsCodes: otp_pattern !== undefined && from_number !== undefined,
          sendsTexts: from_number !== undefined
        }),
        sendCode: ({ phone, code }) =>
          post({
            sending_type: "pattern",
            code: otp_pattern,
            recipients: [phone],
            params: { [otp_parameter]: Redacted.value(code) }
          }),
        sendText: ({ phone, text }) =>
          post({
            sending_type: "webservice",
            message: Redacted.value(text),
            params: { recipients: [phone] }
          }),
        credit,
        check: Effect.tap(warnOfLine(from_number, lines), checkPattern),
        deliveryReport: (messageId) => orNotKnown(askReport(messageId)),
        inbox: null
      }
    })
})
