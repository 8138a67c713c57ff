import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { defaultSettings, Settings } from "../../../src/services/Settings.ts"
import { Workers } from "../../../src/services/concurrency/Workers.ts"

const GRACE_MILLIS = 5000

const WorkersTest = Layer.provide(
  Workers.layer,
  Layer.succeed(Settings, { ...defaultSettings, graceMillis: GRACE_MILLIS })
)

/** Workers of a process that is stopped by closing the scope. */
const started = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(WorkersTest, scope)
  return { workers: Context.get(context, Workers), stop: Scope.close(scope, Exit.void) }
})

describe("work that is run to its end", () => {
  it.effect("goes on when whoever asked for it is interrupted, and is waited for", () =>
    Effect.gen(function* () {
      const { workers } = yield* started
      const gate = yield* Deferred.make<void>()
      let isDone = false
      const work = Effect.andThen(
        Deferred.await(gate),
        Effect.sync(() => {
          isDone = true
        })
      )
      const asking = yield* Effect.forkChild(workers.runToEnd(work), { startImmediately: true })
      yield* Fiber.interrupt(asking)
      const idle = yield* Effect.forkChild(workers.idle, { startImmediately: true })
      assert.isUndefined(idle.pollUnsafe())
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(idle)
      assert.isTrue(isDone)
      assert.strictEqual(workers.load.running, 0)
    })
  )

  it.effect("is finished by a process that stops, within its grace time", () =>
    Effect.gen(function* () {
      const { workers, stop } = yield* started
      const gate = yield* Deferred.make<void>()
      const fiber = workers.fork(Deferred.await(gate), Context.empty())
      const stopping = yield* Effect.forkChild(stop, { startImmediately: true })
      yield* TestClock.adjust(GRACE_MILLIS - 1)
      assert.isUndefined(stopping.pollUnsafe())
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(stopping)
      assert.deepStrictEqual(yield* Fiber.await(fiber), Exit.void)
    })
  )

  it.effect("is interrupted after that", () =>
    Effect.gen(function* () {
      const { workers, stop } = yield* started
      const fiber = workers.fork(Effect.never, Context.empty())
      const stopping = yield* Effect.forkChild(stop, { startImmediately: true })
      yield* TestClock.adjust(GRACE_MILLIS)
      yield* Fiber.join(stopping)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
    })
  )

  it.effect("is not begun once the process has stopped", () =>
    Effect.gen(function* () {
      const { workers, stop } = yield* started
      yield* stop
      let isBegun = false
      yield* workers.start(
        Effect.sync(() => {
          isBegun = true
        })
      )
      assert.isFalse(isBegun)
    })
  )
})
