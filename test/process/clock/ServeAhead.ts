import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Clock, Config, Effect } from "effect"
import { serve } from "../../../src/cli/server/ServeCommand.ts"
import { configuration } from "../../../src/layers/config/Configuration.ts"
import { ClockTolerance } from "../../../src/layers/postgres/ClockComparison.ts"
import { shifted } from "./ShiftedClock.ts"

// A process of its own for Wait.test.ts: `peyk serve`, on a clock that is ahead by PEYK_TEST_AHEAD_MS.

const program = Effect.gen(function* () {
  const aheadMillis = yield* Config.Int("PEYK_TEST_AHEAD_MS")
  const clock = yield* Clock.Clock
  const settings = yield* configuration
  return yield* serve(settings).pipe(
    Effect.provideService(
      Clock.Clock,
      shifted(clock, () => aheadMillis)
    ),
    // It stands for a later time, not for a wrong clock.
    Effect.provideService(ClockTolerance, Number.POSITIVE_INFINITY)
  )
})

NodeRuntime.runMain(program)
