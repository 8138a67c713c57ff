import { Deferred, type Duration, Effect, type Option, Schema } from "effect"

/** The messages between processes and their supervisor. A reply has the id of its request. */

const Id = Schema.Int

export const OwnMetrics = Schema.Struct({
  process: Schema.Int,
  /** In Prometheus' text format. */
  text: Schema.String
})
export type OwnMetrics = typeof OwnMetrics.Type

export const ToSupervisor = Schema.Union([
  /** The process serves. */
  Schema.TaggedStruct("Ready", {}),
  /** It requests the metrics of all. */
  Schema.TaggedStruct("AskMetrics", { id: Id }),
  Schema.TaggedStruct("OwnMetrics", { id: Id, text: Schema.String }),
  Schema.TaggedStruct("Alive", { id: Id })
])
export type ToSupervisor = typeof ToSupervisor.Type

export const ToProcess = Schema.Union([
  Schema.TaggedStruct("ReportMetrics", { id: Id }),
  Schema.TaggedStruct("AllMetrics", { id: Id, all: Schema.Array(OwnMetrics) }),
  /** Whether its event loop still runs. */
  Schema.TaggedStruct("AskAlive", { id: Id })
])
export type ToProcess = typeof ToProcess.Type

/** The longest wait for another process's reply. */
const PATIENCE = "2 seconds"

/** Requests to another process that wait for a reply. */
export const makePendingReplies = <A>() => {
  const open = new Map<number, Deferred.Deferred<A>>()
  let last = 0
  return {
    /** Sends a request by its id; none if no reply comes in time. */
    ask: (put: (id: number) => void, patience: Duration.Input = PATIENCE): Effect.Effect<Option.Option<A>> =>
      Effect.suspend(() => {
        const id = (last += 1)
        const answer = Deferred.makeUnsafe<A>()
        open.set(id, answer)
        put(id)
        return Deferred.await(answer).pipe(
          Effect.timeoutOption(patience),
          Effect.ensuring(Effect.sync(() => open.delete(id)))
        )
      }),
    answer: (id: number, answer: A): void => {
      const question = open.get(id)
      if (question !== undefined) Deferred.doneUnsafe(question, Effect.succeed(answer))
    }
  }
}
