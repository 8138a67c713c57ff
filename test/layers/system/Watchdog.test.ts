import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { untilSilent } from "../../../src/layers/system/Supervisor.ts"

const SILENCE = 8000

/** A process that answers at once while `isAwake`, and otherwise not; it counts how often it was asked. */
const scripted = () => {
  const state = { isAwake: true, asked: 0 }
  const answers = (withinMillis: number) =>
    Effect.suspend(() => {
      state.asked += 1
      return state.isAwake ? Effect.succeed(true) : Effect.as(Effect.sleep(withinMillis), false)
    })
  return { state, answers }
}

describe("a process's silence", () => {
  it.effect("has lasted too long once it has left two questions in a row unanswered", () =>
    Effect.gen(function* () {
      const { state, answers } = scripted()
      const silent = yield* Effect.forkChild(untilSilent(answers, SILENCE))
      yield* TestClock.adjust(60_000)
      assert.strictEqual(state.asked, 30)
      state.isAwake = false
      yield* TestClock.adjust(2000 + SILENCE - 1)
      assert.isUndefined(silent.pollUnsafe())
      yield* TestClock.adjust(1)
      yield* Fiber.join(silent)
    })
  )

  it.effect("is over with the next answer", () =>
    Effect.gen(function* () {
      const { state, answers } = scripted()
      const silent = yield* Effect.forkChild(untilSilent(answers, SILENCE))
      for (let time = 0; time < 5; time++) {
        state.isAwake = false
        yield* TestClock.adjust(2000 + SILENCE / 2 - 1)
        state.isAwake = true
        yield* TestClock.adjust(1)
      }
      assert.isUndefined(silent.pollUnsafe())
      assert.isAtLeast(state.asked, 10)
      yield* Fiber.interrupt(silent)
    })
  )

  it.effect("never matters where no time is too long", () =>
    Effect.gen(function* () {
      const { state, answers } = scripted()
      const silent = yield* Effect.forkChild(untilSilent(answers, 0))
      state.isAwake = false
      yield* TestClock.adjust("30 days")
      assert.isUndefined(silent.pollUnsafe())
      assert.strictEqual(state.asked, 0)
      yield* Fiber.interrupt(silent)
    })
  )
})
