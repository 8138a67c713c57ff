import { Clock, Context, Effect, Exit, Layer, Option } from "effect"
import type { ChannelDescriptor } from "../../domain/routing/Channel.ts"
import type { IdempotencyError, ServiceUnavailable } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import { type Message, sendTime, type Strategy, type UsedTemplate } from "../../domain/message/Message.ts"
import { lanes } from "../../domain/message/MessageLanes.ts"
import { Customers } from "../customer/Customers.ts"
import { type CreatingRequest, Idempotency, type SetUpChanged } from "../customer/Idempotency.ts"
import { MessageDeliveries } from "./MessageDeliveries.ts"
import { makeMessagePlans, type MessageContent, type MessageRefusal } from "./MessagePlans.ts"
import { type MessageAcceptance, MessageStore } from "./MessageStore.ts"
import { SubjectIds } from "../Subjects.ts"
import { poolOf, TimerPools } from "../timer/TimerPools.ts"
import type { DueTimer, Lease } from "../../domain/Timer.ts"
import { Timers } from "../timer/Timers.ts"
import { Workers } from "../concurrency/Workers.ts"

export interface MessageRequest extends MessageContent, CreatingRequest {
  readonly customerId: number
}

export interface SentMessage {
  readonly messageId: string
  readonly status: "queued"
  readonly strategy: Strategy
  readonly scheduledFor: Instant | null
  readonly template: UsedTemplate | null
  readonly currentChannel: ChannelDescriptor
  /** An earlier request with the same idempotency key created this message. */
  readonly replayed: boolean
}

const toResponse = (
  { id, strategy, scheduledFor, template, route }: Message,
  replayed: boolean
): SentMessage => ({
  messageId: id,
  status: "queued",
  strategy,
  scheduledFor,
  template,
  currentChannel: route[0].descriptor,
  replayed
})

/** Creates messages: accepted in one write, sent after the response. */
export class MessageSends extends Context.Service<
  MessageSends,
  {
    readonly send: (
      request: MessageRequest
    ) => Effect.Effect<SentMessage, MessageRefusal | IdempotencyError | SetUpChanged | ServiceUnavailable>
  }
>()("peyk/services/message/MessageSends") {
  static readonly layer = Layer.effect(
    MessageSends,
    Effect.gen(function* () {
      const ids = yield* SubjectIds
      const store = yield* MessageStore
      const pool = poolOf[store.timerKind]
      const deliveries = yield* MessageDeliveries
      const idempotency = yield* Idempotency
      const { plan, templatesFor } = yield* makeMessagePlans
      const customers = yield* Customers
      const timers = yield* Timers
      const pools = yield* TimerPools
      const workers = yield* Workers

      const prepare = Effect.fnUntraced(function* (request: MessageRequest) {
        const { customerId } = request
        const createdAt = yield* Clock.currentTimeMillis
        const customer = yield* customers.configuration(customerId, request.setUpVersion)
        const fill = yield* templatesFor(customerId, [request])
        const id = yield* ids.next
        const planned = yield* Effect.tapError(
          Effect.fromResult(plan(customer, request, fill, { id, createdAt })),
          () => customers.confirm(customer)
        )
        return { ...planned, setUpVersion: customer.setUpVersion }
      })

      const leaveRoom = ({ customerId }: Message, count: number) => {
        if (pools.leave(pool, customerId, count)) timers.wakeAt(0)
      }

      const begin = (message: Message, lease: Lease) =>
        Effect.forEach(
          lanes(message),
          (lane) => {
            const timer: DueTimer = {
              kind: store.timerKind,
              customerId: message.customerId,
              subject: message.id,
              lane,
              leaseToken: lease.token,
              leasedUntil: lease.until,
              dueAt: sendTime(message),
              wasAbandoned: false
            }
            const finish = Effect.sync(() => leaveRoom(message, 1))
            return workers.start(
              Effect.ensuring(timers.run(timer, deliveries.runLane(timer, message)), finish)
            )
          },
          { discard: true }
        )

      /** None if the idempotency key was taken. */
      const accept = Effect.fnUntraced(function* (
        {
          message,
          admission,
          setUpVersion
        }: Pick<MessageAcceptance, "message" | "admission" | "setUpVersion">,
        request: MessageRequest
      ) {
        // A message for now starts here, unless this process is at its limit: then any process with room claims it.
        const entering = lanes(message).length
        const entered = message.scheduledFor === null && pools.tryEnter(pool, message.customerId, entering)
        const lease = entered ? timers.initialLease() : null
        const claim = yield* idempotency.claim(request.idempotency, message.createdAt)
        const accepted = yield* store
          .accept({ message, setUpVersion, admission, lanes: lanes(message), lease, idempotency: claim })
          .pipe(
            Effect.onExit((exit) =>
              Effect.sync(() => {
                const isBegun = Exit.isSuccess(exit) && exit.value
                if (entered && !isBegun) leaveRoom(message, entering)
              })
            )
          )
        if (!accepted) return Option.none<SentMessage>()
        if (lease === null) timers.wakeAt(sendTime(message))
        else yield* begin(message, lease)
        return Option.some(toResponse(message, false))
      })

      const make = (request: MessageRequest) =>
        Effect.flatMap(prepare(request), (prepared) => workers.runToEnd(accept(prepared, request)))

      return MessageSends.of({
        send: (request) =>
          idempotency.respondOnce(request, {
            make: make(request),
            find: (key, now) => store.findClaimedKey(request.customerId, key, now),
            replay: (message: Message) => Effect.succeed(toResponse(message, true))
          })
      })
    })
  )
}
