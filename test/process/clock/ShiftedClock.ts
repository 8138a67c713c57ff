import { type Clock, Effect } from "effect"

const NANOS_PER_MILLI = 1_000_000n

/** A clock that is ahead of another one; durations are what they are. */
export const shifted = (clock: Clock.Clock, aheadMillis: () => number): Clock.Clock => {
  const millis = () => clock.currentTimeMillisUnsafe() + aheadMillis()
  const nanos = () => clock.currentTimeNanosUnsafe() + BigInt(aheadMillis()) * NANOS_PER_MILLI
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: clock.monotonicTimeNanos,
    sleep: (duration) => clock.sleep(duration)
  }
}
