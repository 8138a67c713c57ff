import { Clock, DateTime, Effect, Option, Redacted, Result, Schema } from "effect"
import { formatInstant } from "../../../domain/Instant.ts"
import { refusedWith } from "../../../domain/SchemaProblems.ts"
import { type RejectionCause, DeliveryReport, ProviderOutcome } from "../../../domain/ProviderOutcome.ts"
import { Channel } from "../../../domain/routing/Channel.ts"
import { savedUrlProblem } from "../../network/CustomerUrls.ts"
import { readSettings } from "../AccountSettings.ts"
import { finiteOf, idOf, maybeAnything, maybeWords } from "../LenientResponses.ts"
import { outcomeOfFailure, perhaps, providerWords } from "../ProviderResponses.ts"
import type { ProviderResponse, ProviderHttp } from "../ProviderHttp.ts"
import { accepted, connectionTo, problemWith, rejected, throttled, unknown } from "./AdapterKit.ts"
import { webhookHeaders, WebhookSecret } from "../../webhook/StandardWebhook.ts"
import type { ProviderAdapter } from "../../../services/provider/ProviderAdapter.ts"
import type { CodeDelivery, TextDelivery } from "../../../services/provider/Providers.ts"

/** The responses of a gateway to a message; docs/bridge.md. */
const ResponseBody = Schema.Struct({
  status: Schema.String,
  message_id: maybeAnything,
  reason: maybeWords,
  message: maybeWords,
  /** Seconds. */
  retry_after: maybeAnything
})

const CAUSES: ReadonlyArray<RejectionCause> = ["recipient", "request", "configuration"]

/** Null if it says neither yes nor no. */
const outcomeOfResponse = (response: typeof ResponseBody.Type): ProviderOutcome | null => {
  switch (response.status.trim().toLowerCase()) {
    case "accepted":
      return accepted(idOf(response.message_id))
    case "rejected": {
      const { reason, message } = response
      const cause = CAUSES.find((each) => each === reason?.trim().toLowerCase()) ?? "request"
      return rejected(cause, providerWords(reason, message))
    }
    case "throttled": {
      const seconds = finiteOf(response.retry_after)
      return throttled(seconds === null ? null : seconds * 1000, "throttled")
    }
    case "unavailable":
      return ProviderOutcome.Unavailable({ providerError: "unavailable" })
    default:
      return null
  }
}

const decodeResponse = Schema.decodeUnknownOption(ResponseBody)

/** Any status but 200 can come from a proxy, and says nothing, whatever its body. */
const classify = ({ status, json }: ProviderResponse): ProviderOutcome => {
  if (status !== 200) return unknown(`HTTP ${status}`)
  const response = Option.getOrUndefined(decodeResponse(json))
  return (
    (response === undefined ? null : outcomeOfResponse(response)) ??
    unknown("HTTP 200, and no answer of a bridge")
  )
}

/** The responses of a gateway to a request for a report. */
const Report = Schema.Union([
  Schema.Struct({ status: Schema.Literal("delivered"), at: perhaps(Schema.String) }),
  Schema.Struct({ status: Schema.Literal("undelivered"), message: perhaps(Schema.String) }),
  Schema.Struct({ status: Schema.Literal("in_progress") })
])
const decodeReport = Schema.decodeUnknownOption(Report)

const reportOfResponse = (report: typeof Report.Type): DeliveryReport => {
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

const readReport = ({ status, json }: ProviderResponse): DeliveryReport =>
  Option.match(status === 200 ? decodeReport(json) : Option.none(), {
    onNone: () => DeliveryReport.NotKnown({ reason: `HTTP ${status}, and no report of a bridge` }),
    onSome: reportOfResponse
  })

const bridgeSettings = (allowsPrivateAddresses: boolean) =>
  Schema.Struct({
    url: Schema.String.check(
      Schema.makeFilter((text) => {
        const refused = savedUrlProblem(text, allowsPrivateAddresses)
        return refused === null || refusedWith(refused)
      })
    ).annotateKey({
      description:
        "Where your gateway takes messages: https; http too where PEYK_ALLOW_PRIVATE_ADDRESSES is set."
    }),
    secret: WebhookSecret.annotateKey({ description: "whsec_ and base64; it signs what Peyk posts." }),
    reports_delivery: Schema.optionalKey(Schema.Boolean).annotateKey({
      description: "Whether your gateway knows what became of a message; no by default."
    })
  })

const messageOf = (kind: "code" | "text" | "call", { attemptId, step, phone, text }: TextDelivery) => ({
  id: attemptId,
  kind,
  channel: step.channel,
  phone,
  text: Redacted.value(text)
})

const codeMessage = (delivery: CodeDelivery) => ({
  ...messageOf(delivery.step.channel === "voice" ? "call" : "code", delivery),
  code: Redacted.value(delivery.code),
  expires_at: formatInstant(delivery.expiresAt)
})

/** The id is a header too, so it has ASCII characters only. */
const reportRequest = (messageId: string) => ({
  id: `report-${encodeURIComponent(messageId)}`,
  kind: "report",
  message_id: messageId
})

/** Messages over a gateway that the customer runs, for any messenger, for SMS and for calls, whose text is read out. */
export const bridgeAdapter = (http: ProviderHttp["Service"]): ProviderAdapter => ({
  name: "bridge",
  channels: Channel.literals,
  settings: bridgeSettings(false),
  connect: (settings, { allowsPrivateAddresses }) =>
    Result.map(readSettings(bridgeSettings(allowsPrivateAddresses), settings), (account) => {
      const { url, secret, reports_delivery = false } = account
      const post = Effect.fnUntraced(function* (posted: { readonly id: string }, isBackground = false) {
        const { id } = posted
        const body = JSON.stringify(posted)
        const sentAtMillis = yield* Clock.currentTimeMillis
        const headers = { ...webhookHeaders({ id, sentAtMillis, body }, secret), "idempotency-key": id }
        const reach = allowsPrivateAddresses ? "any" : "public"
        return yield* http.call({ method: "POST", url, headers, body, reach, isBackground })
      })
      const deliver = (message: ReturnType<typeof messageOf>) =>
        post(message).pipe(
          Effect.map(classify),
          Effect.catch((failure) => Effect.succeed(outcomeOfFailure(failure)))
        )
      const deliveryReport = (messageId: string) =>
        post(reportRequest(messageId), true).pipe(
          Effect.map(readReport),
          Effect.mapError(({ reason }) => problemWith(reason, false))
        )
      return connectionTo(url, {
        traits: { deduplicatesCodes: true, deduplicatesTexts: true, reportsDelivery: reports_delivery },
        sendCode: (delivery) => deliver(codeMessage(delivery)),
        sendText: (delivery) => deliver(messageOf("text", delivery)),
        deliveryReport: reports_delivery ? deliveryReport : null
      })
    })
})
