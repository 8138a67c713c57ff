import { DateTime, Option, Schema } from "effect"
import { DeliveryReport } from "../../../domain/account/DeliveryReport.ts"
import { ProviderOutcome } from "../../../domain/account/ProviderOutcome.ts"
import { perhaps, providerWords } from "../ProviderAnswers.ts"
import type { ProviderAnswer } from "../ProviderHttp.ts"

/** The responses of a gateway to a message; docs/bridge.md. */
const Answer = Schema.Union([
  Schema.Struct({ status: Schema.Literal("accepted"), message_id: Schema.optionalKey(Schema.Unknown) }),
  Schema.Struct({
    status: Schema.Literal("rejected"),
    reason: Schema.Literals(["recipient", "request", "configuration"]),
    message: perhaps(Schema.String)
  }),
  Schema.Struct({
    status: Schema.Literal("throttled"),
    /** Seconds. */
    retry_after: perhaps(Schema.Finite)
  }),
  Schema.Struct({ status: Schema.Literal("unavailable") })
])

/** An accepted message counts as accepted even if its id cannot be read. */
const readMessageId = (id: unknown): string | null =>
  typeof id === "number" || (typeof id === "string" && id !== "") ? String(id) : null

const outcomeOfAnswer = (answer: typeof Answer.Type): ProviderOutcome => {
  switch (answer.status) {
    case "accepted":
      return ProviderOutcome.Accepted({ messageId: readMessageId(answer.message_id) })
    case "rejected": {
      const { reason, message } = answer
      return ProviderOutcome.Rejected({ blame: reason, providerError: providerWords(reason, message) })
    }
    case "throttled": {
      const seconds = answer.retry_after ?? null
      return ProviderOutcome.Throttled({
        retryAfterMillis: seconds === null ? null : seconds * 1000,
        providerError: "throttled"
      })
    }
    case "unavailable":
      return ProviderOutcome.Unavailable({ providerError: "unavailable" })
  }
}

const decodeAnswer = Schema.decodeUnknownOption(Answer)

/** Only a documented response shows the outcome; any status but 200 can come from a proxy. */
export const classify = ({ status, json }: ProviderAnswer): ProviderOutcome =>
  status === 200
    ? Option.match(decodeAnswer(json), {
        onNone: () => ProviderOutcome.Unknown({ providerError: "HTTP 200, and no answer of a bridge" }),
        onSome: outcomeOfAnswer
      })
    : ProviderOutcome.Unknown({ providerError: `HTTP ${status}` })

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
