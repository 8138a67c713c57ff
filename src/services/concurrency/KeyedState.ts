import { Effect, Semaphore } from "effect"

interface Entry<State> {
  newest: State
  users: number
  readonly lock: Semaphore.Semaphore
}

/**
 * Keeps the newest state of subjects that several fibers of this process change at the same time. The changes of one
 * subject run one after the other, each on the newest state. So the store refuses none of them for an older state.
 */
export const makeKeyedState = <State extends { readonly id: string; readonly revision: number }>() => {
  const entries = new Map<string, Entry<State>>()

  const enter = (state: State): Entry<State> => {
    const entry = entries.get(state.id) ?? { newest: state, users: 0, lock: Semaphore.makeUnsafe(1) }
    entries.set(state.id, entry)
    entry.users++
    if (state.revision > entry.newest.revision) entry.newest = state
    return entry
  }

  const leave = (id: string, entry: Entry<State>) => {
    entry.users--
    if (entry.users === 0) entries.delete(id)
  }

  return {
    /** Keeps the newest state of the subject during this work. */
    sharing: <A, E>(state: State, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.suspend(() => {
        const entry = enter(state)
        return Effect.onExitPrimitive(work, () => {
          leave(state.id, entry)
          return undefined
        })
      }),
    /** Runs a change on the newest state, alone. Its result is then the newest state. */
    change: <A extends { readonly state: State }>(
      state: State,
      change: (newest: State) => Effect.Effect<A>
    ): Effect.Effect<A> => {
      const entry = entries.get(state.id)
      if (entry === undefined) return change(state)
      return entry.lock.withPermits(1)(
        Effect.map(
          Effect.suspend(() => change(entry.newest)),
          (result) => {
            entry.newest = result.state
            return result
          }
        )
      )
    }
  }
}
