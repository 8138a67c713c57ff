import { Schema } from "effect"
import { DAY_MILLIS, HOUR_MILLIS, Instant, MINUTE_MILLIS, SECOND_MILLIS } from "./Instant.ts"
import { ALERT_EVENTS, AlertCounts, AlertEventType, AlertSubject, RaisedKind } from "./alert/Alert.ts"
import { KeyMode } from "./customer/Customer.ts"
import { GuardEventType, type ShownAlarm } from "./guard/Alarm.ts"
import { MessageEventType, type ShownMessage } from "./message/Message.ts"
import { EventType, type ShownVerification } from "./verification/Verification.ts"

/** A webhook: how long after the first try each try is made, at the earliest. */
export const WEBHOOK_TRY_MILLIS = [
  0,
  5 * SECOND_MILLIS,
  5 * MINUTE_MILLIS,
  30 * MINUTE_MILLIS,
  2 * HOUR_MILLIS,
  5 * HOUR_MILLIS,
  10 * HOUR_MILLIS,
  14 * HOUR_MILLIS,
  20 * HOUR_MILLIS,
  24 * HOUR_MILLIS
]
/** Each webhook try is later by up to this share, so that tries that failed together do not come back together. */
const WEBHOOK_JITTER = 0.1
/** The longest delay that a webhook's receiver can ask for. */
const WEBHOOK_MAX_RETRY_AFTER_MILLIS = DAY_MILLIS
/** An endpoint that has failed every try for this long is given up. */
const WEBHOOK_GIVE_UP_MILLIS = 5 * DAY_MILLIS

interface FailedTry {
  /** When the very first try was made. */
  readonly firstAt: Instant
  /** When this one was made. */
  readonly at: Instant
  /** When it ended. */
  readonly finishedAt: Instant
  /** The wait that the receiver asked for. */
  readonly retryAfterMillis: number | null
}

/**
 * When a failed delivery is tried again; null: never. Tries whose time has passed meanwhile (every process was down, or
 * the receiver asked for a wait) are skipped, not made in a row.
 *
 * @param random at least 0, less than 1
 */
export const nextTryAt = (
  { firstAt, at, finishedAt, retryAfterMillis }: FailedTry,
  random: number
): Instant | null => {
  const offset = WEBHOOK_TRY_MILLIS.find((after) => after > at - firstAt)
  if (offset === undefined) return null
  const planned = firstAt + offset + Math.floor(offset * WEBHOOK_JITTER * random)
  const requested = finishedAt + Math.min(Math.max(0, retryAfterMillis ?? 0), WEBHOOK_MAX_RETRY_AFTER_MILLIS)
  return Math.max(planned, requested)
}

/** Whether to give up an endpoint whose every try has failed since then. */
export const isGivenUp = (failingSince: Instant, now: Instant): boolean =>
  now - failingSince >= WEBHOOK_GIVE_UP_MILLIS

/** The events that an endpoint can ask for; `*` is all of them, except alerts. */
export const WebhookEventType = Schema.Literals([
  ...EventType.literals,
  ...MessageEventType.literals,
  ...GuardEventType.literals,
  ...AlertEventType.literals
])
export const EVERY_EVENT = "*"
/** Sent only on request. */
export const TEST_EVENT = "webhook.test"

/** An alert goes only where it is named: a program that takes all events need not know what people are told. */
export const isAlertEvent = (type: string): boolean => type.startsWith("alert.")

/** Whether an endpoint that asked for these events gets one of this type. */
export const isWantedEvent = (wanted: ReadonlyArray<string>, type: string): boolean =>
  wanted.includes(type) || wanted.includes(isAlertEvent(type) ? ALERT_EVENTS : EVERY_EVENT)

/** What an event stores of an alert. */
export const AlertSnapshot = Schema.Struct({
  kind: RaisedKind,
  subject: AlertSubject,
  counts: AlertCounts,
  held_back: Schema.Int
})
export type AlertSnapshot = typeof AlertSnapshot.Type

/** The subject of an event, at the time of the event. */
export type EventSubject =
  | { readonly kind: "verification"; readonly verification: ShownVerification }
  | { readonly kind: "message"; readonly message: ShownMessage }
  | { readonly kind: "guard"; readonly alarm: ShownAlarm }
  | { readonly kind: "alert"; readonly id: string; readonly alert: AlertSnapshot }
  | { readonly kind: "endpoint"; readonly id: number }

