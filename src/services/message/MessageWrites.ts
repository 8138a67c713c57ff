import { Effect } from "effect"
import type { Message } from "../../domain/message/Message.ts"
import type { MessageTransition } from "../../domain/message/MessageTransition.ts"
import type { DueTimer } from "../../domain/Timer.ts"
import { makeKeyedState } from "../concurrency/KeyedState.ts"
import { Timers } from "../timer/Timers.ts"
import { writeTransition } from "../Transitions.ts"
import { MessageMetrics } from "./MessageMetrics.ts"
import { MessageStore } from "./MessageStore.ts"

export type MessageWrites = Effect.Success<typeof makeMessageWrites>

/** Writes transitions of messages. The lanes of one message run in parallel and share its newest state. */
export const makeMessageWrites = Effect.gen(function* () {
  const store = yield* MessageStore
  const timers = yield* Timers
  const metrics = yield* MessageMetrics
  const shared = makeKeyedState<Message>()

  const write = Effect.fnUntraced(function* (
    timer: DueTimer,
    message: Message,
    transition: (current: Message) => MessageTransition
  ) {
    const result = yield* shared.change(message, (newest) =>
      writeTransition(newest, transition, {
        write: (before, next, now) =>
          Effect.tap(store.commit(timer, before, next, now), (written) =>
            Effect.sync(() => written && metrics.changed(before.status, next.next.status))
          ),
        reload: store.load(message.customerId, message.id)
      })
    )
    const { dueAt } = result.transition
    if (result.written && typeof dueAt === "number") timers.wakeAt(dueAt)
    return result
  })

  return { write, sharing: shared.sharing }
})
