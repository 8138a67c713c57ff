import { type Delivery, reportRequest, withDelivery } from "../account/DeliveryReport.ts"
import type { Instant } from "../Instant.ts"
import type { Message, MessageAttempt, MessageStatus } from "./Message.ts"
import { attemptResult, outcomeOfRepeat, type ProviderOutcome } from "../account/ProviderOutcome.ts"
import { MESSAGE_RETRY_MILLIS } from "../Schedules.ts"
import { failedAttempt, newAttempt, withAttempt } from "./MessageAttempts.ts"
import { type Call, decideMessage, maySend } from "./MessageDecision.ts"
import { candidatesOf, chargeMessage, laneDueAt, laneOf, otherReservations } from "./MessageLanes.ts"
import { type LaneTurn, patienceEnd } from "./MessagePatience.ts"
import { type MessageTransition, settle, unchanged } from "./MessageTransition.ts"

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
  answer: ProviderOutcome,
  finishedAt: Instant
): MessageTransition => {
  const begun = message.attempts.find((attempt) => attempt.step === step)
  if (begun?.status !== "sending" || begun.tries !== tries) return unchanged(message)
  const outcome = begun.repeated === true ? outcomeOfRepeat(answer) : answer
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
