import { Schema } from "effect"
import { Instant } from "../Instant.ts"
import { MessageEventType, type ShownMessage } from "../message/Message.ts"
import { EventType, type ShownVerification } from "../verification/Verification.ts"
import { isGivenUp, nextTryAt } from "./WebhookSchedule.ts"

/** What an endpoint can ask for; `*` is all of it. */
export const WebhookEventType = Schema.Literals([...EventType.literals, ...MessageEventType.literals])
export const EVERY_EVENT = "*"
/** Comes only when it is asked for. */
export const TEST_EVENT = "webhook.test"

/** What an event is about, as it was at the event. */
export type EventSubject =
  | { readonly kind: "verification"; readonly verification: ShownVerification }
  | { readonly kind: "message"; readonly message: ShownMessage }
  | { readonly kind: "endpoint"; readonly id: number }

export interface WebhookEvent {
  readonly type: string
  readonly occurredAt: Instant
  /** Grows with each event of its subject. */
  readonly sequence: number
  readonly subject: EventSubject
}

export const MAX_ENDPOINTS = 20

/** How long a replaced secret still signs. */
export const ROTATION_MILLIS = 24 * 3_600_000

const REPLAY_MILLIS = 30 * 24 * 3_600_000

/** From when on events are replayed to whoever asks for all since then: those of the last 30 days. */
export const replayedFrom = (since: Instant, now: Instant): Instant => Math.max(since, now - REPLAY_MILLIS)

/** Gone: it answered 410. Failing: nothing was taken for days. Manual: the customer switched it off. */
export const DisabledReason = Schema.Literals(["gone", "failing", "manual"])
export type DisabledReason = typeof DisabledReason.Type

export const WebhookEndpoint = Schema.Struct({
  id: Schema.Int,
  url: Schema.String,
  events: Schema.Array(Schema.String),
  description: Schema.String,
  disabledReason: Schema.NullOr(DisabledReason),
  /** Since when no try has succeeded; null while the last one did. */
  failingSince: Schema.NullOr(Instant),
  createdAt: Instant,
  version: Schema.Int
})
export type WebhookEndpoint = typeof WebhookEndpoint.Type

/** One request to an endpoint, as it is kept. */
export const WebhookTry = Schema.Struct({
  at: Instant,
  /** What it answered; null when it did not. */
  status: Schema.NullOr(Schema.Int),
  /** Why there is no answer. */
  error: Schema.NullOr(Schema.String),
  duration_ms: Schema.Int
})
export type WebhookTry = typeof WebhookTry.Type

export const DeliveryStatus = Schema.Literals(["pending", "delivered", "failed"])
export type DeliveryStatus = typeof DeliveryStatus.Type

/** One event on its way to one endpoint. */
export const WebhookDelivery = Schema.Struct({
  eventId: Schema.String,
  eventType: Schema.String,
  subject: Schema.String,
  sequence: Schema.Int,
  status: DeliveryStatus,
  tries: Schema.Array(WebhookTry),
  createdAt: Instant,
  nextTryAt: Schema.NullOr(Instant),
  finishedAt: Schema.NullOr(Instant)
})
export type WebhookDelivery = typeof WebhookDelivery.Type

/** What a try came to. */
export interface WebhookAnswer {
  readonly status: number | null
  readonly error: string | null
  readonly retryAfterMillis: number | null
}

/** What becomes of a delivery, and of its endpoint, after a try. */
export interface Judgement {
  readonly status: DeliveryStatus
  readonly nextTryAt: Instant | null
  /** The first try since the delivery began, or was begun anew. */
  readonly startedAt: Instant
  readonly tries: ReadonlyArray<WebhookTry>
  readonly failingSince: Instant | null
  readonly disables: DisabledReason | null
}

/** Replays make ever more of them; the last ones tell enough. */
const MAX_KEPT_TRIES = 50

const GONE = 410

export const isTaken = (status: number | null): boolean => status !== null && status >= 200 && status < 300

interface Tried {
  readonly tries: ReadonlyArray<WebhookTry>
  readonly startedAt: Instant | null
  readonly failingSince: Instant | null
}

/** An event that was tried less often has not had its chance: after days without any, one failure says little. */
const MIN_TRIES_TO_GIVE_UP = 3

const disabledBy = (
  status: number | null,
  {
    failingSince,
    tries,
    now
  }: { readonly failingSince: Instant; readonly tries: number; readonly now: Instant }
): DisabledReason | null => {
  if (status === GONE) return "gone"
  return tries >= MIN_TRIES_TO_GIVE_UP && isGivenUp(failingSince, now) ? "failing" : null
}

/** @param random at least 0, less than 1 */
export const judge = (
  before: Tried,
  { status, error, retryAfterMillis }: WebhookAnswer,
  { at, finishedAt }: { readonly at: Instant; readonly finishedAt: Instant },
  random: number
): Judgement => {
  const startedAt = before.startedAt ?? at
  const made: WebhookTry = { at, status, error, duration_ms: finishedAt - at }
  const tries = [...before.tries, made].slice(-MAX_KEPT_TRIES)
  if (isTaken(status)) {
    return { status: "delivered", nextTryAt: null, startedAt, tries, failingSince: null, disables: null }
  }
  const failingSince = before.failingSince ?? at
  const disables = disabledBy(status, { failingSince, tries: tries.length, now: finishedAt })
  const next =
    disables === null ? nextTryAt({ firstAt: startedAt, at, finishedAt, retryAfterMillis }, random) : null
  return {
    status: next === null ? "failed" : "pending",
    nextTryAt: next,
    startedAt,
    tries,
    failingSince,
    disables
  }
}
