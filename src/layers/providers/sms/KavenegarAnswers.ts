import { Effect, Schema } from "effect"
import { DeliveryReport } from "../../../domain/provider/DeliveryReport.ts"
import { ProviderOutcome } from "../../../domain/provider/ProviderOutcome.ts"
import type { AccountProblem } from "../../../services/provider/ProviderAdapter.ts"
import {
  fieldOf,
  firstOf,
  idOf,
  maybeAnything,
  maybeWords,
  Whole,
  wholeOf,
  wordsIn
} from "../LenientAnswers.ts"
import { outcomeOfRefusal, providerWords } from "../ProviderAnswers.ts"
import type { ProviderAnswer } from "../ProviderHttp.ts"
import { creditIn, problemOf } from "./AccountChecks.ts"
import { type AnswerTable, outcomeOfMeaning } from "./AnswerTable.ts"

/** Every answer; its entries, an array or one object, are read once the status is known. */
export const Answer = Schema.Struct({
  return: Schema.Struct({ status: Whole, message: maybeWords }),
  entries: maybeAnything
})
type Answer = typeof Answer.Type

const readEntry = (entries: unknown) => {
  const entry = firstOf(entries)
  return {
    messageId: idOf(fieldOf(entry, "messageid")),
    status: wholeOf(fieldOf(entry, "status")),
    statusText: wordsIn(fieldOf(entry, "statustext"))
  }
}

const OK = 200

/** The meanings of `return.status`. They are not those of HTTP: 429 is a forbidden address and 501 test mode. */
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
  const { messageId, status, statusText } = readEntry(entries)
  return status === BLOCKED
    ? ProviderOutcome.Rejected({ blame: "recipient", providerError: providerWords(BLOCKED, statusText) })
    : ProviderOutcome.Accepted({ messageId })
}

/** The status in the body goes before HTTP's, which repeats it. */
export const classify = (answer: Answer, received: ProviderAnswer): ProviderOutcome => {
  const { status } = answer.return
  if (status === OK) {
    return received.status < 300
      ? outcomeOfEntry(answer.entries)
      : ProviderOutcome.Unknown({ providerError: wordsOf(answer) })
  }
  const meaning = meanings[status]
  return meaning === undefined
    ? outcomeOfRefusal(received, wordsOf(answer))
    : outcomeOfMeaning(meaning, wordsOf(answer), received)
}

const DELIVERED = 10
const undelivered = [6, 11, 13, BLOCKED]
const UNKNOWN_ID = 100

export const readReport = (answer: Answer): DeliveryReport => {
  const entry = firstOf(answer.entries)
  if (answer.return.status !== OK || typeof entry !== "object" || entry === null) {
    return DeliveryReport.NotKnown({ reason: wordsOf(answer) })
  }
  const { status, statusText } = readEntry(entry)
  if (status === UNKNOWN_ID) return DeliveryReport.NotKnown({ reason: "100 unknown id" })
  if (status === DELIVERED) return DeliveryReport.Delivered({ at: null })
  return status !== null && undelivered.includes(status)
    ? DeliveryReport.Undelivered({ providerError: providerWords(status, statusText) })
    : DeliveryReport.InProgress()
}

/** Reads the credit from an answer about the account. */
export const readCredit = (answer: Answer): Effect.Effect<number, AccountProblem> =>
  answer.return.status === OK
    ? Effect.succeed(creditIn("remaincredit")(firstOf(answer.entries)))
    : Effect.fail(problemOf(wordsOf(answer), meanings[answer.return.status]))
