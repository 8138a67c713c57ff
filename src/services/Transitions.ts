import { Clock, Effect, Option } from "effect"
import type { Instant } from "../domain/Instant.ts"
import type { Transition } from "../domain/Transition.ts"

/** The state that is there after a transition was written, or was found to change nothing. */
export interface Written<State> {
  readonly state: State
  readonly written: boolean
}

/**
 * Writes what `transition` makes of a state; when that changed meanwhile, of what it has become. Nothing is written when
 * the transition changes nothing, or the write is refused though the state is the same (the lease was lost).
 */
export const writeTransition = <
  State extends { readonly revision: number },
  T extends Transition<State, string, unknown>
>(
  from: State,
  transition: (current: State) => T,
  store: {
    readonly write: (before: State, transition: T, now: Instant) => Effect.Effect<boolean>
    readonly reload: Effect.Effect<Option.Option<State>>
  }
): Effect.Effect<Written<State> & { readonly transition: T }> =>
  Effect.gen(function* () {
    let current = from
    while (true) {
      const next = transition(current)
      if (next.next === current) return { state: current, written: false, transition: next }
      const now = yield* Clock.currentTimeMillis
      if (yield* store.write(current, next, now)) {
        return { state: next.next, written: true, transition: next }
      }
      const stored = yield* store.reload
      if (Option.isNone(stored) || stored.value.revision === current.revision) {
        return { state: current, written: false, transition: next }
      }
      current = stored.value
    }
  })
