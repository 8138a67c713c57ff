import { Deferred, type Duration, Effect, type Option } from "effect"

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
