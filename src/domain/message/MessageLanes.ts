import { chargeInOrder, sumOfCharges } from "../money/Charging.ts"
import type { Instant } from "../Instant.ts"
import { type Message, type MessageAttempt, sendTime } from "./Message.ts"

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

export type LaneState = "open" | "sent" | "failed"

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
