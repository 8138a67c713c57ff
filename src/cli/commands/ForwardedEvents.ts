import { Clock, Data, Effect } from "effect"
import type { ListenedEvent } from "../../services/webhook/WebhookListeners.ts"
import { WEBHOOK_TIMEOUT_MILLIS } from "../../domain/Webhook.ts"
import { webhookHeaders, type WebhookSecret } from "../../layers/webhook/StandardWebhook.ts"

/** What became of an event at the developer's program. */
export interface Forwarded {
  /** Null: there was no response. */
  readonly status: number | null
  readonly error: string | null
  readonly milliseconds: number
}

class NotForwarded extends Data.TaggedError("NotForwarded")<{ readonly message: string }> {}

/** The code of the cause says more than "fetch failed". */
const reasonOf = (error: unknown): string => {
  const { cause, name, message } = Object(error)
  if (name === "TimeoutError") return `no response within ${WEBHOOK_TIMEOUT_MILLIS / 1000} s`
  return String(Object(cause).code ?? Object(cause).message ?? message ?? error)
}

/** Nobody needs the body: it stays on this machine, unread. */
const post = (url: string, headers: Readonly<Record<string, string>>, body: string) =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(url, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json", "user-agent": "peyk" },
        body,
        redirect: "manual",
        signal: AbortSignal.any([signal, AbortSignal.timeout(WEBHOOK_TIMEOUT_MILLIS)])
      })
      await response.body?.cancel()
      return response.status
    },
    catch: (error) => new NotForwarded({ message: reasonOf(error) })
  })

/** Posts events as Peyk posts them to a webhook: signed, without following redirects, and limited in time. */
export const forwarding = (url: string, secret: WebhookSecret) =>
  Effect.fnUntraced(function* ({ id, body }: ListenedEvent) {
    const sentAtMillis = yield* Clock.currentTimeMillis
    const made = yield* Effect.match(post(url, webhookHeaders({ id, sentAtMillis, body }, secret), body), {
      onSuccess: (status) => ({ status, error: null }),
      onFailure: ({ message }) => ({ status: null, error: message })
    })
    const forwarded: Forwarded = { ...made, milliseconds: (yield* Clock.currentTimeMillis) - sentAtMillis }
    return forwarded
  })
