import { Array as Arr } from "effect"
import type { Instant } from "../Instant.ts"
import type { Message, Reservation } from "./Message.ts"
import { attemptsOf, candidatesOf, type Lane, laneDueAt, laneOf, laneState } from "./MessageLanes.ts"

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

export const maySend = ({ _tag }: MessageAction): boolean => _tag === "Send" || _tag === "SendReserved"
