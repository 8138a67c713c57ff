import { Array as Arr, Result } from "effect"
import { withoutHold } from "../money/Charging.ts"
import { MessageEnded } from "../Errors.ts"
import { type Instant, MINUTE_MILLIS, SECOND_MILLIS } from "../Instant.ts"
import {
  type Message,
  type MessageAttempt,
  type MessageStatus,
  type Reservation,
  sendTime
} from "./Message.ts"
import {
  attemptsOf,
  candidatesOf,
  chargeMessage,
  failedAttempt,
  finalStatus,
  type Lane,
  laneDueAt,
  laneOf,
  lanes,
  laneState,
  type MessageTransition,
  newAttempt,
  otherReservations,
  settle,
  unchanged,
  withAttempt
} from "./MessageLanes.ts"
import {
  attemptResult,
  type Delivery,
  isUncertain,
  outcomeOfRepeat,
  type ProviderOutcome,
  reportRequest,
  withDelivery
} from "../ProviderOutcome.ts"

/** One call to a provider: the `tries`-th over this step. */
export interface Call {
  readonly step: number
  readonly tries: number
}

/** The work in a lane whose timer is due. */
export type MessageAction =
  /** Send over the first of these steps whose account can send now. */
  | { readonly _tag: "Send"; readonly candidates: Arr.NonEmptyReadonlyArray<number> }
  /** Send over this step: a slot of its account is reserved for it. */
  | { readonly _tag: "SendReserved"; readonly reservation: Reservation }
  /** A process made this call to a provider and died: the outcome is unknown. */
  | { readonly _tag: "Abandon"; readonly call: Call }
  | { readonly _tag: "Sleep"; readonly until: Instant }
  | { readonly _tag: "Nothing" }

/** The work for a process that has leased the lane's timer. */
export const decideMessage = (message: Message, lane: Lane, now: Instant): MessageAction => {
  if (message.completedAt !== null || laneState(message, lane) !== "open") return { _tag: "Nothing" }
  const attempts = attemptsOf(message, lane)
  const begun = attempts.find(({ status }) => status === "sending")
  if (begun !== undefined) return { _tag: "Abandon", call: { step: begun.step, tries: begun.tries } }
  const dueAt = laneDueAt(message, lane)
  if (now < dueAt) return { _tag: "Sleep", until: dueAt }
  const reservation = message.reservations.find(({ step }) => laneOf(message, step) === lane)
  if (reservation !== undefined) {
    return now < reservation.at
      ? { _tag: "Sleep", until: reservation.at }
      : { _tag: "SendReserved", reservation }
  }
  const candidates = candidatesOf(message, lane)
  return Arr.isReadonlyArrayNonEmpty(candidates) ? { _tag: "Send", candidates } : { _tag: "Nothing" }
}

const maySend = ({ _tag }: MessageAction): boolean => _tag === "Send" || _tag === "SendReserved"

/** The provider of this step is about to be called. Changes nothing if the lane no longer needs that call. */
export const beginAttempt = (message: Message, step: number, turn: LaneTurn): MessageTransition => {
  const { lane, dueAt, now } = turn
  const action = decideMessage(message, lane, now)
  if (!maySend(action) || !candidatesOf(message, lane).includes(step)) return unchanged(message)
  const before =
    message.attempts.find((attempt) => attempt.step === step) ??
    newAttempt(step, dueAt ?? laneDueAt(message, lane))
  const begun: MessageAttempt = {
    ...before,
    status: "sending",
    tries: before.tries + 1,
    error_code: null,
    provider_error: null,
    attempted_at: now
  }
  // If the account of a retry cannot send now, a step whose account can send goes first.
  const others = message.attempts.map((attempt) =>
    laneOf(message, attempt.step) === lane && attempt.status === "pending" && attempt.step !== step
      ? failedAttempt(attempt, now)
      : attempt
  )
  const status: MessageStatus = "sending"
  return {
    next: chargeMessage({
      ...message,
      status,
      revision: message.revision + 1,
      attempts: withAttempt(others, begun),
      reservations: otherReservations(message, lane),
      patientUntil: patienceEnd(message, turn)
    }),
    events: message.status === "queued" ? ["message.sending"] : [],
    dueAt: "held"
  }
}

