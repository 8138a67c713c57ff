import { type Duration, Effect, Latch } from "effect"

/**
 * For what is gathered, to be written at once. Returns a function to call after each addition: `interval` after the
 * first one, `flush` runs, and at the end. While nothing is added the process sleeps.
 */
export const flushAfter = Effect.fnUntraced(function* (interval: Duration.Input, flush: Effect.Effect<void>) {
  const hasSome = Latch.makeUnsafe(false)
  const round = Effect.gen(function* () {
    yield* hasSome.await
    yield* Effect.sleep(interval)
    hasSome.closeUnsafe()
    yield* flush
  })
  yield* Effect.addFinalizer(() => flush)
  yield* Effect.forkScoped(Effect.forever(round))
  return () => void hasSome.openUnsafe()
})
