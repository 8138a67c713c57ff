import { Clock, Context, Effect, Layer, Option } from "effect"
import type { Message } from "../../domain/message/Message.ts"
import { decideMessage, type MessageAction } from "../../domain/message/MessageDecision.ts"
import type { DueTimer } from "../../domain/Timer.ts"
import { neverRecorded } from "../provider/ProviderCalls.ts"
import { Timers } from "../timer/Timers.ts"
import { TimerStore } from "../timer/TimerStore.ts"
import { makeRecord } from "./MessageCalls.ts"
import { makeMessageSlots } from "./MessageSlots.ts"
import { MessageStore } from "./MessageStore.ts"
import { makeMessageWrites } from "./MessageWrites.ts"

/** Carries messages along their routes: attempts, retries, failover, patience. */
export class MessageDeliveries extends Context.Service<
  MessageDeliveries,
  {
    /** Carries out what is due in a lane of this message, under a lease of its timer. */
    readonly runLane: (timer: DueTimer, message: Message) => Effect.Effect<void>
    /** The same for a timer alone. */
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
