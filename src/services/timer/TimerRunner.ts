import { Context, Effect, Layer } from "effect"
import { Settings } from "../Settings.ts"
import { makeTimerClaims } from "./TimerClaims.ts"
import { makeTimerWork } from "./TimerHandlers.ts"
import { makeTimerLoop } from "./TimerLoop.ts"

/** Finds due timers of any process, and runs their handlers. */
export class TimerRunner extends Context.Service<
  TimerRunner,
  {
    /**
     * Runs all timers that are due now, and returns their number: one round of the loop, for tests that move the
     * clock.
     */
    readonly runDue: Effect.Effect<number>
    /** Runs timers as they become due, forever, and sleeps in between. Begun work outlives its interruption. */
    readonly loop: Effect.Effect<void>
  }
>()("peyk/services/timer/TimerRunner") {
  static readonly layer = Layer.effect(
    TimerRunner,
    Effect.gen(function* () {
      const { timerConcurrency } = yield* Settings
      const claims = yield* makeTimerClaims
      const { kinds, run } = yield* makeTimerWork

      const runDue: Effect.Effect<number> = Effect.gen(function* () {
        let done = 0
        while (true) {
          const { due } = yield* claims.byShares(kinds, timerConcurrency)
          if (due.length === 0) return done
          yield* Effect.forEach(due, run, { concurrency: "unbounded", discard: true })
          done += due.length
        }
      })

      const { loop } = yield* makeTimerLoop
      return TimerRunner.of({ runDue, loop })
    })
  )

  /** Runs the loop for as long as the layer lives. */
  static readonly layerLoop = Layer.effectDiscard(
    Effect.flatMap(TimerRunner, ({ loop }) => Effect.forkScoped(loop))
  )
}
