import { Context, type Effect, type Redacted } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type { WebhookAnswer } from "../../domain/webhook/Webhook.ts"

export interface WebhookPost {
  readonly url: string
  /** The same each time the event is sent again. */
  readonly id: string
  readonly body: string
  readonly secrets: readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>]
  readonly sentAt: Instant
}

/** Posts signed events: no redirects, no repeats, limited in time. */
export class WebhookSender extends Context.Service<
  WebhookSender,
  { readonly post: (post: WebhookPost) => Effect.Effect<WebhookAnswer> }
>()("peyk/services/webhook/WebhookSender") {}
