import { Context, Effect, Layer } from "effect"
import type { DueTimer } from "../../domain/Timer.ts"
import type { Message, MessageStatus } from "../../domain/message/Message.ts"
import { type Call, recordOutcome } from "../../domain/message/MessageMachine.ts"
import type { MessageTransition } from "../../domain/message/MessageLanes.ts"
import { accountAt } from "../../domain/routing/Route.ts"
import { type Written, writeTransition } from "../Subjects.ts"
import { makeKeyedState } from "../concurrency/KeyedState.ts"
import { type CallResult, reportFailure } from "../provider/ProviderCalls.ts"
import { attemptMetrics, type CountAttempt, counters } from "../system/Observability.ts"
import { Timers } from "../timer/Timers.ts"
import { MessageStore } from "./MessageStore.ts"

const ends = ["sent", "failed", "partial_failed", "canceled"] as const

const isEnd = (status: MessageStatus): status is (typeof ends)[number] => ends.some((end) => end === status)

/** Figures about messages for operators. */
export class MessageMetrics extends Context.Service<
  MessageMetrics,
  {
    readonly attempted: CountAttempt
    /** The status changed; only final ones are counted. */
    readonly changed: (before: MessageStatus, after: MessageStatus) => void
  }
>()("peyk/services/message/MessageWrites/MessageMetrics") {
  static readonly layer = Layer.effect(
    MessageMetrics,
    Effect.map(Effect.context<never>(), (context) => {
      const ended = counters(context, "peyk_messages_ended_total", {
        description: "Messages that ended, by status.",
        labels: ["status"]
      })
      for (const status of ends) ended(status)(0)
      return MessageMetrics.of({
        attempted: attemptMetrics(context, "message"),
        changed: (before, after) => {
          if (before !== after && isEnd(after)) ended(after)(1)
        }
      })
    })
  )

  /** Counts nothing. */
  static readonly layerNone = Layer.succeed(MessageMetrics, { attempted: () => {}, changed: () => {} })
}

/**
 * Writes transitions of messages, under a lease of a lane's timer. Counts ends. Wakes the timers for what is due next. The
 * lanes of one message run in parallel and share its newest state.
 */
export class MessageWrites extends Context.Service<
  MessageWrites,
  {
    /** Runs the work of a lane, which shares the message's newest state with the other lanes. */
    readonly sharing: (message: Message, work: Effect.Effect<void>) => Effect.Effect<void>
    readonly write: (
      timer: DueTimer,
      message: Message,
      transition: (current: Message) => MessageTransition
    ) => Effect.Effect<Written<Message>>
    /** Writes the outcome of a call, and logs it if it was not accepted. */
    readonly record: (
      timer: DueTimer,
      message: Message,
      call: Call,
      result: Omit<CallResult, "attemptedAt">
    ) => Effect.Effect<void>
  }
>()("peyk/services/message/MessageWrites") {
  static readonly layer = Layer.effect(
    MessageWrites,
    Effect.gen(function* () {
      const store = yield* MessageStore
      const timers = yield* Timers
      const metrics = yield* MessageMetrics
      const { sharing, change } = makeKeyedState<Message>()

      const noteWritten = (before: Message, { next, dueAt }: MessageTransition) => {
        metrics.changed(before.status, next.status)
        if (typeof dueAt === "number") timers.wakeAt(dueAt)
      }

      const write: MessageWrites["Service"]["write"] = (timer, message, transition) =>
        change(message, (newest) =>
          writeTransition(newest, transition, {
            write: (before, next, now) =>
              Effect.map(store.commit(timer, before, next, now), (written) => {
                if (written) noteWritten(before, next)
                return written
              }),
            reload: Effect.suspend(() => store.load(message.customerId, message.id))
          })
        )

      return MessageWrites.of({
        sharing,
        write,
        record: (timer, message, call, { outcome, finishedAt }) => {
          const written = Effect.asVoid(
            write(timer, message, (current) => recordOutcome(current, call, outcome, finishedAt))
          )
          if (outcome._tag === "Accepted") return written
          const { id, phone } = message
          const { channel } = accountAt(message, call.step)
          return Effect.andThen(reportFailure(outcome, { subject: `message ${id}`, channel, phone }), written)
        }
      })
    })
  )
}
