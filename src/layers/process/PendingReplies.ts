import { Deferred, type Duration, Effect, type Option } from "effect"

/** Longer than this nobody waits for what another process knows. */
const PATIENCE = "2 seconds"

/** Questions that were put to another process, and wait for its answer. */
export const makePendingReplies = <A>() => {
  const open = new Map<number, Deferred.Deferred<A>>()
  let last = 0
  return {
    /** Puts a question by its id; none when no answer comes in time. */
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
