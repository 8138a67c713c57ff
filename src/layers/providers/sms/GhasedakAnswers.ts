import { Option, Schema } from "effect"
import { DeliveryReport } from "../../../domain/provider/DeliveryReport.ts"
import { inWords, ProviderOutcome } from "../../../domain/provider/ProviderOutcome.ts"
import { type ReportTable, reportOfState } from "./AnswerTable.ts"
import {
  fieldOf,
  firstOf,
  idOf,
  maybeAnything,
  maybeWhole,
  maybeWords,
  wholeOf,
  YesOrNo
} from "../LenientAnswers.ts"
import { outcomeOfRefusal, outcomeOfStatus, providerWords } from "../ProviderAnswers.ts"
import type { ProviderAnswer } from "../ProviderHttp.ts"

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
export const readEnvelope = (json: unknown) => decodeEnvelope(inLowerCase(json))

export const wordsOf = ({ statuscode, message }: Envelope): string => providerWords(statuscode, message)

/** No list of codes is published. An HTTP 400 can have the 401 that it means in its body. */
const outcomeOfFailure = (answer: Envelope, received: ProviderAnswer): ProviderOutcome => {
  const status = answer.statuscode ?? 0
  const meant = status >= 400 && status < 600 ? { ...received, status } : received
  return outcomeOfRefusal(meant, wordsOf(answer))
}

const classifyBy =
  (idIn: (data: unknown) => unknown) =>
  (json: unknown, received: ProviderAnswer): ProviderOutcome =>
    Option.match(readEnvelope(json), {
      onNone: () => outcomeOfStatus(received),
      onSome: (answer) => {
        if (!answer.issuccess) return outcomeOfFailure(answer, received)
        return received.status < 300
          ? ProviderOutcome.Accepted({ messageId: idOf(idIn(answer.data)) })
          : inWords(outcomeOfStatus(received), () => wordsOf(answer))
      }
    })

export const classifyCode = classifyBy((data) => fieldOf(firstOf(fieldOf(data, "items")), "messageid"))
export const classifyText = classifyBy((data) => fieldOf(data, "messageid"))

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
  const status = wholeOf(fieldOf(firstOf(data), "status"))
  return status === null
    ? DeliveryReport.NotKnown({ reason: "no report" })
    : reportOfState(states, status, `status ${status}`)
}
