import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { stat } from "node:fs"
import { ProviderOutcome } from "../../../src/domain/ProviderOutcome.ts"
import { noResponseIn, outcomeOf } from "../../../src/services/provider/ProviderCalls.ts"

const TIMEOUT_MILLIS = 300
const options = { channel: "bale", noResponse: noResponseIn(TIMEOUT_MILLIS) } as const
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
      yield* beforeTimers
      const called = yield* Effect.forkChild(outcomeOf(call, options), { startImmediately: true })
      yield* standStill(TIMEOUT_MILLIS + 100)
      assert.deepStrictEqual(yield* Fiber.join(called), accepted)
    })
  )

  it.effect("without an answer has an unknown outcome at the time-out, and not before", () =>
    Effect.gen(function* () {
      const called = yield* Effect.forkChild(outcomeOf(Effect.never, options), { startImmediately: true })
      yield* TestClock.adjust(TIMEOUT_MILLIS - 1)
      assert.isUndefined(called.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Fiber.join(called))._tag, "Unknown")
    })
  )
})
