import { Result } from "effect"
import { isUncertain } from "../account/ProviderOutcome.ts"
import { MessageEnded } from "../Errors.ts"
import type { Instant } from "../Instant.ts"
import type { Message, MessageAttempt } from "./Message.ts"
import { lanes, laneState } from "./MessageLanes.ts"
import { finalStatus, type MessageTransition } from "./MessageTransition.ts"

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
  next: {
    ...message,
    status,
    revision: message.revision + 1,
    attempts: withoutWaiting(message.attempts, now),
    reservations: [],
    completedAt: now,
    held: 0
  },
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
