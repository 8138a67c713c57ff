import { Context, Effect, Layer } from "effect"
import { TimerHandlers, TimerRunner } from "../services/TimerRunner.ts"
import type { DueTimer } from "../services/Timers.ts"
import { VerificationSteps } from "../services/VerificationSteps.ts"

type Handler = (timer: DueTimer) => Effect.Effect<void>

class LiveHandler extends Context.Service<LiveHandler, Handler>()("peyk/layers/TimerGraph/LiveHandler") {}
class SandboxHandler extends Context.Service<SandboxHandler, Handler>()(
  "peyk/layers/TimerGraph/SandboxHandler"
) {}

const runTimer = Effect.map(VerificationSteps, (steps) => steps.runTimer)

/** What is due, in every mode, done by the given compositions. */
export const timerGraph = <E, R, E2, R2>(
  live: Layer.Layer<VerificationSteps, E, R>,
  sandbox: Layer.Layer<VerificationSteps, E2, R2>
) =>
  TimerRunner.layer.pipe(
    Layer.provide(
      Layer.effect(
        TimerHandlers,
        Effect.gen(function* () {
          return new Map([
            ["verification" as const, yield* LiveHandler],
            ["sandbox_verification" as const, yield* SandboxHandler]
          ])
        })
      )
    ),
    Layer.provide([
      Layer.provide(Layer.effect(LiveHandler, runTimer), live),
      Layer.provide(Layer.effect(SandboxHandler, runTimer), sandbox)
    ])
  )
