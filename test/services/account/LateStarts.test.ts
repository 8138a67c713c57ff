import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { AccountSlots } from "../../../src/services/account/AccountSlots.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Workers } from "../../../src/services/concurrency/Workers.ts"
import { codeTo, messageTo, paced } from "../../support/PacedAccounts.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

/** Lets sockets be read. */
const ioTurn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
const untilTrue = (isTrue: () => boolean) => Effect.repeat(ioTurn, { until: isTrue })

layer(TestDatabase, { excludeTestServices: true })("a call that starts late", (it) => {
  /** Does what is due after so long, and nothing in between: as a process that was held up. */
  const afterAPauseOf = (millis: number) =>
    TestClock.adjust(millis).pipe(
      Effect.andThen(Effect.flatMap(TimerRunner, ({ runDue }) => runDue)),
      Effect.andThen(Effect.flatMap(Workers, ({ idle }) => idle))
    )
  const startsOf = (providers: ReturnType<typeof scriptProviders>) => providers.deliveries.map(({ at }) => at)

  it.effect("pushes the account's next message, which is on time, by as much", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"])
      const idle = (yield* Workers).idle
      for (let n = 0; n < 3; n++) yield* Effect.andThen(messageTo(customerId, ["bale"]), idle)
      // The second has its slot at 1100, the third at 2200.
      yield* afterAPauseOf(1400)
      yield* afterAPauseOf(800)
      assert.deepStrictEqual(startsOf(providers), [0, 1400])
      yield* afterAPauseOf(299)
      assert.deepStrictEqual(startsOf(providers), [0, 1400])
      yield* afterAPauseOf(1)
      assert.deepStrictEqual(startsOf(providers), [0, 1400, 2500])
    }).pipe(Effect.provide(paced(providers)))
  })

  it.effect("pushes the account's next code by as much", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"])
      for (let n = 0; n < 3; n++) yield* codeTo(customerId, ["bale"])
      // Slots at 8100 and 16200: further away than a request waits.
      yield* afterAPauseOf(8400)
      yield* afterAPauseOf(7800)
      assert.deepStrictEqual(startsOf(providers), [0, 8400])
      yield* afterAPauseOf(300)
      assert.deepStrictEqual(startsOf(providers), [0, 8400, 16_500])
    }).pipe(Effect.provide(paced(providers, { accountGapMillis: 8000 })))
  })

  it.effect(
    "of which others are always first is made in the background, after as long as a request waits",
    () => {
      const providers = scriptProviders()
      let taken = 0
      const slots = Layer.succeed(
        AccountSlots,
        AccountSlots.of({
          take: ({ now }) =>
            Effect.sync(() => {
              taken++
              return { _tag: "Taken", index: 0, at: now + 1000, hasStart: false, blocked: [] }
            }),
          start: (_account, { now }) => Effect.succeed({ hasStart: false, at: now + 3000 }),
          isCooling: () => Effect.succeed(false),
          report: () => Effect.void
        })
      )
      return Effect.gen(function* () {
        const customerId = yield* makeCustomer(["bale"])
        const sending = yield* Effect.forkChild(codeTo(customerId, ["bale"]))
        yield* untilTrue(() => taken > 0)
        // Until it answers: the store takes real time in between, in which the clock here must not run out.
        while (sending.pollUnsafe() === undefined) {
          yield* TestClock.adjust("100 millis")
          yield* ioTurn
        }
        assert.strictEqual((yield* Fiber.join(sending)).status, "queued")
        assert.deepStrictEqual(providers.channels(), [])
      }).pipe(Effect.provide(testProcess(Layer.merge(providers.layer, slots))))
    }
  )

  it.effect("pushes nothing when it starts on time", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"])
      const idle = (yield* Workers).idle
      for (let n = 0; n < 4; n++) yield* Effect.andThen(messageTo(customerId, ["bale"]), idle)
      for (let n = 0; n < 3; n++) yield* afterAPauseOf(1100)
      assert.deepStrictEqual(startsOf(providers), [0, 1100, 2200, 3300])
    }).pipe(Effect.provide(paced(providers)))
  })
})
