import { Context, type Effect, type Option, type Redacted } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type { Judgement, WebhookTry } from "../../domain/webhook/Webhook.ts"
import type { LeasedTimer } from "../../domain/Timer.ts"

/** A delivery whose time has come, with all that making it needs. */
export interface DueDelivery {
  readonly customerId: number
  readonly endpointId: number
  readonly eventId: string
  readonly url: string
  readonly isDisabled: boolean
  readonly failingSince: Instant | null
  /** The one in force, and beside it the one it replaced, for as long as that still signs. */
  readonly secrets: readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>]
  /** What is posted: JSON. */
  readonly body: string
  readonly tries: ReadonlyArray<WebhookTry>
  /** The first try since the delivery was created or replayed; null before it. */
  readonly startedAt: Instant | null
  /** When this try was due: another one once the delivery was begun anew meanwhile. */
  readonly nextTryAt: Instant | null
}

/** Each method is one atomic statement. */
export class WebhookStore extends Context.Service<
  WebhookStore,
  {
    /** What a timer is due for, while that is still leased with this token; none when there is nothing left to tell of. */
    readonly loadLeased: (timer: LeasedTimer, now: Instant) => Effect.Effect<Option.Option<DueDelivery>>
    /**
     * Writes what became of it, of its timer and its endpoint, while the timer is still leased with this token: false, and
     * nothing, when the lease was lost. A delivery that was begun anew meanwhile goes on, and is due at once; an endpoint
     * that got another address is not disabled for what the old one answered.
     */
    readonly record: (
      timer: LeasedTimer,
      due: DueDelivery,
      judgement: Judgement,
      now: Instant
    ) => Effect.Effect<boolean>
    /** Its endpoint takes nothing any more. */
    readonly giveUp: (timer: LeasedTimer, endpointId: number, now: Instant) => Effect.Effect<void>
  }
>()("peyk/services/webhook/WebhookStore") {}
