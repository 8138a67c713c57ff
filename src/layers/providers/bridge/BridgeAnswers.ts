import { DateTime, Option, Schema } from "effect"
import { DeliveryReport } from "../../../domain/provider/DeliveryReport.ts"
import { type Blame, ProviderOutcome } from "../../../domain/provider/ProviderOutcome.ts"
import { finiteOf, idOf, maybeAnything, maybeWords } from "../LenientAnswers.ts"
import { perhaps, providerWords } from "../ProviderAnswers.ts"
import type { ProviderAnswer } from "../ProviderHttp.ts"

/** The responses of a gateway to a message; docs/bridge.md. */
const Answer = Schema.Struct({
  status: Schema.String,
  message_id: maybeAnything,
  reason: maybeWords,
  message: maybeWords,
  /** Seconds. */
  retry_after: maybeAnything
})

const BLAMES: ReadonlyArray<Blame> = ["recipient", "request", "configuration"]

/** Null if it says neither yes nor no. */
const outcomeOfAnswer = (answer: typeof Answer.Type): ProviderOutcome | null => {
  switch (answer.status.trim().toLowerCase()) {
    case "accepted":
      return ProviderOutcome.Accepted({ messageId: idOf(answer.message_id) })
    case "rejected": {
      const { reason, message } = answer
      const blame = BLAMES.find((each) => each === reason?.trim().toLowerCase()) ?? "request"
      return ProviderOutcome.Rejected({ blame, providerError: providerWords(reason, message) })
    }
    case "throttled": {
      const seconds = finiteOf(answer.retry_after)
      const retryAfterMillis = seconds === null ? null : seconds * 1000
      return ProviderOutcome.Throttled({ retryAfterMillis, providerError: "throttled" })
    }
    case "unavailable":
      return ProviderOutcome.Unavailable({ providerError: "unavailable" })
    default:
      return null
  }
}

const decodeAnswer = Schema.decodeUnknownOption(Answer)

/** Any status but 200 can come from a proxy, and says nothing, whatever its body. */
export const classify = ({ status, json }: ProviderAnswer): ProviderOutcome => {
  if (status !== 200) return ProviderOutcome.Unknown({ providerError: `HTTP ${status}` })
  const answer = Option.getOrUndefined(decodeAnswer(json))
  return (
    (answer === undefined ? null : outcomeOfAnswer(answer)) ??
    ProviderOutcome.Unknown({ providerError: "HTTP 200, and no answer of a bridge" })
  )
}

/** The responses of a gateway to a request for a report. */
const Report = Schema.Union([
  Schema.Struct({ status: Schema.Literal("delivered"), at: perhaps(Schema.String) }),
  Schema.Struct({ status: Schema.Literal("undelivered"), message: perhaps(Schema.String) }),
  Schema.Struct({ status: Schema.Literal("in_progress") })
])
const decodeReport = Schema.decodeUnknownOption(Report)

const reportOfAnswer = (report: typeof Report.Type): DeliveryReport => {
  switch (report.status) {
    case "delivered": {
      const at = Option.map(DateTime.make(report.at ?? ""), DateTime.toEpochMillis)
      return DeliveryReport.Delivered({ at: Option.getOrNull(at) })
    }
    case "undelivered":
      return DeliveryReport.Undelivered({ providerError: report.message ?? "undelivered" })
    case "in_progress":
      return DeliveryReport.InProgress()
  }
}

export const readReport = ({ status, json }: ProviderAnswer): DeliveryReport =>
  Option.match(status === 200 ? decodeReport(json) : Option.none(), {
    onNone: () => DeliveryReport.NotKnown({ reason: `HTTP ${status}, and no report of a bridge` }),
    onSome: reportOfAnswer
  })
