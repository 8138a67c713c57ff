import type { Instant } from "../Instant.ts"
import { type Message, type MessageAttempt, type Reservation, sendTime } from "./Message.ts"
import { failedAttempt, newAttempt, withAttempt } from "./MessageAttempts.ts"
import { decideMessage, maySend } from "./MessageDecision.ts"
import { candidatesOf, type Lane, laneDueAt, otherReservations } from "./MessageLanes.ts"
import { type MessageTransition, settle, unchanged } from "./MessageTransition.ts"

/** The knowledge of a process about the lane that it works on. */
export interface LaneTurn {
  readonly lane: Lane
  /** When the lane's timer was due; null after a dead process's lease, which does not show it. */
  readonly dueAt: Instant | null
  readonly now: Instant
  readonly patienceMillis: number
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
