import { Clock, Context, Effect, Layer } from "effect"
import { GuardStore } from "./GuardStore.ts"

const INTERVAL = "5 seconds"

/** Counts what the guard refuses, for the report: one statement for all, not one per request. */
export class GuardRefusals extends Context.Service<
  GuardRefusals,
  {
    /** `whole`: refused because the customer as a whole is suspicious. */
    readonly count: (customerId: number, kind: "refused" | "whole" | "denied") => void
    /** Writes what was counted. */
    readonly flush: Effect.Effect<void>
  }
>()("peyk/services/guard/GuardRefusals") {
  static readonly layer = Layer.effect(
    GuardRefusals,
    Effect.gen(function* () {
      const store = yield* GuardStore
      const counts = new Map<number, { refused: number; refusedWhole: number; denied: number }>()
      const flush = Effect.gen(function* () {
        if (counts.size === 0) return
        const taken = [...counts].map(([customerId, count]) => ({ customerId, ...count }))
        counts.clear()
        yield* store.countRefused(taken, yield* Clock.currentTimeMillis)
      }).pipe(Effect.catchCause((cause) => Effect.logWarning("refusals were not counted", cause)))
      yield* Effect.addFinalizer(() => flush)
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(INTERVAL), flush)))
      return GuardRefusals.of({
        flush,
        count: (customerId, kind) => {
          const known = counts.get(customerId) ?? { refused: 0, refusedWhole: 0, denied: 0 }
          known[kind === "denied" ? "denied" : "refused"] += 1
          if (kind === "whole") known.refusedWhole += 1
          counts.set(customerId, known)
        }
      })
    })
  )
}