export interface WebhookEvent {
  readonly type: string
  /** `test`: of the sandbox. */
  readonly mode: KeyMode
  readonly occurredAt: Instant
  /** Grows with each event of its subject. */
  readonly sequence: number
  readonly subject: EventSubject
}

/** The part of an address that the audit log shows: the rest may be a secret of the receiver. */
export const originOf = (url: string | null | undefined): string | undefined =>
  url == null ? undefined : URL.parse(url)?.origin

export const MAX_ENDPOINTS = 20

/** How long a receiver has to respond. */
export const WEBHOOK_TIMEOUT_MILLIS = 15 * SECOND_MILLIS

/** How long a replaced secret still signs. */
export const ROTATION_HOURS = 24
export const ROTATION_MILLIS = ROTATION_HOURS * HOUR_MILLIS

const REPLAY_MILLIS = 30 * DAY_MILLIS
/** Events that one request replays, so that none takes long, and no receiver is flooded by one call. */
export const MAX_REPLAYED = 1000

/** The earliest start of a replay of all events since a time: the last 30 days. */
export const replayedFrom = (since: Instant, now: Instant): Instant => Math.max(since, now - REPLAY_MILLIS)

/** Gone: it returned 410. Failing: it accepted nothing for days. Manual: the customer switched it off. */
export const DisabledReason = Schema.Literals(["gone", "failing", "manual"])
export type DisabledReason = typeof DisabledReason.Type

export const WebhookEndpoint = Schema.Struct({
  id: Schema.Int,
  url: Schema.String,
  events: Schema.Array(Schema.String),
  description: Schema.String,
  /** Which events it takes: live ones, or the sandbox's. */
  mode: KeyMode,
  disabledReason: Schema.NullOr(DisabledReason),
  /** Since when no try has succeeded; null while the last one did. */
  failingSince: Schema.NullOr(Instant),
  createdAt: Instant,
  version: Schema.Int
})
export type WebhookEndpoint = typeof WebhookEndpoint.Type

/** One request to an endpoint, as it is stored. */
export const WebhookTry = Schema.Struct({
  at: Instant,
  /** The status of the response; null without one. */
  status: Schema.NullOr(Schema.Int),
  /** Why there is no response. */
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
  /** Of the code or message; null: it is about none, or that is gone. */
  phone: Schema.NullOr(Schema.String),
  createdAt: Instant,
  /** When it was last started again by hand. */
  replayedAt: Schema.NullOr(Instant),
  nextTryAt: Schema.NullOr(Instant),
  finishedAt: Schema.NullOr(Instant)
})
export type WebhookDelivery = typeof WebhookDelivery.Type

/** The outcome of a try. */
export interface WebhookResponse {
  readonly status: number | null
  readonly error: string | null
  readonly retryAfterMillis: number | null
  /** The beginning of its body, without phones; absent: it had none. */
  readonly body?: string
  /** The signatures that were sent. */
  readonly signature?: string
}

/** What went over the wire in one of the last tries. */
export const WebhookExchange = Schema.Struct({
  at: Instant,
  signature: Schema.NullOr(Schema.String),
  body: Schema.NullOr(Schema.String)
})
export type WebhookExchange = typeof WebhookExchange.Type

/** How many of them are kept of a delivery. */
export const MAX_EXCHANGES = 5

/** How a delivery and its endpoint change after a try. */
export interface Judgement {
  readonly status: DeliveryStatus
  readonly nextTryAt: Instant | null
  /** The first try since the delivery began, or since its replay. */
  readonly startedAt: Instant
  readonly tries: ReadonlyArray<WebhookTry>
  readonly failingSince: Instant | null
  readonly disables: DisabledReason | null
}

/** Replays add ever more tries; the last ones are enough. */
const MAX_KEPT_TRIES = 50

const GONE = 410

export const isTaken = (status: number | null): boolean => status !== null && status >= 200 && status < 300

interface Tried {
  readonly tries: ReadonlyArray<WebhookTry>
  readonly startedAt: Instant | null
  readonly failingSince: Instant | null
}

/** An event needs this many tries before it counts: after days without any event, one failure says little. */
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
  { status, error, retryAfterMillis }: WebhookResponse,
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
