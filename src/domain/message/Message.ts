import { Result, Schema } from "effect"
import { InvalidStrategy, MessageRequired, MessageTooLong } from "../Errors.ts"
import { Instant } from "../Instant.ts"
import { Phone } from "../Phone.ts"
import { AttemptErrorCode, attemptErrors, Delivery, isUncertain } from "../ProviderOutcome.ts"
import { Charge } from "../money/Charging.ts"
import type { ChannelDescriptor } from "../routing/Channel.ts"
import { isBlank } from "../text/VisibleText.ts"
import { RouteAccount } from "../routing/Route.ts"

/** Over one route after the other until one succeeds, or over all of them. */
export const Strategy = Schema.Literals(["failover", "broadcast"])
export type Strategy = typeof Strategy.Type

const isStrategy = Schema.is(Strategy)

export const parseStrategy = (name: string): Result.Result<Strategy, InvalidStrategy> =>
  isStrategy(name) ? Result.succeed(name) : Result.fail(new InvalidStrategy())

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

export interface MessageAttemptView {
  readonly sequence: number
  readonly channel: ChannelDescriptor
  readonly status: MessageAttempt["status"]
  readonly errorCode: AttemptErrorCode | null
  readonly errorMessage: string | null
  readonly providerError: string | null
  readonly dueAt: Instant
  readonly attemptedAt: Instant | null
  readonly finishedAt: Instant | null
}

/** The fields of a message that readers see. */
export type ShownMessage = Pick<
  Message,
  | "id"
  | "phone"
  | "status"
  | "strategy"
  | "route"
  | "template"
  | "metadata"
  | "attempts"
  | "scheduledFor"
  | "createdAt"
  | "completedAt"
>

const attemptView = ({ route }: ShownMessage, attempt: MessageAttempt): MessageAttemptView => ({
  sequence: attempt.step + 1,
  channel: (route[attempt.step] ?? route[0]).descriptor,
  status: attempt.status,
  errorCode: attempt.error_code,
  errorMessage: attempt.error_code === null ? null : attemptErrors[attempt.error_code],
  providerError: attempt.provider_error,
  dueAt: attempt.due_at,
  attemptedAt: attempt.attempted_at,
  finishedAt: attempt.finished_at
})

export interface MessageView extends Pick<
  Message,
  | "id"
  | "status"
  | "phone"
  | "strategy"
  | "scheduledFor"
  | "template"
  | "metadata"
  | "createdAt"
  | "completedAt"
> {
  readonly successfulAttempts: number
  readonly failedAttempts: number
  /** The failed ones that may have been delivered. */
  readonly unknownAttempts: number
  readonly attempts: ReadonlyArray<MessageAttemptView>
}

/** The response of the status endpoint. */
export const viewMessage = (message: ShownMessage): MessageView => {
  // Routes of a broadcast begin together, so they appear in the order of the request.
  const attempts =
    message.strategy === "broadcast"
      ? message.attempts.toSorted((one, other) => one.step - other.step)
      : message.attempts
  const count = (status: MessageAttempt["status"]) =>
    attempts.filter((attempt) => attempt.status === status).length
  const { id, status, phone, strategy, scheduledFor, template, metadata, createdAt, completedAt } = message
  return {
    id,
    status,
    phone,
    strategy,
    scheduledFor,
    template,
    metadata,
    createdAt,
    completedAt,
    successfulAttempts: count("sent"),
    failedAttempts: count("failed"),
    unknownAttempts: attempts.filter((attempt) => attempt.status === "failed" && isUncertain(attempt)).length,
    attempts: attempts.map((attempt) => attemptView(message, attempt))
  }
}

/** Characters of a text. */
export const MAX_TEXT_LENGTH = 1000

/** Passes a text that can be sent: not blank to a reader, of `MAX_TEXT_LENGTH` code points at most. */
export const checkText = (text: string): Result.Result<string, MessageRequired | MessageTooLong> => {
  // Code points are only counted where there may be too many.
  const length = text.length <= MAX_TEXT_LENGTH ? text.length : Array.from(text).length
  if (isBlank(text)) return Result.fail(new MessageRequired())
  return length <= MAX_TEXT_LENGTH
    ? Result.succeed(text)
    : Result.fail(new MessageTooLong({ details: { length, maximum: MAX_TEXT_LENGTH } }))
}
