import { Schema } from "effect"
import { HOUR_MILLIS, Instant, MINUTE_MILLIS } from "../Instant.ts"

/** What people are alerted of. */
export const customerAlertKinds = [
  "channel_down",
  "conversion_fell",
  "balance_low",
  "quota_near",
  "budget",
  "guard_alarm",
  "webhook_failing",
  "webhook_off",
  "key_expiring"
] as const

/** What those who run the installation are alerted of: shared accounts, customers under attack, work that is late. */
export const platformAlertKinds = ["channel_down", "balance_low", "guard_alarm", "work_late"] as const

/** Sent when somebody asks for it, whatever the settings say. */
export const TEST_ALERT = "test"

export const AlertKind = Schema.Literals([...customerAlertKinds, "work_late"])
export type AlertKind = typeof AlertKind.Type

export const RaisedKind = Schema.Literals([...AlertKind.literals, TEST_ALERT])
export type RaisedKind = typeof RaisedKind.Type

/** What can pass quiet hours, because waiting until the morning costs too much. */
const urgentKinds: ReadonlySet<RaisedKind> = new Set([
  "channel_down",
  "guard_alarm",
  "webhook_off",
  "work_late",
  "test"
])

export const isUrgent = (kind: RaisedKind): boolean => urgentKinds.has(kind)

/** What an alert is about. Two alerts with one kind, type and id are about the same. */
export const AlertSubject = Schema.Struct({
  type: Schema.Literals([
    "account",
    "budget",
    "channel",
    "customer",
    "guard",
    "installation",
    "key",
    "quota",
    "recipient",
    "token",
    "wallet",
    "webhook"
  ]),
  id: Schema.String,
  /** What people call it; null: it has no name. */
  name: Schema.NullOr(Schema.String)
})
export type AlertSubject = typeof AlertSubject.Type

export const AlertCounts = Schema.Record(Schema.String, Schema.Finite)
export type AlertCounts = typeof AlertCounts.Type

/** Something that a person should know now: names, ids and counts; never a code, a text, a phone or a secret. */
export interface AlertCondition {
  readonly kind: AlertKind
  readonly subject: AlertSubject
  readonly counts: AlertCounts
}

/** How an alert reaches somebody. */
export const AlertMeans = Schema.Literals(["email", "message"])
export type AlertMeans = typeof AlertMeans.Type

/** `dropped`: its recipient was removed, or can no longer be reached. */
export const AlertDeliveryStatus = Schema.Literals(["pending", "sent", "failed", "dropped"])
export type AlertDeliveryStatus = typeof AlertDeliveryStatus.Type

export const AlertDelivery = Schema.Struct({
  lane: Schema.Int,
  recipientId: Schema.Int,
  means: AlertMeans,
  status: AlertDeliveryStatus,
  /** When the next try is due, or was. */
  dueAt: Instant,
  tries: Schema.Int,
  /** Why the last try failed, in words of Peyk. */
  error: Schema.NullOr(Schema.String),
  /** The message that carries it. */
  messageId: Schema.NullOr(Schema.String),
  finishedAt: Schema.NullOr(Instant)
})
export type AlertDelivery = typeof AlertDelivery.Type

/** An alert as it was raised. */
export const AlertRecord = Schema.Struct({
  id: Schema.String,
  kind: RaisedKind,
  subject: AlertSubject,
  counts: AlertCounts,
  /** How often the same happened since the alert before, and was not sent. */
  heldBack: Schema.Int,
  raisedAt: Instant,
  deliveries: Schema.Array(AlertDelivery)
})
export type AlertRecord = typeof AlertRecord.Type

export const RecipientType = Schema.Literals(["user", "email", "phone"])
export type RecipientType = typeof RecipientType.Type

/** Somebody who gets a customer's alerts. */
export const AlertRecipient = Schema.Struct({
  id: Schema.Int,
  type: RecipientType,
  userId: Schema.NullOr(Schema.String),
  /** Where alerts go: an e-mail address, or a phone; null: the user has been removed. */
  address: Schema.NullOr(Schema.String),
  /** A user's name. */
  name: Schema.NullOr(Schema.String),
  /** Null: nothing is sent there until its code was entered. */
  confirmedAt: Schema.NullOr(Instant),
  /** The user cannot sign in any more, and gets nothing. */
  isDisabled: Schema.Boolean,
  createdAt: Instant
})
export type AlertRecipient = typeof AlertRecipient.Type

export const MAX_RECIPIENTS = 20

/** Test alerts, and codes that confirm addresses, of one customer in an hour. */
export const MAX_TESTS_PER_HOUR = 5
export const MAX_CODES_PER_HOUR = 5
export const ALERT_WINDOW_MILLIS = HOUR_MILLIS

/** A code that confirms an address. */
export const CONFIRMATION_DIGITS = 6
export const CONFIRMATION_MILLIS = 15 * MINUTE_MILLIS
export const MAX_CONFIRMATION_TRIES = 5

/** Events for webhooks that name them: `*` has none of them. */
export const ALERT_EVENTS = "alert.*"
export const AlertEventType = Schema.Literals([
  "alert.channel_down",
  "alert.conversion_fell",
  "alert.balance_low",
  "alert.quota_near",
  "alert.budget",
  "alert.guard_alarm",
  "alert.webhook_failing",
  "alert.webhook_off",
  "alert.key_expiring"
])
export type AlertEventType = typeof AlertEventType.Type

export const alertEventOf = (kind: RaisedKind): AlertEventType | null =>
  AlertEventType.literals.find((type) => type === `alert.${kind}`) ?? null

/** The kind that an event is of. */
export const alertKindOf = (type: string): AlertKind =>
  customerAlertKinds.find((kind) => `alert.${kind}` === type) ?? "channel_down"

/** The key of the message that carries an alert: it is sent once. */
export const alertMessageKey = (alertId: string, lane: number): string => `peyk-alert:${alertId}:${lane}`
