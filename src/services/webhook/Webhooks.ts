import { Context, type Effect, type Redacted } from "effect"
import type { Conflict, NotFound, PreconditionFailed, ValidationError } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { Page, PageRequest } from "../../domain/Paging.ts"
import type { KeyMode } from "../../domain/customer/Customer.ts"
import type { DeliveryStatus, WebhookDelivery, WebhookEndpoint } from "../../domain/Webhook.ts"

/** A new endpoint with its signing secret, which is shown once. */
export interface CreatedWebhook {
  readonly endpoint: WebhookEndpoint
  readonly secret: Redacted.Redacted
}

interface NewWebhook {
  readonly url: string
  readonly events: ReadonlyArray<string>
  readonly description: string
  readonly mode: KeyMode
}

/** A missing field stays as it is. */
interface WebhookChange extends Partial<Omit<NewWebhook, "mode">> {
  readonly isDisabled?: boolean | undefined
}

interface DeliveryFilter {
  readonly status?: DeliveryStatus | undefined
  readonly eventType?: string | undefined
  /** Events from then on. */
  readonly since?: Instant | undefined
}

export interface Replay {
  readonly replayed: number
  /** Where the next request continues; null: that was all. */
  readonly nextSince: Instant | null
}

/** A customer's own webhook endpoints. Those of another customer do not exist here. */
export class Webhooks extends Context.Service<
  Webhooks,
  {
    /** Whether endpoints can be plain http, or in a private network. */
    readonly allowsPrivateAddresses: boolean
    /** Whether events may be sent there; resolves its name, so it belongs before a transaction. */
    readonly checkUrl: (url: string) => Effect.Effect<void, ValidationError>
    readonly list: (customerId: number, page: PageRequest) => Effect.Effect<Page<WebhookEndpoint>>
    readonly find: (customerId: number, id: number) => Effect.Effect<WebhookEndpoint, NotFound>
    readonly create: (
      customerId: number,
      webhook: NewWebhook
    ) => Effect.Effect<CreatedWebhook, NotFound | Conflict>
    /** @param version the expected one; null: any */
    readonly update: (
      customerId: number,
      id: number,
      change: WebhookChange,
      version: number | null
    ) => Effect.Effect<WebhookEndpoint, NotFound | PreconditionFailed>
    /**
     * Its pending deliveries fail.
     *
     * @param version the expected one; null: any
     */
    readonly remove: (
      customerId: number,
      id: number,
      version: number | null
    ) => Effect.Effect<void, NotFound | PreconditionFailed>
    /** Another secret; the previous one also signs for a day. */
    readonly rotateSecret: (customerId: number, id: number) => Effect.Effect<CreatedWebhook, NotFound>
    /** A test event for this endpoint only. */
    readonly test: (customerId: number, id: number) => Effect.Effect<WebhookDelivery, NotFound | Conflict>
    readonly deliveries: (
      customerId: number,
      id: number,
      page: PageRequest & DeliveryFilter
    ) => Effect.Effect<Page<WebhookDelivery>, NotFound>
    readonly delivery: (
      customerId: number,
      id: number,
      eventId: string
    ) => Effect.Effect<WebhookDelivery, NotFound>
    /** The JSON that is posted for an event of this endpoint; null once its record is deleted. */
    readonly body: (customerId: number, id: number, eventId: string) => Effect.Effect<string | null>
    /** Delivers an event again, whatever its outcome was. */
    readonly replay: (
      customerId: number,
      id: number,
      eventId: string
    ) => Effect.Effect<WebhookDelivery, NotFound | Conflict>
    /** Delivers all events since then again that the endpoint wants, a limited number at a time. */
    readonly replaySince: (
      customerId: number,
      id: number,
      since: Instant
    ) => Effect.Effect<Replay, NotFound | Conflict>
  }
>()("peyk/services/webhook/Webhooks") {}
