import { type Clock, Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Instant } from "../domain/Instant.ts"
import type { Transition } from "../domain/Transition.ts"
import { inStripe, WALLET_STRIPES } from "../domain/money/Charging.ts"

/**
 * Ids (UUIDv7) for sends. Sends accepted together use the same stripe of a wallet, one row. The next ones use another
 * stripe, so they do not wait until the first outcomes are written.
 */
export class SubjectIds extends Context.Service<
  SubjectIds,
  {
    readonly next: Effect.Effect<string>
    /** The sends with the ids so far are being accepted: the next ids use another stripe. */
    readonly turn: () => void
  }
>()("peyk/services/Subjects/SubjectIds") {
  /** Other processes most probably begin with another stripe. */
  static readonly layer = Layer.effect(
    SubjectIds,
    Effect.gen(function* () {
      const random = yield* SecureRandom.SecureRandom
      let stripe = yield* random.intBetween(0, WALLET_STRIPES, { halfOpen: true })
      return SubjectIds.of({
        next: Effect.map(random.uuidV7(), (id) => inStripe(id, stripe)),
        turn: () => {
          stripe = (stripe + 1) % WALLET_STRIPES
        }
      })
    })
  )
}

/** The state after the transition was written, or the unchanged state. */
export interface Written<State> {
  readonly state: State
  readonly written: boolean
}

/**
 * Writes the result of `transition` for a state; if that changed meanwhile, for the new one. Writes nothing if the
 * transition changes nothing, or if the write is refused although the state is the same (the lease was lost).
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
): Effect.Effect<Written<State> & { readonly transition: T }> => {
  const attempt = (
    current: State,
    clock: Clock.Clock
  ): Effect.Effect<Written<State> & { readonly transition: T }> => {
    const next = transition(current)
    const unwritten = { state: current, written: false, transition: next }
    if (next.next === current) return Effect.succeed(unwritten)
    const again = Effect.flatMap(store.reload, (stored) =>
      Option.isNone(stored) || stored.value.revision === current.revision
        ? Effect.succeed(unwritten)
        : attempt(stored.value, clock)
    )
    return Effect.flatMap(store.write(current, next, clock.currentTimeMillisUnsafe()), (written) =>
      written ? Effect.succeed({ state: next.next, written, transition: next }) : again
    )
  }
  return Effect.clockWith((clock) => attempt(from, clock))
}
