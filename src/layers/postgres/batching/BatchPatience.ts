import { Context, Effect, Layer } from "effect"
import { withoutSpans } from "../../../services/metrics/Spans.ts"
import { patienceFor } from "../watch/WatchedPool.ts"

const TICK_MILLIS = 500

/**
 * How long a request waits for the statement of a batch, including those before it: as long as any other statement
 * waits for a silent connection. Without a limit a request would wait for each of them in turn. Time is counted in
 * ticks of this process, so a process that was paused gives nothing up that has its response already.
 */
export const BatchPatience = Context.Reference<{
  readonly ticks: number
  readonly now: () => number
  /** Calls this once a tick. */
  readonly eachTick: (giveUp: () => void) => void
}>("peyk/layers/postgres/batching/BatchPatience", {
  defaultValue: () => ({ ticks: Number.POSITIVE_INFINITY, now: () => 0, eachTick: () => {} })
})

export const batchPatience = (statementTimeoutMillis: number) =>
  Layer.effect(
    BatchPatience,
    Effect.gen(function* () {
      let now = 0
      const each: Array<() => void> = []
      const tick = Effect.map(Effect.sleep(TICK_MILLIS), () => {
        now += 1
        for (const giveUp of each) giveUp()
      })
      yield* Effect.forkScoped(Effect.forever(withoutSpans(tick)))
      return {
        ticks: Math.ceil(patienceFor(statementTimeoutMillis) / TICK_MILLIS),
        now: () => now,
        eachTick: (giveUp) => void each.push(giveUp)
      }
    })
  )
