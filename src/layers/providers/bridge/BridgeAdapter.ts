import { Clock, Effect, Redacted, Result, Schema } from "effect"
import { Channel } from "../../../domain/routing/Channel.ts"
import type { AccountTraits } from "../../../domain/customer/Customer.ts"
import { formatInstant } from "../../../domain/Instant.ts"
import { DeliveryReport } from "../../../domain/provider/DeliveryReport.ts"
import type { ProviderAdapter, ProviderConnection } from "../../../services/provider/ProviderAdapter.ts"
import type { CodeDelivery, TextDelivery } from "../../../services/provider/Providers.ts"
import { savedUrlProblem } from "../../network/CustomerUrls.ts"
import { originOf, readSettings } from "../AccountSettings.ts"
import { classify, readReport } from "./BridgeAnswers.ts"
import { outcomeOfFailure } from "../ProviderAnswers.ts"
import type { ProviderHttp } from "../ProviderHttp.ts"
import { webhookHeaders, WebhookSecret } from "./StandardWebhook.ts"
import { refusedWith } from "../../../domain/SchemaProblems.ts"

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

/** The id is a header too, so it has ASCII characters only. */
const reportRequest = (messageId: string) => ({
  id: `report-${encodeURIComponent(messageId)}`,
  kind: "report",
  message_id: messageId
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
          Effect.catch(({ reason }) => Effect.succeed(DeliveryReport.NotKnown({ reason })))
        )
      return {
        traits: { ...traits, reportsDelivery: reports_delivery },
        farEnd: originOf(url),
        sendCode: (delivery) => deliver(codeMessage(delivery)),
        sendText: (delivery) => deliver(messageOf("text", delivery)),
        check: null,
        deliveryReport: reports_delivery ? deliveryReport : null,
        inbox: null
      } satisfies ProviderConnection
    })
})
