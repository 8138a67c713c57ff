import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ProviderOutcome } from "../../src/domain/ProviderOutcome.ts"
import { Providers } from "../../src/services/provider/Providers.ts"
import { TimerRunner } from "../../src/services/timer/TimerRunner.ts"
import { Verifications } from "../../src/services/verification/Verifications.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../support/TestGraph.ts"

// docs:begin
// 1. A provider that accepts everything, and remembers what it was asked to send.
const sentOver: Array<string> = []
const RecordingProviders = Layer.mock(Providers)({
  sendCode: ({ step }) =>
    Effect.sync(() => {
      sentOver.push(step.channel)
      return ProviderOutcome.Accepted({ messageId: null })
    })
})
// docs:end

layer(TestDatabase, { excludeTestServices: true })("an example", (it) => {
  it.effect("a fallback is driven by the test's clock, without waiting", () =>
    Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "sms"])
      const verifications = yield* Verifications
      const timers = yield* TimerRunner

      // 3. The first channel is tried before send returns.
      const { verificationId } = yield* verifications.send({ customerId, phone: "09121234567" })
      assert.deepStrictEqual(sentOver, ["bale"])

      // 4. A minute later the next channel is due. `runDue` does one round of the server's loop.
      yield* TestClock.adjust("60 seconds")
      yield* timers.runDue
      assert.deepStrictEqual(sentOver, ["bale", "sms"])

      const status = yield* verifications.status({ customerId, id: verificationId })
      assert.strictEqual(status.attempts[0]?.transitionReason, "timed_out")
    }).pipe(
      // 2. The real use cases, store, routing and timers, with only this layer replaced.
      Effect.provide(testProcess(RecordingProviders))
    )
  )
})
