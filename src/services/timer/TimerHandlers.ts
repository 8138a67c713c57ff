import { Context, Effect } from "effect"
import type { DueTimer, TimerKind } from "../../domain/Timer.ts"
import { inNewTrace } from "../metrics/Spans.ts"
import { TimerMetrics } from "./TimerMetrics.ts"
import { Timers } from "./Timers.ts"

/** Does the work that is due, by kind of timer. Timers of other kinds are left to the processes that know them. */
export class TimerHandlers extends Context.Service<
  TimerHandlers,
  ReadonlyMap<TimerKind, (timer: DueTimer) => Effect.Effect<void>>
>()("peyk/services/timer/TimerHandlers") {}

/** Runs the handler of a timer under its lease, in a trace of its own. */
export const makeTimerWork = Effect.gen(function* () {
  const timers = yield* Timers
  const handlers = yield* TimerHandlers
  const metrics = yield* TimerMetrics

  const work = (timer: DueTimer) =>
    Effect.suspend(() => {
      metrics.begun(timer)
      const handled = handlers.get(timer.kind)?.(timer) ?? Effect.void
      return Effect.onError(handled, () => Effect.sync(() => metrics.failed(timer)))
    }).pipe(
      inNewTrace("timer", {
        kind: "consumer",
        attributes: { "peyk.timer.kind": timer.kind, "peyk.timer.subject": timer.subject }
      })
    )

  return { kinds: [...handlers.keys()], run: (timer: DueTimer) => timers.run(timer, work(timer)) }
})
