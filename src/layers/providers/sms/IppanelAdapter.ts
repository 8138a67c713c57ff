import { Effect, Redacted, Result, Schema } from "effect"
import { DeliveryReport } from "../../../domain/account/DeliveryReport.ts"
import { type Blame, inWords, ProviderOutcome } from "../../../domain/account/ProviderOutcome.ts"
import type { ProviderAdapter, ProviderConnection } from "../../../services/provider/ProviderAdapter.ts"
import { Credential, originOf, readSettings } from "../AccountSettings.ts"
import { ask, outcomeOfStatus, perhaps, providerWords, send } from "../ProviderAnswers.ts"
import type { ProviderAnswer, ProviderHttp } from "../ProviderHttp.ts"
import { creditIn, describeCredit, problemOf } from "./AccountChecks.ts"
import { InternationalLine, isWord, orNotKnown } from "./AnswerTable.ts"

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

const Meta = Schema.Struct({
  status: Schema.Boolean,
  message: perhaps(Schema.String),
  message_code: perhaps(Schema.String),
  errors: perhaps(Schema.Unknown)
})
const Answer = Schema.Struct({ meta: Meta, data: perhaps(Schema.Unknown) })
type Answer = typeof Answer.Type

const Sent = Schema.Struct({
  message_outbox_ids: Schema.NonEmptyArray(Schema.Union([Schema.Int, Schema.String]))
})
const readSent = Schema.decodeUnknownOption(Sent)

const wordsOf = ({ meta }: Answer): string => providerWords(meta.message_code, meta.message)

/** The outcome that each field of a 422 stands for. */
const blameOf = (errors: unknown): Blame => {
  const fields = Object.keys(Object(errors))
  if (fields.some((field) => /recipient/.test(field))) return "recipient"
  return fields.some((field) => ["code", "from_number"].includes(field)) ? "configuration" : "request"
}

const INVALID = 422

const classify = (answer: Answer, received: ProviderAnswer): ProviderOutcome => {
  const { meta, data } = answer
  if (meta.status && received.status < 300) {
    const sent = readSent(data)
    return ProviderOutcome.Accepted({
      messageId: sent._tag === "Some" ? String(sent.value.message_outbox_ids[0]) : null
    })
  }
  return received.status === INVALID
    ? ProviderOutcome.Rejected({ blame: blameOf(meta.errors), providerError: wordsOf(answer) })
    : inWords(outcomeOfStatus(received), () => wordsOf(answer))
}

const Recipients = Schema.Struct({
  meta: Meta,
  data: perhaps(
    Schema.Array(Schema.Struct({ message_status: perhaps(Schema.Union([Schema.Int, Schema.String])) }))
  )
})
const Bulk = Schema.Struct({
  meta: Meta,
  data: perhaps(Schema.Struct({ state_id: perhaps(Schema.Union([Schema.Int, Schema.String])) }))
})

const undelivered: Readonly<Record<string, string>> = { 3: "3 not delivered", 4: "4 blacklisted" }
/** Accepted does not mean sent: a person at IPPanel may reject it, and the credit may be too low. */
const failedStates: Readonly<Record<string, string>> = {
  3: "state 3 rejected",
  4: "state 4 wrong recipients",
  7: "state 7 canceled",
  8: "state 8 no credit",
  9: "state 9 system error"
}

const asReport = (providerError: string | undefined): DeliveryReport =>
  providerError === undefined ? DeliveryReport.InProgress() : DeliveryReport.Undelivered({ providerError })

/** SMS over IPPanel's Edge: codes by a pattern, texts from a line. Source: ippanelcom.github.io/Edge-Document. */
export const ippanelAdapter = (http: ProviderHttp["Service"], baseUrl: string): ProviderAdapter => ({
  name: "ippanel",
  channels: ["sms"],
  sendingSettings: { codes: "from_number and otp_pattern", texts: "from_number" },
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
      const credit = Effect.flatMap(
        ask(http, get("/api/payment/credit/mine"), Answer),
        ({ answer, status }) =>
          answer.meta.status
            ? Effect.succeed(creditIn("credit")(answer.data))
            : Effect.fail(problemOf(wordsOf(answer), status === 401 ? "configuration" : undefined))
      )
      const askState = (id: string) =>
        Effect.map(ask(http, get(`/api/report/by_bulk?messages_outbox_id=${id}`), Bulk), ({ answer }) =>
          asReport(failedStates[String(answer.data?.state_id)])
        )
      const askReport = Effect.fnUntraced(function* (messageId: string) {
        const id = encodeURIComponent(messageId)
        const path = `/api/report/recipients?bulk_id=${id}&page=1&per_page=10`
        const { answer } = yield* ask(http, get(path), Recipients)
        if (!answer.meta.status) return DeliveryReport.NotKnown({ reason: wordsOf(answer) })
        const status = String(answer.data?.[0]?.message_status)
        if (status === "2") return DeliveryReport.Delivered({ at: null })
        return undelivered[status] === undefined ? yield* askState(id) : asReport(undelivered[status])
      })
      return {
        farEnd: originOf(baseUrl),
        traits: {
          sendsCodes: otp_pattern !== undefined && from_number !== undefined,
          sendsTexts: from_number !== undefined,
          deduplicatesCodes: false,
          deduplicatesTexts: false,
          reportsDelivery: true,
          needsContact: false,
          cooldownByKind: true
        },
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
        check: Effect.map(credit, describeCredit),
        deliveryReport: (messageId) => orNotKnown(askReport(messageId)),
        inbox: null
      }
    })
})
