import type { Instant } from "../Instant.ts"
import type { Transition } from "../Transition.ts"
import type { Message, MessageAttempt, MessageEventType } from "./Message.ts"
import {
  chargeMessage,
  type Lane,
  laneDueAt,
  lanes,
  laneState,
  type LaneState,
  otherReservations
} from "./MessageLanes.ts"

/** "held": the lease goes on, because a provider is being called. */
export type LaneDue = Instant | null | "held"

export type MessageTransition = Transition<Message, MessageEventType, LaneDue>

export const unchanged = (message: Message): MessageTransition => ({
  next: message,
  events: [],
  dueAt: "held"
})

/** The status after every lane has ended. */
export const finalStatus = (states: ReadonlyArray<LaneState>): "sent" | "failed" | "partial_failed" => {
  if (states.every((state) => state === "sent")) return "sent"
  return states.every((state) => state === "failed") ? "failed" : "partial_failed"
}

/** The message with these attempts; complete if no work is left. */
export const settle = (
  message: Message,
  lane: Lane,
  attempts: ReadonlyArray<MessageAttempt>,
  now: Instant
): MessageTransition => {
  const next = chargeMessage({
    ...message,
    revision: message.revision + 1,
    attempts,
    reservations: otherReservations(message, lane)
  })
  const states = lanes(next).map((each) => laneState(next, each))
  if (states.includes("open")) {
    return { next, events: [], dueAt: laneState(next, lane) === "open" ? laneDueAt(next, lane) : null }
  }
  const status = finalStatus(states)
  return { next: { ...next, status, completedAt: now }, events: [`message.${status}`], dueAt: null }
}
