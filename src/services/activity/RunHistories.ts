import { Context, type Effect } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type { HashedClient } from "../../domain/customer/Client.ts"
import type { TimeSpan } from "../../domain/Paging.ts"
import type { DeliveryStatus, WebhookTry } from "../../domain/Webhook.ts"

/** A verification or a message whose history is read. */
export interface Run {
  readonly kind: "verification" | "message"
  readonly id: string
  /** Parts of time in which everything about it was written, but for late events. */
  readonly periods: ReadonlyArray<TimeSpan>
  /** Events of reports may be written until then; null: `periods` go on until now. */
  readonly late: TimeSpan | null
}

/** An event on its way to one endpoint. */
export interface RunDelivery {
  readonly endpointId: number
  readonly url: string
  readonly status: DeliveryStatus
  readonly tries: ReadonlyArray<WebhookTry>
  readonly nextTryAt: Instant | null
}

export interface RunEvent {
  readonly id: string
  readonly type: string
  readonly sequence: number
  readonly occurredAt: Instant
  readonly deliveries: ReadonlyArray<RunDelivery>
}

/** Money that was taken for it; negative, in rials. */
interface RunCharge {
  readonly id: string
  readonly amount: number
  readonly occurredAt: Instant
}

export interface RunHistory {
  /** In the order in which they were written. Those that retention removed are missing. */
  readonly events: ReadonlyArray<RunEvent>
  readonly charges: ReadonlyArray<RunCharge>
  /** Wrong codes that were entered; null for a message. */
  readonly wrongCodes: number | null
  /** Keyed hashes of who asked for a code, as the request described them; null: it did not, or it is a message. */
  readonly client: HashedClient | null
}

/** The stored history of one send, without its own record. */
export class RunHistories extends Context.Service<
  RunHistories,
  { readonly read: (customerId: number, run: Run) => Effect.Effect<RunHistory> }
>()("peyk/services/activity/RunHistories") {}
