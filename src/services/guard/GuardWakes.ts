import { Context, Effect, Layer } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import { FIRST_ROUND_MILLIS, roundAt } from "../../domain/guard/Maturity.ts"
import { BoundedMap } from "../concurrency/BoundedMap.ts"
import { Timers } from "../timer/Timers.ts"
import { GuardStore, type GuardWake } from "./GuardStore.ts"

/** A customer's rounds are ensured this often while it sends. */
const ENSURED_FOR_MILLIS = 30_000
const MAX_CUSTOMERS = 50_000

/** Ensures that codes are judged: a round is due once the first of them matures. */
export class GuardWakes extends Context.Service<
  GuardWakes,
  { readonly sent: (customerId: number, now: Instant) => void }
>()("peyk/services/guard/GuardWakes") {
  static readonly layer = Layer.effect(
    GuardWakes,
    Effect.gen(function* () {
      const store = yield* GuardStore
      const timers = yield* Timers
      const runFork = Effect.runForkWith(yield* Effect.context<never>())
      const ensuredAt = new BoundedMap<number, Instant>(MAX_CUSTOMERS)
      let gathered: Array<GuardWake> = []
      let isEnsuring = false

      /** One statement at a time, for those that came meanwhile. */
      const ensureGathered: Effect.Effect<void> = Effect.suspend(() => {
        const wakes = gathered
        isEnsuring = wakes.length > 0
        if (!isEnsuring) return Effect.void
        gathered = []
        return store.wake(wakes).pipe(
          Effect.andThen(Effect.sync(() => wakes.forEach(({ at }) => timers.wakeAt(at)))),
          Effect.catchCause((cause) => {
            for (const { customerId } of wakes) ensuredAt.delete(customerId)
            return Effect.logWarning("rounds of the guard were not ensured", cause)
          }),
          Effect.andThen(ensureGathered)
        )
      })

      return GuardWakes.of({
        sent: (customerId, now) => {
          if (now - (ensuredAt.get(customerId) ?? Number.NEGATIVE_INFINITY) < ENSURED_FOR_MILLIS) return
          ensuredAt.set(customerId, now)
          gathered.push({ customerId, at: roundAt(now + FIRST_ROUND_MILLIS) })
          if (!isEnsuring) runFork(ensureGathered)
        }
      })
    })
  )
}
