import { Clock, Context, Effect, Layer } from "effect"
import { counters, histograms } from "../system/MetricFamilies.ts"
import { type DueTimer, timerKinds } from "../../domain/Timer.ts"

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900]
const MILLIS_PER_SECOND = 1000

/** Figures about timers for operators. */
export class TimerMetrics extends Context.Service<
  TimerMetrics,
  {
    /** Work on a claimed timer begins. */
    readonly begun: (timer: DueTimer) => void
    /** Work on it failed. */
    readonly failed: (timer: DueTimer) => void
  }
>()("peyk/services/timer/TimerMetrics") {
  static readonly layer = Layer.effect(
    TimerMetrics,
    Effect.gen(function* () {
      const context = yield* Effect.context<never>()
      const clock = yield* Clock.Clock
      const claimed = counters(context, "peyk_timers_claimed_total", {
        description: "Due timers that this process claimed, by kind.",
        labels: ["kind"]
      })
      const abandoned = counters(context, "peyk_timers_abandoned_total", {
        description: "Claimed timers whose last holder let its lease run out, by kind.",
        labels: ["kind"]
      })
      const lateness = histograms(context, "peyk_timer_lateness_seconds", {
        description: "From when a timer was due to when work on it began, by kind.",
        labels: ["kind"],
        boundaries: SECONDS
      })
      const failed = counters(context, "peyk_timers_failed_total", {
        description: "Claimed timers whose work failed; they are due again. By kind.",
        labels: ["kind"]
      })
      for (const each of [claimed, abandoned, failed]) for (const kind of timerKinds) each(kind)(0)
      return TimerMetrics.of({
        begun: ({ kind, dueAt, wasAbandoned }) => {
          claimed(kind)(1)
          if (wasAbandoned) abandoned(kind)(1)
          lateness(kind)(Math.max(0, clock.currentTimeMillisUnsafe() - dueAt) / MILLIS_PER_SECOND)
        },
        failed: ({ kind }) => failed(kind)(1)
      })
    })
  )
}
