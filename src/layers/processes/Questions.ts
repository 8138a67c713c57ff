import { Deferred, Effect, type Option } from "effect"

/** Longer than this nobody waits for another process. */
const PATIENCE = "2 seconds"

/** Questions that were put to another process, and wait for its answer. */
export const makeQuestions = <A>() => {
  const open = new Map<number, Deferred.Deferred<A>>()
  let last = 0
  return {
    /** Puts a question by its id; none when no answer comes. */
    ask: (put: (id: number) => void): Effect.Effect<Option.Option<A>> =>
      Effect.suspend(() => {
        const id = (last += 1)
        const answer = Deferred.makeUnsafe<A>()
        open.set(id, answer)
        put(id)
        return Deferred.await(answer).pipe(
          Effect.timeoutOption(PATIENCE),
          Effect.ensuring(Effect.sync(() => open.delete(id)))
        )
      }),
    answer: (id: number, answer: A): void => {
      const question = open.get(id)
      if (question !== undefined) Deferred.doneUnsafe(question, Effect.succeed(answer))
    }
  }
}
