import { Effect, Layer, Redacted } from "effect"
import { type WebhookResponse, WEBHOOK_TIMEOUT_MILLIS } from "../../domain/Webhook.ts"
import { keptText, withoutPhones } from "../../domain/ProviderOutcome.ts"
import { storable } from "../../domain/text/VisibleText.ts"
import { type WebhookPost, WebhookSender } from "../../services/webhook/WebhookStore.ts"
import { CallKind } from "../../services/provider/ProviderAdapter.ts"
import { AllowsPrivateAddresses, customerUrlProblem } from "../network/CustomerUrls.ts"
import { ProviderHttp } from "../provider/ProviderHttp.ts"
import { webhookHeaders, WebhookSecret } from "./StandardWebhook.ts"
import { textOf } from "../../domain/ProblemTexts.ts"

const noResponse = (error: string): WebhookResponse => ({
  status: null,
  error: keptText(error),
  retryAfterMillis: null
})

/** The beginning of a response, which may repeat what was sent: phones go, because nothing erases them here. */
const keptBody = (text: string): string => storable(withoutPhones(text.replaceAll("\u0000", "")))

const headersOf = ({ id, sentAt: sentAtMillis, body, secrets }: WebhookPost) => {
  const [secret, ...others] = secrets
  const secretOf = (sealed: Redacted.Redacted) => WebhookSecret.make(Redacted.value(sealed))
  return webhookHeaders({ id, sentAtMillis, body }, secretOf(secret), ...others.map(secretOf))
}

export const WebhookSenderHttp = Layer.effect(
  WebhookSender,
  Effect.gen(function* () {
    const allowsPrivateAddresses = yield* AllowsPrivateAddresses
    const http = yield* ProviderHttp
    return WebhookSender.of({
      post: (post) => {
        // The rules may have become stricter since it was created.
        const found = customerUrlProblem(post.url, allowsPrivateAddresses)
        if (found !== null) return Effect.succeed(noResponse(`the address ${textOf(found)}`))
        const headers = headersOf(post)
        const signature = headers["webhook-signature"] ?? ""
        const posted = Effect.provideService(
          http.call({
            method: "POST",
            url: post.url,
            headers,
            body: post.body,
            timeoutMillis: WEBHOOK_TIMEOUT_MILLIS,
            ignoresBody: true,
            reach: allowsPrivateAddresses ? "any" : "public"
          }),
          CallKind,
          "webhook"
        )
        return Effect.match(posted, {
          onFailure: ({ reason }) => ({ ...noResponse(reason), signature }),
          onSuccess: ({ status, retryAfterMillis, text = "" }): WebhookResponse => ({
            status,
            error: null,
            retryAfterMillis,
            signature,
            ...(text === "" ? {} : { body: keptBody(text) })
          })
        })
      }
    })
  })
)
