import type { Instant } from "../Instant.ts"
import type { Transition } from "../Transition.ts"
import { type Message, type MessageAttempt, type MessageEventType, sendTime } from "./Message.ts"
import { chargeInOrder, sumOfCharges } from "../money/Charging.ts"

export const withAttempt = (
  attempts: ReadonlyArray<MessageAttempt>,
  attempt: MessageAttempt
): ReadonlyArray<MessageAttempt> =>
  attempts.some(({ step }) => step === attempt.step)
    ? attempts.map((existing) => (existing.step === attempt.step ? attempt : existing))
    : [...attempts, attempt]

export const newAttempt = (step: number, dueAt: Instant): MessageAttempt => ({
  step,
  status: "pending",
  tries: 0,
  error_code: null,
  provider_error: null,
  provider_message_id: null,
  due_at: dueAt,
  attempted_at: null,
  finished_at: null
})

export const failedAttempt = (attempt: MessageAttempt, now: Instant): MessageAttempt => ({
  ...attempt,
  status: "failed",
  error_code: attempt.error_code ?? "account_unavailable",
  finished_at: now
})

/**
 * A message has lanes: under failover one, through all steps of the route until one succeeds; under broadcast one for
 * each step. Lanes do not wait for each other, and each has its own timer.
 */
export type Lane = number

export const lanes = ({ strategy, route }: Message): ReadonlyArray<Lane> =>
  strategy === "failover" ? [0] : route.map((_, step) => step)

export const laneOf = ({ strategy }: Message, step: number): Lane => (strategy === "failover" ? 0 : step)

const stepsOf = (message: Message, lane: Lane): ReadonlyArray<number> =>
  message.route.map((_, step) => step).filter((step) => laneOf(message, step) === lane)

export const attemptsOf = (message: Message, lane: Lane): ReadonlyArray<MessageAttempt> =>
  message.attempts.filter(({ step }) => laneOf(message, step) === lane)

type LaneState = "open" | "sent" | "failed"

export const laneState = (message: Message, lane: Lane): LaneState => {
  const attempts = attemptsOf(message, lane)
  if (attempts.some(({ status }) => status === "sent")) return "sent"
  const failed = attempts.filter(({ status }) => status === "failed").length
  return failed === stepsOf(message, lane).length ? "failed" : "open"
}

/** The message with the most that its lanes can still cost. */
export const chargeMessage = (message: Message): Message => {
  const chargeOf = (lane: Lane) => {
    const attempts = attemptsOf(message, lane)
    const stepsWith = (isMeant: (status: MessageAttempt["status"] | undefined) => boolean) =>
      stepsOf(message, lane)
        .filter((step) => isMeant(attempts.find((attempt) => attempt.step === step)?.status))
        .flatMap((step) => message.route[step] ?? [])
    const possible = laneState(message, lane) === "open" ? stepsWith((status) => status !== "failed") : []
    return chargeInOrder(
      stepsWith((status) => status === "sent"),
      possible
    )
  }
  return { ...message, ...sumOfCharges(lanes(message).map(chargeOf)) }
}

export const laneDueAt = (message: Message, lane: Lane): Instant => {
  const attempts = attemptsOf(message, lane)
  const pending = attempts.find(({ status }) => status === "pending")
  return pending?.due_at ?? attempts.at(-1)?.finished_at ?? sendTime(message)
}

/** The steps that a lane can still use: first the one to retry, then the untried ones. */
export const candidatesOf = (message: Message, lane: Lane): ReadonlyArray<number> => {
  const attempts = attemptsOf(message, lane)
  const retried = attempts.filter(({ status }) => status === "pending").map(({ step }) => step)
  const untried = stepsOf(message, lane).filter((step) => !attempts.some((attempt) => attempt.step === step))
  return [...retried, ...untried]
}

/** Without the lane's reserved slot, which was used or has passed. */
export const otherReservations = (message: Message, lane: Lane): Message["reservations"] =>
  message.reservations.filter(({ step }) => laneOf(message, step) !== lane)

/** "held": the lease goes on, because a provider is being called. */
type LaneDue = Instant | null | "held"

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
