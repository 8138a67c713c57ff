import { Context, Effect, Layer, Option } from "effect"
import { type IdempotencyError, NotFound } from "../../domain/Errors.ts"
import { type MessageView, viewMessage } from "../../domain/message/Message.ts"
import { type MessageAnswer, type MessageRefusal, type MessageRequest, MessageSends } from "./MessageSends.ts"
import { MessageStore } from "./MessageStore.ts"
import type { SetUpChanged } from "../customer/SetUpChanged.ts"

/** Messages to one phone each: sent and followed. */
export class Messages extends Context.Service<
  Messages,
  {
    readonly send: (
      request: MessageRequest
    ) => Effect.Effect<MessageAnswer, MessageRefusal | IdempotencyError | SetUpChanged>
    readonly status: (subject: {
      readonly customerId: number
      readonly id: string
      /** What the request's key was read with; null: it was made without one. */
      readonly setUpVersion?: number | null
    }) => Effect.Effect<MessageView, NotFound | SetUpChanged>
  }
>()("peyk/services/message/Messages") {
  static readonly layer = Layer.effect(
    Messages,
    Effect.gen(function* () {
      const { send } = yield* MessageSends
      const store = yield* MessageStore
      return Messages.of({
        send,
        status: Effect.fnUntraced(function* ({ customerId, id, setUpVersion = null }) {
          const stored = yield* store.read({ customerId, id, setUpVersion })
          return Option.isSome(stored) ? viewMessage(stored.value) : yield* new NotFound()
        })
      })
    })
  )
}
