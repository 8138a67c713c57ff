import { Context, Effect, Layer } from "effect"
import { TimerHandlers, TimerRunner } from "../services/TimerRunner.ts"
import type { DueTimer } from "../services/Timers.ts"
import { VerificationSteps } from "../services/VerificationSteps.ts"
import { LiveVerifications, SandboxVerifications } from "./VerificationGraph.ts"

type Handler = (timer: DueTimer) => Effect.Effect<void>

class LiveHandler extends Context.Service<LiveHandler, Handler>()("peyk/layers/TimerGraph/LiveHandler") {}
class SandboxHandler extends Context.Service<SandboxHandler, Handler>()("peyk/layers/TimerGraph/SandboxHandler") {}

const runTimer = Effect.map(VerificationSteps, (steps) => steps.runTimer)

const TimerHandlersLive = Layer.effect(
  TimerHandlers,
  Effect.gen(function* () {
    return { verification: yield* LiveHandler, sandbox_verification: yield* SandboxHandler }
  })
).pipe(
  Layer.provide([
    Layer.provide(Layer.effect(LiveHandler, runTimer), LiveVerifications),
    Layer.provide(Layer.effect(SandboxHandler, runTimer), SandboxVerifications)
  ])
)

/** What is due, in every mode. */
export const TimerRunnerLive = Layer.provide(TimerRunner.layer, TimerHandlersLive)
