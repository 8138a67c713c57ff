import { assert, it } from "@effect/vitest"
import { Effect, Scope, Exit } from "effect"
import { TestClock } from "effect/testing"
import { flushAfter } from "../../../src/services/concurrency/Workers.ts"

const start = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const flushed: Array<number> = []
  const clock = yield* TestClock.testClockWith(Effect.succeed)
  const flush = Effect.sync(() => void flushed.push(clock.currentTimeMillisUnsafe()))
  const added = yield* Scope.provide(flushAfter("5 seconds", flush), scope)
  return { added, flushed, end: Scope.close(scope, Exit.void) }
})

it.effect("what is added within the interval is flushed once, at its end", () =>
  Effect.gen(function* () {
    const { added, flushed } = yield* start
    yield* TestClock.adjust("1 second")
    added()
    yield* TestClock.adjust("4 seconds")
    added()
    yield* TestClock.adjust("2 seconds")
    assert.deepStrictEqual(flushed, [6000])
    added()
    yield* TestClock.adjust("5 seconds")
    assert.deepStrictEqual(flushed, [6000, 12_000])
  })
)

it.effect("nothing is flushed while nothing is added, but at the end", () =>
  Effect.gen(function* () {
    const { flushed, end } = yield* start
    yield* TestClock.adjust("1 day")
    assert.deepStrictEqual(flushed, [])
    yield* end
    assert.lengthOf(flushed, 1)
  })
)
