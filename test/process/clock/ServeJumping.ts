import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Clock, Config, Effect } from "effect"
import { serve } from "../../../src/cli/server/ServeCommand.ts"
import { configuration } from "../../../src/layers/config/Configuration.ts"
import { shifted } from "./ShiftedClock.ts"

// A process of its own for WrongClock.test.ts: `peyk serve` on a clock that is ahead by PEYK_TEST_AHEAD_MS, or not, and that
// SIGUSR2 sets ahead by an hour, and back.

const HOUR_MILLIS = 3_600_000

const program = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const settings = yield* configuration
  let aheadMillis = yield* Config.withDefault(Config.Int("PEYK_TEST_AHEAD_MS"), 0)
  process.on("SIGUSR2", () => {
    aheadMillis = HOUR_MILLIS - aheadMillis
  })
  return yield* Effect.provideService(
    serve(settings),
    Clock.Clock,
    shifted(clock, () => aheadMillis)
  )
})

NodeRuntime.runMain(program)
