import { Clock, Effect } from "effect"
import { isSlotUsable } from "../../domain/account/Pace.ts"
import type { Message, Reservation } from "../../domain/message/Message.ts"
import { candidatesOf } from "../../domain/message/MessageLanes.ts"
import { awaitAccount, awaitSlot, patienceEnd } from "../../domain/message/MessagePatience.ts"
import type { DueTimer } from "../../domain/Timer.ts"
import { AccountSlots } from "../account/AccountSlots.ts"
import { Settings } from "../Settings.ts"
import { accountAt, makeLaneTurns, makeSendStep } from "./MessageCalls.ts"
import type { MessageWrites } from "./MessageWrites.ts"

/** Chooses the step to send: the first one whose account may send now; otherwise waits for a slot. */
export const makeMessageSlots = Effect.fnUntraced(function* (writes: MessageWrites) {
  const { write } = writes
  const { slotWaitMillis } = yield* Settings
  const slots = yield* AccountSlots
  const turnOf = yield* makeLaneTurns
  const sendStep = yield* makeSendStep(writes)

  const send = Effect.fnUntraced(function* (
    timer: DueTimer,
    message: Message,
    candidates: ReadonlyArray<number>
  ) {
    const turn = turnOf(timer, yield* Clock.currentTimeMillis)
    const slot = yield* slots.take({
      customerId: message.customerId,
      kind: "text",
      accounts: candidates.map((step) => accountAt(message, step)),
      now: turn.now,
      // Not far ahead: otherwise codes over the same account would wait behind the whole backlog.
      until: Math.max(turn.now, Math.min(patienceEnd(message, turn), turn.now + slotWaitMillis)),
      waitsForBlocked: true
    })
    if (slot._tag === "FreeAt") {
      yield* write(timer, message, (current) => awaitAccount(current, slot.at, turn))
      return
    }
    const step = candidates[slot.index]
    if (step === undefined) return yield* Effect.die("a slot was taken of an account not asked for")
    if (slot.at <= turn.now) return yield* sendStep(timer, message, { step, slot })
    yield* write(timer, message, (current) => awaitSlot(current, { step, at: slot.at }, turn))
  })

  /** An account in cooldown does not send, even with a reserved slot. */
  const sendReserved = Effect.fnUntraced(function* (
    timer: DueTimer,
    message: Message,
    { step, at }: Reservation
  ) {
    const now = yield* Clock.currentTimeMillis
    const isReady = isSlotUsable(at, now) && !(yield* slots.isCooling(accountAt(message, step), "text", now))
    yield* isReady
      ? sendStep(timer, message, { step, slot: { at, hasStart: false } })
      : send(timer, message, candidatesOf(message, timer.lane))
  })

  return { send, sendReserved }
})
