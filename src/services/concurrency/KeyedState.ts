import { Effect, Semaphore } from "effect"

interface Entry<State> {
  newest: State
  users: number
  readonly lock: Semaphore.Semaphore
}

/**
 * The newest state of something that several fibers of this process change at the same time. Each change is based on
 * it, one after the other, so that the store does not refuse a change that saw an older state.
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
    /** Work during which the newest state of its subject is kept. */
    sharing: <A, E>(state: State, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.acquireUseRelease(
        Effect.sync(() => enter(state)),
        () => work,
        (entry) => Effect.sync(() => leave(state.id, entry))
      ),
    /** A change of the newest state, made alone; its result is the newest then. */
    change: <A extends { readonly state: State }>(
      state: State,
      change: (newest: State) => Effect.Effect<A>
    ): Effect.Effect<A> => {
      const entry = entries.get(state.id)
      if (entry === undefined) return change(state)
      return entry.lock.withPermits(1)(
        Effect.tap(
          Effect.suspend(() => change(entry.newest)),
          (result) => Effect.sync(() => (entry.newest = result.state))
        )
      )
    }
  }
}
