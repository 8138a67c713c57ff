import { Effect, Redacted, Schema } from "effect"
import { DeliveryReport, type ProviderOutcome } from "../../../domain/ProviderOutcome.ts"
import { Credential, ProviderNumber } from "../AccountSettings.ts"
import { maybeAnything, maybeWords, Whole } from "../LenientResponses.ts"
import { query, outcomeOfStatus, ownValue, perhaps, providerWords, send } from "../ProviderResponses.ts"
import type { ProviderResponse, ProviderHttp } from "../ProviderHttp.ts"
import {
  accepted,
  type ResponseTable,
  byCode,
  connectionTo,
  formPost,
  Line,
  localNumber
} from "./AdapterKit.ts"
import { type Meaning, numberOf, outcomeOfMeaning, problemOf, reportOfState } from "./AdapterKit.ts"
import { type ReportTable, smsAdapter, smsTraits, warnOfLine } from "./AdapterKit.ts"
import type { AccountProblem, ProviderAdapter } from "../../../services/provider/ProviderAdapter.ts"

/** Every answer, with HTTP 200 also where it refuses. */
const ResponseBody = Schema.Struct({
  Value: maybeAnything,
  RetStatus: Whole,
  StrRetStatus: maybeWords
})
type ResponseBody = typeof ResponseBody.Type

/** The meaning of a `Value` that is no message id, for both kinds. */
const common: ResponseTable = byCode({
  configuration: [0, 2, 10, 12, 108, 109, 110],
  recipient: [16, 18, 35],
  request: [7, 17],
  unavailable: [6],
  unknown: [11]
})
const codeMeanings: ResponseTable = {
  ...common,
  ...byCode({ configuration: [-1, -3, -4, -5, -7], request: [-2, -10], unknown: [-6] })
}
const textMeanings: ResponseTable = {
  ...common,
  ...byCode({ configuration: [5, 9], request: [14, 15], throttled: [3, 4] })
}

const OK = 1
const INVALID_DATA = 35
/** A value that is a code, be it none of those that are published. Ids are longer. */
const CODE = /^(-\d+|\d{1,3})$/
/** The statuses with which a value of 0 means a wrong login. Other failures have the value 0 too. */
const LOGIN_STATUSES = [0, OK]
/** With the status OK, shorter ids are taken too. */
const ID = /^\d+$/
const MESSAGE_ID = /^[1-9]\d{14,}$/

const valueOf = ({ Value }: ResponseBody): string =>
  typeof Value === "number" || typeof Value === "string" ? String(Value).trim() : ""
const wordsOf = (response: ResponseBody): string => providerWords(valueOf(response), response.StrRetStatus)

/** The meaning of a value that is no id; undefined if it is no code. */
const meaningOf = (meanings: ResponseTable, response: ResponseBody): Meaning | undefined => {
  const value = valueOf(response)
  const isOtherFailure = value === "0" && !LOGIN_STATUSES.includes(response.RetStatus)
  return isOtherFailure ? undefined : ownValue(meanings, value)
}

/**
 * A status other than OK says no, and so does a code that is not published. OK without a code or an id says neither yes
 * nor no, and neither does an id without OK.
 */
const refusalOf = (meanings: ResponseTable, response: ResponseBody): Meaning => {
  const value = valueOf(response)
  const isUnclear = response.RetStatus === OK ? !CODE.test(value) : MESSAGE_ID.test(value)
  return meaningOf(meanings, response) ?? (isUnclear ? "unknown" : "request")
}

const classifyBy =
  (meanings: ResponseTable) =>
  (response: ResponseBody, received: ProviderResponse): ProviderOutcome => {
    const value = valueOf(response)
    if (received.status >= 300) return outcomeOfStatus(received)
    if (response.RetStatus === OK && ID.test(value) && !CODE.test(value)) return accepted(value)
    return outcomeOfMeaning(refusalOf(meanings, response), wordsOf(response), received)
  }

const classifyCode = classifyBy(codeMeanings)
const classifyText = classifyBy(textMeanings)

const states: ReportTable = {
  delivered: "1",
  inProgress: ["0", "8", "200", "400"],
  undelivered: {
    2: "2 did not reach the handset",
    3: "3 operator error",
    16: "16 did not reach the operator",
    35: "35 blacklisted",
    300: "300 filtered",
    500: "500 not accepted"
  }
}

const readReport = (response: ResponseBody): DeliveryReport =>
  response.RetStatus === OK
    ? reportOfState(states, valueOf(response), wordsOf(response))
    : DeliveryReport.NotKnown({ reason: wordsOf(response) })

/** The question has nothing but the credentials in it: invalid data are wrong ones. */
const readCredit = (response: ResponseBody): Effect.Effect<number, AccountProblem> => {
  if (response.RetStatus === OK) return Effect.succeed(numberOf(valueOf(response)))
  const meaning = response.RetStatus === INVALID_DATA ? "configuration" : refusalOf(common, response)
  return Effect.fail(problemOf(wordsOf(response), meaning))
}

/** Only other programs' code shows this response; without numbers it says nothing. */
const Numbers = Schema.Struct({
  Data: perhaps(Schema.Array(Schema.Struct({ Number: Schema.Union([Schema.Finite, Schema.String]) })))
})

const linesIn = ({ Data }: typeof Numbers.Type): ReadonlyArray<string> =>
  (Data ?? []).map(({ Number: line }) => String(line))

const MelipayamakSettings = Schema.Struct({
  username: Credential,
  password: Credential,
  from: Schema.optionalKey(Line).annotateKey({ description: "The line that texts are sent from." }),
  otp_body_id: Schema.optionalKey(ProviderNumber).annotateKey({
    description: "The approved template that codes are sent with, over a shared line."
  })
})

/** SMS over Melipayamak: codes by a template, texts from a line. Source: melipayamak.com/api, and its SDKs. */
export const melipayamakAdapter = (http: ProviderHttp["Service"], baseUrl: string): ProviderAdapter =>
  smsAdapter("melipayamak", MelipayamakSettings, ({ username, password, from, otp_body_id }) => {
    const to = (method: string, fields: Readonly<Record<string, string>>) =>
      formPost(`${baseUrl}/SendSMS/${method}`, { username, password, ...fields })
    const lines = Effect.map(query(http, to("GetUserNumbers", {}), Numbers), ({ response }) =>
      linesIn(response)
    )
    return connectionTo(baseUrl, {
      traits: smsTraits({ sendsCodes: otp_body_id !== undefined, sendsTexts: from !== undefined }),
      sendCode: ({ phone, code }) => {
        const fields = { to: localNumber(phone), bodyId: String(otp_body_id), text: Redacted.value(code) }
        return send(http, to("BaseServiceNumber", fields), ResponseBody, classifyCode)
      },
      sendText: ({ phone, text }) => {
        const message = { to: localNumber(phone), from: from ?? "", text: Redacted.value(text) }
        return send(http, to("SendSMS", { ...message, isFlash: "false" }), ResponseBody, classifyText)
      },
      credit: Effect.flatMap(query(http, to("GetCredit", {}), ResponseBody), ({ response }) =>
        readCredit(response)
      ),
      check: warnOfLine(from, lines),
      deliveryReport: (recId) =>
        Effect.map(query(http, to("GetDeliveries2", { recId }), ResponseBody), ({ response }) =>
          readReport(response)
        )
    })
  })
