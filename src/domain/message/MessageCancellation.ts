import { Result } from "effect"
import { isUncertain } from "../account/ProviderOutcome.ts"
import { MessageEnded } from "../Errors.ts"
import type { Instant } from "../Instant.ts"
import type { Message, MessageAttempt } from "./Message.ts"
import { lanes, laneState } from "./MessageLanes.ts"
import { failLane, type MessageTransition, settle } from "./MessageMachine.ts"

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
  return Result.succeed({
    next: {
      ...message,
      status: "canceled",
      revision: message.revision + 1,
      attempts: withoutWaiting(message.attempts, now),
      reservations: [],
      completedAt: now,
      held: 0
    },
    events: ["message.canceled"],
    dueAt: null
  })
}

/**
 * Canceled if that is possible; else nothing more is tried: the lanes that wait have failed. Refused where a provider is
 * being called.
 */
export const stopMessage = (
  message: Message,
  now: Instant
): Result.Result<MessageTransition, MessageEnded> => {
  const canceled = cancelMessage(message, now)
  const isBusy = message.attempts.some(({ status }) => status === "sending")
  if (Result.isSuccess(canceled) || message.completedAt !== null || isBusy) return canceled
  const open = lanes(message).filter((lane) => laneState(message, lane) === "open")
  const attempts = open.reduce(
    (all, lane) => failLane({ ...message, attempts: all }, lane, { dueAt: null, now }),
    message.attempts
  )
  return Result.succeed(settle({ ...message, reservations: [] }, 0, attempts, now))
}
