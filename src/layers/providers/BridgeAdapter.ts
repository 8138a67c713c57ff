import { Clock, Effect, Option, Redacted, Result, Schema } from "effect"
import { Channel } from "../../domain/routing/Channel.ts"
import type { AccountTraits } from "../../domain/people/Customer.ts"
import { formatInstant } from "../../domain/Instant.ts"
import { ProviderOutcome } from "../../domain/account/ProviderOutcome.ts"
import type { ProviderAdapter, ProviderConnection } from "../../services/provider/ProviderAdapter.ts"
import type { CodeDelivery, TextDelivery } from "../../services/provider/Providers.ts"
import { checkSavedUrl } from "../network/CustomerUrls.ts"
import { originOf, readSettings } from "./AccountSettings.ts"
import { outcomeOfFailure, perhaps, providerWords } from "./ProviderAnswers.ts"
import type { ProviderAnswer, ProviderHttp } from "./ProviderHttp.ts"
import { webhookHeaders, WebhookSecret } from "./StandardWebhook.ts"

const bridgeSettings = (allowsPrivateAddresses: boolean) =>
  Schema.Struct({
    url: Schema.String.check(
      Schema.makeFilter((text) => checkSavedUrl(text, allowsPrivateAddresses))
    ).annotateKey({ description: "Where your gateway takes messages: https." }),
    secret: WebhookSecret.annotateKey({ description: "whsec_ and base64; it signs what Peyk posts." })
  })

/** The responses of a gateway; docs/bridge.md. */
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
const classify = ({ status, json }: ProviderAnswer): ProviderOutcome =>
  status === 200
    ? Option.match(decodeAnswer(json), {
        onNone: () => ProviderOutcome.Unknown({ providerError: "HTTP 200, and no answer of a bridge" }),
        onSome: outcomeOfAnswer
      })
    : ProviderOutcome.Unknown({ providerError: `HTTP ${status}` })

const messageOf = (kind: "code" | "text", { attemptId, step, phone, text }: TextDelivery) => ({
  id: attemptId,
  kind,
  channel: step.channel,
  phone,
  text: Redacted.value(text)
})

const codeMessage = (delivery: CodeDelivery) => ({
  ...messageOf("code", delivery),
  code: Redacted.value(delivery.code),
  expires_at: formatInstant(delivery.expiresAt)
})

const traits: AccountTraits = {
  sendsCodes: true,
  sendsTexts: true,
  deduplicatesCodes: true,
  deduplicatesTexts: true,
  reportsDelivery: false,
  needsContact: false
}

/** Messages over a gateway that the customer runs, for any messenger and for SMS. */
export const bridgeAdapter = (http: ProviderHttp["Service"]): ProviderAdapter => ({
  name: "bridge",
  channels: Channel.literals,
  settings: bridgeSettings(false),
  connect: (settings, { allowsPrivateAddresses }) =>
    Result.map(readSettings(bridgeSettings(allowsPrivateAddresses), settings), ({ url, secret }) => {
      const post = Effect.fnUntraced(
        function* (message: ReturnType<typeof messageOf>) {
          const { id } = message
          const body = JSON.stringify(message)
          const sentAtMillis = yield* Clock.currentTimeMillis
          const headers = { ...webhookHeaders({ id, sentAtMillis, body }, secret), "idempotency-key": id }
          const received = yield* http.call({
            method: "POST",
            url,
            headers,
            body,
            reach: allowsPrivateAddresses ? "any" : "public"
          })
          return classify(received)
        },
        Effect.catch((failure) => Effect.succeed(outcomeOfFailure(failure)))
      )
      return {
        traits,
        farEnd: originOf(url),
        sendCode: (delivery) => post(codeMessage(delivery)),
        sendText: (delivery) => post(messageOf("text", delivery)),
        check: null,
        deliveryReport: null,
        inbox: null
      } satisfies ProviderConnection
    })
})
