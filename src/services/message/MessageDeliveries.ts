import { Clock, Context, Effect, Layer, Option } from "effect"
import type { DueTimer } from "../../domain/Timer.ts"
import { isSlotUsable } from "../../domain/account/Pace.ts"
import type { Message, Reservation } from "../../domain/message/Message.ts"
import {
  awaitAccount,
  awaitSlot,
  decideMessage,
  type MessageAction,
  patienceEnd
} from "../../domain/message/MessageMachine.ts"
import { candidatesOf } from "../../domain/message/MessageLanes.ts"
import { Settings } from "../Settings.ts"
import { AccountSlots } from "../account/AccountSlots.ts"
import {
  accountAt,
  makeLaneTurns,
  makeMessageWrites,
  makeRecord,
  makeSendStep,
  type MessageWrites
} from "./MessageCalls.ts"
import { MessageStore } from "./MessageStore.ts"
import { neverRecorded } from "../provider/ProviderCalls.ts"
import { TimerStore } from "../timer/TimerStore.ts"
import { Timers } from "../timer/Timers.ts"

/** Chooses the step to send: the first one whose account may send now; otherwise waits for a slot. */
const makeMessageSlots = Effect.fnUntraced(function* (writes: MessageWrites) {
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

/** Carries messages along their routes: attempts, retries, failover, patience. */
export class MessageDeliveries extends Context.Service<
  MessageDeliveries,
  {
    /** Carries out what is due in a lane of this message, under a lease of its timer. */
    readonly runLane: (timer: DueTimer, message: Message) => Effect.Effect<void>
    /** Reads the message of a timer and runs its lane; removes a timer whose message is gone. */
    readonly runTimer: (timer: DueTimer) => Effect.Effect<void>
  }
>()("peyk/services/message/MessageDeliveries") {
  static readonly layer = Layer.effect(
    MessageDeliveries,
    Effect.gen(function* () {
      const store = yield* MessageStore
      const timers = yield* Timers
      const timerStore = yield* TimerStore
      const writes = yield* makeMessageWrites
      const record = makeRecord(writes)
      const { send, sendReserved } = yield* makeMessageSlots(writes)

      const carryOut = (action: MessageAction, timer: DueTimer, message: Message): Effect.Effect<void> => {
        switch (action._tag) {
          case "Send":
            return send(timer, message, action.candidates)
          case "SendReserved":
            return sendReserved(timer, message, action.reservation)
          case "Abandon":
            return record(timer, message, action.call, neverRecorded)
          case "Sleep":
            return timerStore.release(timer, action.until)
          case "Nothing":
            return timerStore.remove(timer)
        }
      }

      const runLane = Effect.fnUntraced(function* (timer: DueTimer, message: Message) {
        const now = yield* Clock.currentTimeMillis
        const action = decideMessage(message, timer.lane, now)
        yield* writes.sharing(message, carryOut(action, timer, message))
      })

      return MessageDeliveries.of({
        runLane,
        runTimer: (timer) =>
          store.loadLeased(timer).pipe(
            Effect.catchCause(timers.releaseForRetry(timer)),
            Effect.flatMap(
              Option.match({
                onNone: () => timerStore.remove(timer),
                onSome: (message) => runLane(timer, message)
              })
            )
          )
      })
    })
  )
}
