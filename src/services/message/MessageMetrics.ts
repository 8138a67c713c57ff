import { Context, Effect, Layer } from "effect"
import type { MessageStatus } from "../../domain/message/Message.ts"
import { attemptMetrics, type CountAttempt, counters } from "../system/Observability.ts"

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
>()("peyk/services/message/MessageMetrics") {
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
