import { Clock, Context, Effect, Layer, Option } from "effect"
import {
  type IdempotencyError,
  type MessageEnded,
  NotFound,
  type ServiceUnavailable
} from "../../domain/Errors.ts"
import { type Message, type MessageView, viewMessage } from "../../domain/message/Message.ts"
import { cancelMessage, stopMessage } from "../../domain/message/MessageMachine.ts"
import type { Subject } from "../customer/Customers.ts"
import type { IfKeyed, SetUpChanged } from "../customer/Idempotency.ts"
import { type SentBatch, type BatchRequest, MessageBatches } from "./MessageBatches.ts"
import type { MessageRefusal } from "./MessagePlans.ts"
import { type SentMessage, type MessageRequest, MessageSends } from "./MessageSends.ts"
import { MessageStore } from "./MessageStore.ts"
import { MessageMetrics } from "./MessageWrites.ts"

/** Messages to one phone each: sent, followed and canceled. */
export class Messages extends Context.Service<
  Messages,
  {
    readonly send: <Request extends MessageRequest>(
      request: Request
    ) => Effect.Effect<SentMessage, MessageRefusal | IdempotencyError | ServiceUnavailable | IfKeyed<Request>>
    readonly sendBatch: <Request extends BatchRequest>(
      request: Request
    ) => Effect.Effect<SentBatch, IdempotencyError | ServiceUnavailable | IfKeyed<Request>>
    readonly status: <Of extends Subject>(subject: Of) => Effect.Effect<MessageView, NotFound | IfKeyed<Of>>
    /** Returns the canceled message, also if it was canceled before. A part of the caller's transaction, if any. */
    readonly cancel: <Of extends Subject>(
      subject: Of
    ) => Effect.Effect<MessageView, NotFound | MessageEnded | IfKeyed<Of>>
    /** Cancels a message; one that was sent in part is ended too. Refused only while a provider is called, and after the end. */
    readonly stop: <Of extends Subject>(
      subject: Of
    ) => Effect.Effect<MessageView, NotFound | MessageEnded | IfKeyed<Of>>
  }
>()("peyk/services/message/Messages") {
  static readonly layer = Layer.effect(
    Messages,
    Effect.gen(function* () {
      const { send } = yield* MessageSends
      const { send: sendBatch } = yield* MessageBatches
      const store = yield* MessageStore
      const metrics = yield* MessageMetrics

      const read = Effect.fnUntraced(function* ({ customerId, id, setUpVersion = null }: Subject) {
        const stored = yield* store.read({ customerId, id, setUpVersion })
        return Option.isSome(stored) ? stored.value : yield* new NotFound()
      })

      /** Writes the end if the message is still as it was read; else looks at what it has become. */
      const end = (
        message: Message,
        endOf: typeof cancelMessage
      ): Effect.Effect<Message, NotFound | MessageEnded | SetUpChanged> =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const transition = yield* Effect.fromResult(endOf(message, now))
          if (transition.next === message) return message
          const { customerId, id } = message
          if (!(yield* store.commitSingle(message, transition, now))) {
            return yield* Effect.flatMap(read({ customerId, id }), (changed) => end(changed, endOf))
          }
          metrics.changed(message.status, transition.next.status)
          return transition.next
        })
      const endRead = (endOf: typeof cancelMessage) => (subject: Subject) =>
        Effect.map(
          Effect.flatMap(read(subject), (message) => end(message, endOf)),
          viewMessage
        )

      // Without a key the store compares no version of the set-up, so it reports no change either.
      const all = {
        send,
        sendBatch,
        status: (subject: Subject) => Effect.map(read(subject), viewMessage),
        cancel: endRead(cancelMessage),
        stop: endRead(stopMessage)
      }
      return Messages.of(all as Messages["Service"])
    })
  )
}

/** The sandbox's composition of `Messages`, for those who use it next to the live one. */
export class SandboxMessages extends Context.Service<SandboxMessages, Messages["Service"]>()(
  "peyk/services/message/Messages/SandboxMessages"
) {}
