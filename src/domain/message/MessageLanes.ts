import type { Instant } from "../Instant.ts"
import type { Transition } from "../Transition.ts"
import { type Message, type MessageAttempt, type MessageEventType, sendTime } from "./Message.ts"
import { type Charge, chargeInOrder, sumOfCharges } from "../money/Charging.ts"
import { accountAt, type RouteAccount } from "../routing/Route.ts"

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

const stepsOf = ({ strategy, route }: Message, lane: Lane): ReadonlyArray<number> =>
  strategy === "failover" ? route.map((_, step) => step) : [lane]

export const attemptsOf = (message: Message, lane: Lane): ReadonlyArray<MessageAttempt> =>
  message.strategy === "failover"
    ? message.attempts
    : message.attempts.filter(({ step }) => laneOf(message, step) === lane)

type LaneState = "open" | "sent" | "failed"

// Each message passes through these two about ten times. With a list for each condition they allocated an eighth of its bytes.

export const laneState = (message: Message, lane: Lane): LaneState => {
  let failed = 0
  for (const { step, status } of message.attempts) {
    if (laneOf(message, step) !== lane) continue
    if (status === "sent") return "sent"
    if (status === "failed") failed += 1
  }
  const steps = message.strategy === "failover" ? message.route.length : 1
  return failed === steps ? "failed" : "open"
}

const chargeOf = (message: Message, lane: Lane): Charge => {
  const isOpen = laneState(message, lane) === "open"
  const succeeded: Array<RouteAccount> = []
  const stillPossible: Array<RouteAccount> = []
  for (const step of stepsOf(message, lane)) {
    const status = message.attempts.find((attempt) => attempt.step === step)?.status
    if (status === "sent") succeeded.push(accountAt(message, step))
    if (isOpen && status !== "failed") stillPossible.push(accountAt(message, step))
  }
  return chargeInOrder(succeeded, stillPossible)
}

/** The message with the most that its lanes can still cost. */
export const chargeMessage = (message: Message): Message => ({
  ...message,
  ...sumOfCharges(lanes(message).map((lane) => chargeOf(message, lane)))
})

export const laneDueAt = (message: Message, lane: Lane): Instant => {
  const attempts = attemptsOf(message, lane)
  const pending = attempts.find(({ status }) => status === "pending")
  return pending?.due_at ?? attempts.at(-1)?.finished_at ?? sendTime(message)
}

/** The steps that a lane can still use: first the one to retry, then the untried ones. */
export const candidatesOf = (message: Message, lane: Lane): ReadonlyArray<number> => {
  const attempts = attemptsOf(message, lane)
  if (attempts.length === 0) return stepsOf(message, lane)
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
