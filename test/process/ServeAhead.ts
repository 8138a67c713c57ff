import { NodeRuntime } from "@effect/platform-node"
import { Clock, Config, Effect } from "effect"
import { serve } from "../../src/cli/ServeCommand.ts"
import { configuration } from "../../src/layers/Configuration.ts"

// A process of its own for Wait.test.ts: `peyk serve`, on a clock that is ahead by PEYK_TEST_AHEAD_MS.

const shifted = (clock: Clock.Clock, aheadMillis: number): Clock.Clock => {
  const aheadNanos = BigInt(aheadMillis) * 1_000_000n
  return {
    currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + aheadMillis,
    currentTimeMillis: Effect.map(clock.currentTimeMillis, (millis) => millis + aheadMillis),
    currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe() + aheadNanos,
    currentTimeNanos: Effect.map(clock.currentTimeNanos, (nanos) => nanos + aheadNanos),
    // These two are about durations, which are what they are.
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
}

const program = Effect.gen(function* () {
  const aheadMillis = yield* Config.Int("PEYK_TEST_AHEAD_MS")
  const clock = yield* Clock.Clock
  const settings = yield* configuration
  return yield* Effect.provideService(serve(settings), Clock.Clock, shifted(clock, aheadMillis))
})

NodeRuntime.runMain(program)