/**
 * A begun call is not made: its slot passed before, and the next is at `at`. The step is again as it was `before` the
 * call. Changes nothing if the call was recorded as unknown meanwhile.
 */
export const postponeAttempt = (
  message: Message,
  { step, tries }: Call,
  before: Message,
  at: Instant
): MessageTransition => {
  const begun = message.attempts.find((attempt) => attempt.step === step)
  if (begun?.status !== "sending" || begun.tries !== tries) return unchanged(message)
  const earlier = before.attempts.find((attempt) => attempt.step === step)
  return {
    next: {
      ...message,
      revision: message.revision + 1,
      attempts:
        earlier === undefined
          ? message.attempts.filter((attempt) => attempt.step !== step)
          : withAttempt(message.attempts, { ...earlier, due_at: at })
    },
    events: [],
    dueAt: at
  }
}

/** Undefined: no retry is left. */
const retryDelay = (
  { route }: Message,
  { step, tries, repeated }: MessageAttempt,
  outcome: ProviderOutcome
): number | undefined => {
  if (outcome._tag === "Unavailable") return MESSAGE_RETRY_MILLIS[tries - 1]
  const mayRepeat = outcome._tag === "Unknown" && route[step]?.deduplicates === true && repeated !== true
  return mayRepeat ? 0 : undefined
}

/** The result of a provider call. Changes nothing if that call was recorded as unknown meanwhile. */
export const recordOutcome = (
  message: Message,
  { step, tries }: Call,
  response: ProviderOutcome,
  finishedAt: Instant
): MessageTransition => {
  const begun = message.attempts.find((attempt) => attempt.step === step)
  if (begun?.status !== "sending" || begun.tries !== tries) return unchanged(message)
  const outcome = begun.repeated === true ? outcomeOfRepeat(response) : response
  const delay = retryDelay(message, begun, outcome)
  const result: MessageAttempt = {
    ...begun,
    ...attemptResult(outcome),
    ...(outcome._tag === "Unknown" && delay !== undefined ? { repeated: true } : {})
  }
  const attempt: MessageAttempt =
    delay === undefined
      ? { ...result, finished_at: finishedAt }
      : { ...result, status: "pending", due_at: finishedAt + delay }
  return {
    ...settle(message, laneOf(message, step), withAttempt(message.attempts, attempt), finishedAt),
    ...reportRequest(message.route, attempt, finishedAt)
  }
}

/** A provider reported the delivery of a step that it had accepted. */
export const recordDelivery = (message: Message, step: number, delivery: Delivery): MessageTransition => {
  const attempts = withDelivery(message.attempts, step, delivery)
  return attempts === message.attempts
    ? unchanged(message)
    : {
        next: { ...message, revision: message.revision + 1, attempts },
        events: [`message.attempt_${delivery.status}`],
        dueAt: "held"
      }
}

/** Whether the phone has, or may have, received the message over this step; also while its provider is being called. */
const mayBeDelivered = (attempt: MessageAttempt): boolean =>
  attempt.status === "sent" ||
  attempt.status === "sending" ||
  attempt.repeated === true ||
  isUncertain(attempt)

/** A try that waits to be repeated has failed; one that was only postponed never began. */
const withoutWaiting = (
  attempts: ReadonlyArray<MessageAttempt>,
  now: Instant
): ReadonlyArray<MessageAttempt> =>
  attempts
    .filter(({ status, tries }) => status !== "pending" || tries > 0)
    .map((attempt) =>
      attempt.status === "pending" ? { ...attempt, status: "failed", finished_at: now } : attempt
    )

/** The end of a message before all of its steps were tried: those left are dropped, and nothing is held. */
const endNow = (
  message: Message,
  status: "canceled" | ReturnType<typeof finalStatus>,
  now: Instant
): MessageTransition => ({
  next: withoutHold({
    ...message,
    status,
    revision: message.revision + 1,
    attempts: withoutWaiting(message.attempts, now),
    reservations: [],
    completedAt: now
  }),
  events: [`message.${status}`],
  dueAt: null
})

/**
 * Nothing more is tried, and what was held is released. Refused where something was sent, or may have been: `canceled`
 * promises that the phone received nothing. A canceled message stays as it is.
 */
