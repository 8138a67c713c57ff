import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { stat } from "node:fs"
import { ProviderOutcome } from "../../../src/domain/ProviderOutcome.ts"
import { makeInTime } from "../../../src/services/provider/CallTimeouts.ts"
import { outcomeOf } from "../../../src/services/provider/ProviderCalls.ts"

const TIMEOUT_MILLIS = 300
const options = Effect.map(makeInTime(TIMEOUT_MILLIS), (inTime) => ({ channel: "bale", inTime }) as const)
const accepted = ProviderOutcome.Accepted({ messageId: null })

/** In Node's event loop, due timers run right after this, before anything is read. */
const beforeTimers = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

const standStill = (millis: number) =>
  Effect.sync(() => {
    const end = performance.now() + millis
    while (performance.now() < end);
  })

describe("a call to a provider", () => {
  it.live("has the answer that came while this process stood still for longer than the time-out", () =>
    Effect.gen(function* () {
      const call = Effect.callback<ProviderOutcome>((resume) =>
        stat(".", () => resume(Effect.succeed(accepted)))
      )
      const given = yield* options
      yield* beforeTimers
      const called = yield* Effect.forkChild(outcomeOf(call, given), { startImmediately: true })
      yield* standStill(TIMEOUT_MILLIS + 100)
      assert.deepStrictEqual(yield* Fiber.join(called), accepted)
    })
  )

  it.effect("without an answer has an unknown outcome at the time-out, and not before", () =>
    Effect.gen(function* () {
      const given = yield* options
      const called = yield* Effect.forkChild(outcomeOf(Effect.never, given), { startImmediately: true })
      yield* TestClock.adjust(TIMEOUT_MILLIS - 1)
      assert.isUndefined(called.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Fiber.join(called))._tag, "Unknown")
    })
  )

  it.effect("ends at its own time-out, whatever other calls do", () =>
    Effect.gen(function* () {
      const given = yield* options
      const interrupted = { count: 0 }
      const unanswered = Effect.onInterrupt(Effect.never, () => Effect.sync(() => (interrupted.count += 1)))
      const begin = (call: Effect.Effect<ProviderOutcome>) =>
        Effect.forkChild(outcomeOf(call, given), { startImmediately: true })
      const first = yield* begin(unanswered)
      yield* TestClock.adjust(50)
      const answered = yield* begin(Effect.delay(Effect.succeed(accepted), TIMEOUT_MILLIS - 1))
      const stopped = yield* begin(unanswered)
      const second = yield* begin(unanswered)
      yield* Fiber.interrupt(stopped)
      yield* TestClock.adjust(TIMEOUT_MILLIS - 50)
      assert.strictEqual((yield* Fiber.join(first))._tag, "Unknown")
      yield* TestClock.adjust(49)
      assert.deepStrictEqual(yield* Fiber.join(answered), accepted)
      assert.isUndefined(second.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Fiber.join(second))._tag, "Unknown")
      assert.strictEqual(interrupted.count, 3)
      const later = yield* begin(unanswered)
      yield* TestClock.adjust(TIMEOUT_MILLIS - 1)
      assert.isUndefined(later.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Fiber.join(later))._tag, "Unknown")
    })
  )
})
