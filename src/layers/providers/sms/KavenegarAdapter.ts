import { Effect, Option, Redacted, Result, Schema } from "effect"
import { createHash } from "node:crypto"
import { DeliveryReport } from "../../../domain/account/DeliveryReport.ts"
import { ProviderOutcome } from "../../../domain/account/ProviderOutcome.ts"
import type { ProviderAdapter, ProviderConnection } from "../../../services/provider/ProviderAdapter.ts"
import { Credential, originOf, readSettings } from "../AccountSettings.ts"
import { ask, outcomeOfStatus, perhaps, providerWords, send } from "../ProviderAnswers.ts"
import type { ProviderAnswer, ProviderHttp } from "../ProviderHttp.ts"
import {
  type AnswerTable,
  formPost,
  isWord,
  Line,
  orNotKnown,
  outcomeOfMeaning,
  problemOf
} from "./AnswerTable.ts"
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

/** Every answer; its entries, an array or one object, are read once the status is known. */
const Answer = Schema.Struct({
  return: Schema.Struct({ status: Schema.Int, message: perhaps(Schema.String) }),
  entries: perhaps(Schema.Unknown)
})
type Answer = typeof Answer.Type

const Entry = Schema.Struct({
  messageid: perhaps(Schema.Union([Schema.Int, Schema.String])),
  status: perhaps(Schema.Int),
  statustext: perhaps(Schema.String)
})
const Account = Schema.Struct({ remaincredit: Schema.Union([Schema.Finite, Schema.String]) })
const readEntry = Schema.decodeUnknownOption(Entry)
const readAccount = Schema.decodeUnknownOption(Account)
const firstOf = (entries: unknown): unknown => (Array.isArray(entries) ? entries[0] : entries)

const OK = 200

/** Of `return.status`. 429 is a forbidden address and 501 test mode, whatever HTTP means by them. */
const meanings: AnswerTable = {
  400: "request",
  401: "configuration",
  402: "unknown",
  403: "configuration",
  404: "configuration",
  405: "configuration",
  406: "request",
  407: "configuration",
  409: "unknown",
  411: "recipient",
  412: "configuration",
  413: "request",
  414: "request",
  415: "request",
  416: "configuration",
  417: "request",
  418: "configuration",
  419: "request",
  420: "request",
  422: "request",
  424: "configuration",
  426: "configuration",
  427: "configuration",
  428: "request",
  429: "configuration",
  431: "request",
  432: "configuration",
  451: "throttled",
  501: "configuration",
  607: "configuration"
}

const wordsOf = ({ return: { status, message } }: Answer): string => providerWords(status, message)

/** The recipient refuses advertising on this line. */
const BLOCKED = 14

const outcomeOfEntry = (entries: unknown): ProviderOutcome => {
  const entry = Option.getOrUndefined(readEntry(firstOf(entries)))
  return entry?.status === BLOCKED
    ? ProviderOutcome.Rejected({
        blame: "recipient",
        providerError: providerWords(BLOCKED, entry.statustext)
      })
    : ProviderOutcome.Accepted({ messageId: entry?.messageid == null ? null : String(entry.messageid) })
}

/** The status in the body goes before HTTP's, which repeats it. */
const classify = (answer: Answer, received: ProviderAnswer): ProviderOutcome => {
  const { status } = answer.return
  if (status === OK) {
    return received.status < 300
      ? outcomeOfEntry(answer.entries)
      : ProviderOutcome.Unknown({ providerError: wordsOf(answer) })
  }
  const meaning = meanings[status]
  return meaning === undefined
    ? outcomeOfStatus(received)
    : outcomeOfMeaning(meaning, wordsOf(answer), received)
}

const DELIVERED = 10
const undelivered = [6, 11, 13, BLOCKED]
const UNKNOWN_ID = 100

const readReport = (answer: Answer): DeliveryReport => {
  const entry = answer.return.status === OK ? readEntry(firstOf(answer.entries)) : Option.none()
  if (Option.isNone(entry)) return DeliveryReport.NotKnown({ reason: wordsOf(answer) })
  const { status, statustext } = entry.value
  if (status === UNKNOWN_ID) return DeliveryReport.NotKnown({ reason: "100 unknown id" })
  if (status === DELIVERED) return DeliveryReport.Delivered({ at: null })
  return status != null && undelivered.includes(status)
    ? DeliveryReport.Undelivered({ providerError: providerWords(status, statustext) })
    : DeliveryReport.InProgress()
}

/** The attempt's id as Kavenegar has ids: a positive integer of 63 bits. A text with one that it knows is not sent again. */
const localIdOf = (attemptId: string): string =>
  String(createHash("sha256").update(attemptId).digest().readBigUInt64BE() >> 1n)

/** SMS over Kavenegar: codes by a template, texts from a line. Source: kavenegar.com/rest.html, and its SDKs. */
export const kavenegarAdapter = (http: ProviderHttp["Service"], baseUrl: string): ProviderAdapter => ({
  name: "kavenegar",
  channels: ["sms"],
  settings: KavenegarSettings,
  connect: (settings) =>
    Result.map(readSettings(KavenegarSettings, settings), (account): ProviderConnection => {
      const { api_key, sender, otp_template, otp_token = "token" } = account
      const to = (method: string, fields: Readonly<Record<string, string>>) =>
        formPost(`${baseUrl}/${encodeURIComponent(api_key)}/${method}.json`, fields)
      return {
        farEnd: originOf(baseUrl),
        traits: {
          sendsCodes: otp_template !== undefined,
          sendsTexts: true,
          deduplicatesCodes: false,
          deduplicatesTexts: true,
          reportsDelivery: true,
          needsContact: false,
          cooldownByKind: true
        },
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
        check: Effect.flatMap(ask(http, to("account/info", {}), Answer), ({ answer }) =>
          answer.return.status === OK
            ? Effect.succeed(
                `credit ${Option.match(readAccount(answer.entries), { onNone: () => "unknown", onSome: ({ remaincredit }) => remaincredit })}`
              )
            : Effect.fail(problemOf(wordsOf(answer), meanings[answer.return.status]))
        ),
        deliveryReport: (messageid) =>
          orNotKnown(
            Effect.map(ask(http, to("sms/status", { messageid }), Answer), ({ answer }) => readReport(answer))
          ),
        inbox: null
      }
    })
})
