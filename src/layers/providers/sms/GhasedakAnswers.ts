import { Option, Schema } from "effect"
import { DeliveryReport } from "../../../domain/account/DeliveryReport.ts"
import { inWords, ProviderOutcome } from "../../../domain/account/ProviderOutcome.ts"
import { type ReportTable, reportOfState } from "./AnswerTable.ts"
import { outcomeOfStatus, perhaps, providerWords } from "../ProviderAnswers.ts"
import type { ProviderAnswer } from "../ProviderHttp.ts"

const Envelope = Schema.Struct({
  issuccess: Schema.Boolean,
  statuscode: perhaps(Schema.Int),
  message: perhaps(Schema.String),
  data: perhaps(Schema.Unknown)
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
export const readEnvelope = (json: unknown) => decodeEnvelope(inLowerCase(json))

export const wordsOf = ({ statuscode, message }: Envelope): string => providerWords(statuscode, message)

/** No list of codes is published. An HTTP 400 can have the 401 that it means in its body. */
const outcomeOfRefusal = (answer: Envelope, received: ProviderAnswer): ProviderOutcome => {
  const status = answer.statuscode ?? 0
  const meant = status >= 400 && status < 600 ? { ...received, status } : received
  return inWords(outcomeOfStatus(meant), () => wordsOf(answer))
}

const Id = Schema.Union([Schema.Int, Schema.String])
const SentCode = Schema.Struct({ items: Schema.NonEmptyArray(Schema.Struct({ messageid: Id })) })
const SentText = Schema.Struct({ messageid: Id })

const decodeSentCode = Schema.decodeUnknownOption(SentCode)
const decodeSentText = Schema.decodeUnknownOption(SentText)

const classifyBy =
  (idOf: (data: unknown) => Option.Option<number | string>) =>
  (json: unknown, received: ProviderAnswer): ProviderOutcome =>
    Option.match(readEnvelope(json), {
      onNone: () => outcomeOfStatus(received),
      onSome: (answer) =>
        answer.issuccess && received.status < 300
          ? ProviderOutcome.Accepted({ messageId: Option.getOrNull(Option.map(idOf(answer.data), String)) })
          : outcomeOfRefusal(answer, received)
    })

export const classifyCode = classifyBy((data) =>
  Option.map(decodeSentCode(data), ({ items: [item] }) => item.messageid)
)
export const classifyText = classifyBy((data) =>
  Option.map(decodeSentText(data), ({ messageid }) => messageid)
)

const decodeReports = Schema.decodeUnknownOption(Schema.Array(Schema.Struct({ status: Schema.Int })))

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

export const readReport = (data: unknown): DeliveryReport => {
  const [report] = Option.getOrElse(decodeReports(data), () => [])
  return report === undefined
    ? DeliveryReport.NotKnown({ reason: "no report" })
    : reportOfState(states, report.status, `status ${report.status}`)
}
