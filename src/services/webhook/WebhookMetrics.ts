import { Context, Effect, Layer } from "effect"
import type { Judgement, WebhookTry } from "../../domain/Webhook.ts"
import { counters, histograms } from "../system/Observability.ts"

const SECONDS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15]
const MILLIS_PER_SECOND = 1000

/** Delivered, to be tried again, or given up. */
const outcomeOf = { delivered: "delivered", pending: "retried", failed: "failed" } as const

/** Figures about webhooks for operators. */
export class WebhookMetrics extends Context.Service<
  WebhookMetrics,
  { readonly tried: (made: Pick<WebhookTry, "duration_ms">, judgement: Judgement) => void }
>()("peyk/services/webhook/WebhookMetrics") {
  static readonly layer = Layer.effect(
    WebhookMetrics,
    Effect.map(Effect.context<never>(), (context) => {
      const deliveries = counters(context, "peyk_webhook_deliveries_total", {
        description: "Tries to deliver an event, by result: delivered, to be retried, or failed.",
        labels: ["outcome"]
      })
      const durations = histograms(context, "peyk_webhook_delivery_duration_seconds", {
        description: "How long webhook endpoints took to respond, including failures.",
        boundaries: SECONDS
      })()
      const disabled = counters(context, "peyk_webhook_endpoints_disabled_total", {
        description: "Webhook endpoints that were disabled, by reason.",
        labels: ["reason"]
      })
      for (const outcome of Object.values(outcomeOf)) deliveries(outcome)(0)
      disabled("failing")(0)
      disabled("gone")(0)
      return WebhookMetrics.of({
        tried: ({ duration_ms }, { status, disables }) => {
          deliveries(outcomeOf[status])(1)
          durations(duration_ms / MILLIS_PER_SECOND)
          if (disables !== null) disabled(disables)(1)
        }
      })
    })
  )
}
