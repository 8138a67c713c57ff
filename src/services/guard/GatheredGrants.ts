import { Context, Effect, Layer } from "effect"
import { nameIn } from "../../domain/guard/Segments.ts"
import { type BudgetRequest, type Grant, GuardStore } from "./GuardStore.ts"

/** One statement for each grant would cost as much as half a send. */
const GATHERED_MILLIS = 100

interface Asked {
  readonly request: BudgetRequest
  readonly receive: (grant: Grant | undefined) => void
}

/** Asks the store for grants of budgets: those of the next milliseconds together, in the background. */
export class GatheredGrants extends Context.Service<
  GatheredGrants,
  {
    /** @param receive called once; with undefined if the store does not answer */
    readonly ask: (request: BudgetRequest, receive: (grant: Grant | undefined) => void) => void
    /** Asks for what has gathered now, because a code waits for it. */
    readonly flush: () => void
  }
>()("peyk/services/guard/GatheredGrants") {
  static readonly layer = Layer.effect(
    GatheredGrants,
    Effect.gen(function* () {
      const store = yield* GuardStore
      const runFork = Effect.runForkWith(yield* Effect.context<never>())
      let gathered = new Map<string, Asked>()

      const flush = () => {
        if (gathered.size === 0) return
        const asked = [...gathered.values()]
        gathered = new Map()
        const granted = Effect.catchCause(store.grant(asked.map(({ request }) => request)), () =>
          Effect.succeed<ReadonlyArray<Grant>>([])
        )
        runFork(Effect.map(granted, (grants) => asked.forEach(({ receive }, nth) => receive(grants[nth]))))
      }

      return GatheredGrants.of({
        ask: (request, receive) => {
          const name = nameIn(request.customerId, request.segment)
          if (gathered.has(name)) flush()
          gathered.set(name, { request, receive })
          if (gathered.size === 1) runFork(Effect.delay(Effect.sync(flush), GATHERED_MILLIS))
        },
        flush
      })
    })
  )
}
