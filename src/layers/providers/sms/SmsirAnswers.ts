import { Effect, Option, Schema } from "effect"
import { DeliveryReport } from "../../../domain/account/DeliveryReport.ts"
import { inWords, ProviderOutcome } from "../../../domain/account/ProviderOutcome.ts"
import { AccountProblem } from "../../../services/provider/ProviderAdapter.ts"
import { instantOfSeconds, outcomeOfStatus, perhaps, providerWords } from "../ProviderAnswers.ts"
import type { ProviderAnswer } from "../ProviderHttp.ts"
import { type AnswerTable, outcomeOfMeaning, reportOfState, type ReportTable } from "./AnswerTable.ts"

const envelopeOf = <Data extends Schema.Top>(data: Data) =>
  Schema.Struct({
    status: Schema.Int,
    message: perhaps(Schema.String),
    data: perhaps(data)
  })

/** For sends: the data is parsed once the status is known, because a failure can have any data. */
export const Answer = envelopeOf(Schema.Unknown)
const VerifyData = Schema.Struct({ messageId: Schema.Int })
/** One id per number: 0 is blacklisted, null is a wrong number or text. */
const BulkData = Schema.Struct({ messageIds: Schema.Tuple([Schema.NullOr(Schema.Int)]) })

const SUCCESS = 1

/** The meaning of each documented status: SMS.ir's table of errors. */
const meanings: AnswerTable = {
  0: "unknown",
  1: "unknown",
  10: "configuration",
  11: "configuration",
  12: "configuration",
  13: "configuration",
  14: "configuration",
  20: "throttled",
  101: "configuration",
  102: "configuration",
  103: "request",
  104: "recipient",
  105: "request",
  106: "request",
  107: "request",
  108: "request",
  109: "request",
  110: "request",
  111: "request",
  112: "request",
  113: "configuration",
  114: "request",
  115: "recipient",
  116: "request",
  117: "request",
  118: "request",
  119: "configuration",
  123: "configuration"
}

/** The failure in an envelope. */
const failureOf = ({ status, message }: typeof Answer.Type, received: ProviderAnswer): ProviderOutcome => {
  const providerError = providerWords(status, message)
  const meaning = meanings[status]
  return meaning === undefined
    ? inWords(outcomeOfStatus(received), () => providerError)
    : outcomeOfMeaning(meaning, providerError, received)
}

const isSent = ({ status }: typeof Answer.Type, received: ProviderAnswer): boolean =>
  status === SUCCESS && received.status < 300

const readVerifyData = Schema.decodeUnknownOption(VerifyData)
const readBulkData = Schema.decodeUnknownOption(BulkData)

/** A success counts even if its id cannot be read. */
export const classifyCode = (answer: typeof Answer.Type, received: ProviderAnswer): ProviderOutcome =>
  isSent(answer, received)
    ? ProviderOutcome.Accepted({
        messageId: Option.match(readVerifyData(answer.data), {
          onNone: () => null,
          onSome: ({ messageId }) => String(messageId)
        })
      })
    : failureOf(answer, received)

const outcomeOfId = (id: number | null): ProviderOutcome => {
  if (id === null) {
    return ProviderOutcome.Rejected({
      blame: "recipient",
      providerError: "no message id: invalid number or text"
    })
  }
  return id === 0
    ? ProviderOutcome.Rejected({ blame: "recipient", providerError: "message id 0: blacklisted number" })
    : ProviderOutcome.Accepted({ messageId: String(id) })
}

/** A successful pack can have failed for its only number. */
export const classifyText = (answer: typeof Answer.Type, received: ProviderAnswer): ProviderOutcome =>
  isSent(answer, received)
    ? Option.match(readBulkData(answer.data), {
        onNone: () => ProviderOutcome.Unknown({ providerError: "success without message ids" }),
        onSome: ({ messageIds: [id] }) => outcomeOfId(id)
      })
    : failureOf(answer, received)

export const Report = envelopeOf(
  Schema.Struct({
    deliveryState: perhaps(Schema.Int),
    // Unix seconds; a time in another form does not make the state unreadable.
    deliveryDateTime: Schema.optionalKey(Schema.Unknown)
  })
)

const states: ReportTable = {
  delivered: 1,
  inProgress: "others",
  undelivered: {
    2: "2 did not reach the handset",
    4: "4 did not reach the operator",
    6: "6 error",
    7: "7 blacklisted"
  }
}

export const readReport = ({ status, data }: typeof Report.Type): DeliveryReport => {
  if (status !== SUCCESS) return DeliveryReport.NotKnown({ reason: `status ${status}` })
  const state = data?.deliveryState ?? 0
  return reportOfState(states, state, `state ${state}`, instantOfSeconds(data?.deliveryDateTime))
}

const readLines = Schema.decodeUnknownOption(Schema.Array(Schema.Union([Schema.Finite, Schema.String])))

/** Fails if the account has lines, and this is none of them. */
export const requireLine = (line: number, data: unknown): Effect.Effect<void, AccountProblem> => {
  const lines = Option.getOrElse(readLines(data), () => []).map(String)
  if (lines.length === 0 || lines.includes(String(line))) return Effect.void
  const message = `line ${line} is not one of the account's: ${lines.join(", ")}`
  return Effect.fail(new AccountProblem({ message, isDefinite: true }))
}

/** The data of an answer to a question. */
export const dataOf = ({
  status,
  message,
  data
}: typeof Answer.Type): Effect.Effect<unknown, AccountProblem> => {
  if (status === SUCCESS) return Effect.succeed(data)
  const meaning = meanings[status]
  const isDefinite = meaning !== undefined && !["unknown", "throttled"].includes(meaning)
  return Effect.fail(new AccountProblem({ message: providerWords(status, message), isDefinite }))
}
