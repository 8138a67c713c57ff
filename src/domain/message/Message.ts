import { Schema } from "effect"
import { Delivery } from "../account/DeliveryReport.ts"
import { AttemptErrorCode } from "../account/ProviderOutcome.ts"
import { Instant } from "../Instant.ts"
import { Charge } from "../money/Charging.ts"
import { Phone } from "../Phone.ts"
import { RouteAccount } from "../routing/RouteAccount.ts"
import { Strategy } from "./Strategy.ts"

export const MessageStatus = Schema.Literals([
  "queued",
  "sending",
  "sent",
  "failed",
  "partial_failed",
  "canceled"
])
export type MessageStatus = typeof MessageStatus.Type

export const MessageAttemptStatus = Schema.Literals(["pending", "sending", "sent", "failed"])

/** A send over one account of the route, with its retries. */
export const MessageAttempt = Schema.Struct({
  /** Index into the route; the contract's `sequence` is one more. */
  step: Schema.Int,
  status: MessageAttemptStatus,
  /** How often the provider was called. */
  tries: Schema.Int,
  /** The outcome of a call was unknown; the next repeats it, because the provider de-duplicates. */
  repeated: Schema.optionalKey(Schema.Literal(true)),
  error_code: Schema.NullOr(AttemptErrorCode),
  /** The provider's own code and text. */
  provider_error: Schema.NullOr(Schema.String),
  provider_message_id: Schema.NullOr(Schema.String),
  due_at: Instant,
  /** When the provider was last called; null when it never was. */
  attempted_at: Schema.NullOr(Instant),
  finished_at: Schema.NullOr(Instant),
  /** The delivery report, if the provider has them; absent until it is known. */
  delivery: Schema.optionalKey(Delivery)
})
export type MessageAttempt = typeof MessageAttempt.Type

/** The template of a message, and the parameters as the request has them. */
export const UsedTemplate = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  parameters: Schema.Unknown
})
export type UsedTemplate = typeof UsedTemplate.Type

export const Reservation = Schema.Struct({ step: Schema.Int, at: Instant })
export type Reservation = typeof Reservation.Type

/** A message to one phone. */
export const Message = Schema.Struct({
  id: Schema.String,
  customerId: Schema.Int,
  phone: Phone,
  status: MessageStatus,
  /** Grows with every change; a write based on an older one is refused. */
  revision: Schema.Int,
  strategy: Strategy,
  route: Schema.NonEmptyArray(RouteAccount),
  text: Schema.String,
  template: Schema.NullOr(UsedTemplate),
  /** The customer's own data: JSON text, stored and returned unchanged. */
  metadata: Schema.String,
  /** In the order in which they began. */
  attempts: Schema.Array(MessageAttempt),
  /** Slots of accounts that are reserved for later steps. */
  reservations: Schema.Array(Reservation),
  /** How long it waits for an account that can send; null until its time has come. */
  patientUntil: Schema.NullOr(Instant),
  scheduledFor: Schema.NullOr(Instant),
  createdAt: Instant,
  completedAt: Schema.NullOr(Instant),
  ...Charge.fields
})
export type Message = typeof Message.Type

export const MessageEventType = Schema.Literals([
  "message.queued",
  "message.sending",
  "message.sent",
  "message.failed",
  "message.partial_failed",
  "message.canceled",
  "message.attempt_delivered",
  "message.attempt_undelivered"
])
export type MessageEventType = typeof MessageEventType.Type

export const startMessage = (
  input: Pick<
    Message,
    | "id"
    | "customerId"
    | "phone"
    | "strategy"
    | "route"
    | "text"
    | "template"
    | "metadata"
    | "scheduledFor"
    | "createdAt"
  >
): Message => ({
  ...input,
  status: "queued",
  revision: 0,
  attempts: [],
  reservations: [],
  patientUntil: null,
  completedAt: null,
  held: 0,
  captured: 0
})

/** When it will be sent. */
export const sendTime = ({ scheduledFor, createdAt }: Message): Instant => scheduledFor ?? createdAt