export const cancelMessage = (
  message: Message,
  now: Instant
): Result.Result<MessageTransition, MessageEnded> => {
  if (message.status === "canceled") return Result.succeed({ next: message, events: [], dueAt: null })
  if (message.completedAt !== null || message.attempts.some(mayBeDelivered)) {
    return Result.fail(new MessageEnded({ details: { status: message.status } }))
  }
  return Result.succeed(endNow(message, "canceled", now))
}

/**
 * Canceled if that is possible; else nothing more is tried, and a lane that sent nothing has failed. Refused where a
 * provider is being called.
 */
export const stopMessage = (
  message: Message,
  now: Instant
): Result.Result<MessageTransition, MessageEnded> => {
  const canceled = cancelMessage(message, now)
  const isBusy = message.attempts.some(({ status }) => status === "sending")
  if (Result.isSuccess(canceled) || message.completedAt !== null || isBusy) return canceled
  const states = lanes(message).map((lane) => (laneState(message, lane) === "sent" ? "sent" : "failed"))
  return Result.succeed(endNow(message, finalStatus(states), now))
}

/** The knowledge of a process about the lane that it works on. */
export interface LaneTurn {
  readonly lane: Lane
  /** When the lane's timer was due; null after a dead process's lease, which does not show it. */
  readonly dueAt: Instant | null
  readonly now: Instant
  readonly patienceMillis: number
}

/** A message whose provider is unavailable: the delay after each try. */
const MESSAGE_RETRY_MILLIS = [2 * SECOND_MILLIS, 8 * SECOND_MILLIS]

export const defaultPatience = {
  /** How long a due message waits for an account that can send, unless the operator sets another time. */
  messagePatienceMillis: 15 * MINUTE_MILLIS
}

/**
 * If a message is first looked at later than this after its time (every process was down), its patience begins then.
 * Otherwise the part of the backlog that one account cannot send at once would fail.
 */
const MAX_LATENESS_MILLIS = 5000

/** Until when the message waits for an account that can send. */
export const patienceEnd = (message: Message, { now, patienceMillis }: LaneTurn): Instant => {
  const planned = sendTime(message)
  const since = now - planned > MAX_LATENESS_MILLIS ? now : planned
  return message.patientUntil ?? since + patienceMillis
}

/** The attempts after a lane was given up: every step that it could still use has failed. */
const failLane = (message: Message, { lane, dueAt, now }: LaneTurn): ReadonlyArray<MessageAttempt> =>
  candidatesOf(message, lane).reduce((all, step) => {
    const waiting =
      all.find((attempt) => attempt.step === step) ?? newAttempt(step, dueAt ?? laneDueAt(message, lane))
    return withAttempt(all, failedAttempt(waiting, now))
  }, message.attempts)

/** The shortest wait for an account, so that the lane does not spin if clocks disagree. */
const MIN_WAIT_MILLIS = 50

/** Reserves the earliest slot of the lane's accounts for this step, unless it is after the patience ends. */
export const awaitSlot = (message: Message, reservation: Reservation, turn: LaneTurn): MessageTransition => {
  const { lane, now } = turn
  if (reservation.at > patienceEnd(message, turn)) return awaitAccount(message, reservation.at, turn)
  if (
    !maySend(decideMessage(message, lane, now)) ||
    !candidatesOf(message, lane).includes(reservation.step)
  ) {
    return unchanged(message)
  }
  return {
    next: {
      ...message,
      revision: message.revision + 1,
      reservations: [...otherReservations(message, lane), reservation],
      patientUntil: patienceEnd(message, turn)
    },
    events: [],
    dueAt: reservation.at
  }
}

/** No account of the lane can send in time; the earliest can at `freeAt`. Waits for it, or ends the lane. */
export const awaitAccount = (message: Message, freeAt: Instant, turn: LaneTurn): MessageTransition => {
  const { lane, now } = turn
  if (!maySend(decideMessage(message, lane, now))) return unchanged(message)
  const patientUntil = patienceEnd(message, turn)
  if (now < patientUntil) {
    return {
      next: {
        ...message,
        revision: message.revision + 1,
        reservations: otherReservations(message, lane),
        patientUntil
      },
      events: [],
      dueAt: Math.min(Math.max(freeAt, now + MIN_WAIT_MILLIS), patientUntil)
    }
  }
  return settle(message, lane, failLane(message, turn), now)
}
