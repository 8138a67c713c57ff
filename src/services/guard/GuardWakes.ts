import { Context, Effect, Layer } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import { FIRST_ROUND_MILLIS, roundAt } from "../../domain/guard/Maturity.ts"
import { BoundedMap } from "../concurrency/BoundedMap.ts"
import { Workers } from "../concurrency/Workers.ts"
import { Timers } from "../timer/Timers.ts"
import { GuardStore } from "./GuardStore.ts"
import { warnOfFailure } from "../metrics/LoggedCause.ts"

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
      const workers = yield* Workers
      const context = yield* Effect.context<never>()
      const ensuredAt = new BoundedMap<number, Instant>(MAX_CUSTOMERS)
      const ensure = (customerId: number, at: Instant) =>
        store.wake(customerId, at).pipe(
          Effect.andThen(Effect.sync(() => timers.wakeAt(at))),
          Effect.catchCause((cause) => {
            ensuredAt.delete(customerId)
            return warnOfFailure("a round of the guard was not ensured", cause)
          })
        )
      return GuardWakes.of({
        sent: (customerId, now) => {
          if (now - (ensuredAt.get(customerId) ?? Number.NEGATIVE_INFINITY) < ENSURED_FOR_MILLIS) return
          ensuredAt.set(customerId, now)
          workers.fork(ensure(customerId, roundAt(now + FIRST_ROUND_MILLIS)), context)
        }
      })
    })
  )
}
