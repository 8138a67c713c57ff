import { Context, type Effect, type Option, type Redacted } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type { LeasedTimer } from "../../domain/Timer.ts"
import type { Judgement, WebhookExchange, WebhookResponse, WebhookTry } from "../../domain/Webhook.ts"

/** A due delivery, with everything that making it needs. */
export interface DueDelivery {
  readonly customerId: number
  readonly endpointId: number
  readonly eventId: string
  readonly url: string
  /** Whether the endpoint takes the event, by its settings now. */
  readonly accepts: boolean
  readonly failingSince: Instant | null
  /** The current secret, and the one it replaced while that still signs. */
  readonly secrets: readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>]
  /** The posted body: JSON. */
  readonly body: string
  readonly tries: ReadonlyArray<WebhookTry>
  /** The first try since the delivery was created or replayed; null before it. */
  readonly startedAt: Instant | null
  /** When this try was due; different if the delivery was restarted meanwhile. */
  readonly nextTryAt: Instant | null
}

/** `restarted`: the delivery was restarted during the try, and is due at once. `lost`: another has the lease. */
export type RecordedTry = "recorded" | "restarted" | "lost"

/** Each method is one atomic statement, except `wakeOthers`. */
export class WebhookStore extends Context.Service<
  WebhookStore,
  {
    /** The delivery of a timer, while the timer is still leased with this token; none if nothing is left to deliver. */
    readonly loadLeased: (timer: LeasedTimer, now: Instant) => Effect.Effect<Option.Option<DueDelivery>>
    /**
     * Records the outcome for the delivery, its timer and its endpoint, while the timer is still leased with this
     * token. Else it records nothing. An endpoint with a new address is not disabled for responses of the old one.
     */
    readonly record: (
      timer: LeasedTimer,
      due: DueDelivery,
      judgement: Judgement,
      exchange: WebhookExchange,
      now: Instant
    ) => Effect.Effect<RecordedTry>
    /** Releases the timer: its delivery is due again at that time. */
    readonly putBack: (timer: LeasedTimer, at: Instant) => Effect.Effect<void>
    /** Makes the endpoint's other deliveries due: it accepts nothing any more. */
    readonly wakeOthers: (timer: LeasedTimer, now: Instant) => Effect.Effect<void>
    /** The endpoint does not take the event any more: nothing is posted, and the delivery ends as failed. */
    readonly giveUp: (timer: LeasedTimer, endpointId: number, now: Instant) => Effect.Effect<void>
  }
>()("peyk/services/webhook/WebhookStore") {}

export interface WebhookPost {
  readonly url: string
  /** An event that is sent again keeps it. */
  readonly id: string
  readonly body: string
  readonly secrets: readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>]
  readonly sentAt: Instant
}

/** Posts signed events: no redirects, no repeats, limited in time. */
export class WebhookSender extends Context.Service<
  WebhookSender,
  { readonly post: (post: WebhookPost) => Effect.Effect<WebhookResponse> }
>()("peyk/services/webhook/WebhookStore/WebhookSender") {}
