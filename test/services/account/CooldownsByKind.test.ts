import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ProviderOutcome } from "../../../src/domain/ProviderOutcome.ts"
import { Providers } from "../../../src/services/provider/Providers.ts"
import { Accounts } from "../../../src/services/account/Accounts.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Workers } from "../../../src/services/concurrency/Workers.ts"
import { codeTo, messageTo } from "../../support/PacedAccounts.ts"
import { accepted, misconfigured, scriptProviders, throttled } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

/** A provider whose answers differ for codes and texts, and how often each was sent. */
const apart = (answers: { readonly code: ProviderOutcome; readonly text: ProviderOutcome }) => {
  const calls = { code: 0, text: 0 }
  const answer = (kind: "code" | "text") => () =>
    Effect.sync(() => {
      calls[kind] += 1
      return answers[kind]
    })
  const providers = Layer.succeed(
    Providers,
    Providers.of({ sendCode: answer("code"), sendText: answer("text") })
  )
  return { calls, layer: providers }
}

const customerOfSmsir = Effect.gen(function* () {
  const customerId = yield* makeCustomer([])
  yield* (yield* Accounts).connect(customerId, {
    channel: "sms",
    provider: "smsir",
    label: "sms",
    settings: { api_key: "key", line_number: 3000, otp_template_id: 1 },
    isDefault: true
  })
  return customerId
})

const sendText = Effect.fnUntraced(function* (customerId: number) {
  yield* messageTo(customerId, ["sms"])
  yield* (yield* Workers).idle
  yield* (yield* TimerRunner).runDue
})
const sendCode = (customerId: number) => Effect.asVoid(codeTo(customerId, ["sms"]))

const sixTimes = <E, R>(send: Effect.Effect<void, E, R>) => Effect.repeat(send, { times: 5 })

layer(TestDatabase, { excludeTestServices: true })("an account whose provider sends by two means", (it) => {
  it.effect("still sends codes while its texts fail", () => {
    const { calls, layer: providers } = apart({ code: accepted, text: misconfigured })
    return Effect.gen(function* () {
      const customerId = yield* customerOfSmsir
      yield* sixTimes(sendText(customerId))
      assert.deepStrictEqual(calls, { code: 0, text: 5 })
      yield* sixTimes(sendCode(customerId))
      assert.deepStrictEqual(calls, { code: 6, text: 5 })
      // Codes that work say nothing about texts: the next cooldown is the longer one.
      yield* TestClock.adjust("60 seconds")
      yield* sendText(customerId)
      yield* sendCode(customerId)
      yield* TestClock.adjust("60 seconds")
      yield* sendText(customerId)
      assert.deepStrictEqual(calls, { code: 7, text: 6 })
    }).pipe(Effect.provide(testProcess(providers)))
  })

  it.effect("still sends texts while its codes fail", () => {
    const { calls, layer: providers } = apart({ code: misconfigured, text: accepted })
    return Effect.gen(function* () {
      const customerId = yield* customerOfSmsir
      yield* sixTimes(sendCode(customerId))
      assert.deepStrictEqual(calls, { code: 5, text: 0 })
      yield* sixTimes(sendText(customerId))
      assert.deepStrictEqual(calls, { code: 5, text: 6 })
    }).pipe(Effect.provide(testProcess(providers)))
  })

  it.effect("still sends codes when it is asked to slow down with texts", () => {
    const { calls, layer: providers } = apart({ code: accepted, text: throttled })
    return Effect.gen(function* () {
      const customerId = yield* customerOfSmsir
      yield* sixTimes(sendText(customerId))
      yield* sixTimes(sendCode(customerId))
      assert.deepStrictEqual(calls, { code: 6, text: 1 })
      const { items } = yield* (yield* Accounts).list(customerId, { limit: 1, after: null })
      assert.isAtLeast(items[0]?.coolingUntil ?? 0, 60_000)
    }).pipe(Effect.provide(testProcess(providers)))
  })
})

layer(TestDatabase, { excludeTestServices: true })(
  "an account whose provider sends all by one means",
  (it) => {
    it.effect("sends nothing during a cooldown, whatever began it", () => {
      const { calls, layer: providers } = apart({ code: accepted, text: misconfigured })
      return Effect.gen(function* () {
        const customerId = yield* makeCustomer(["sms"])
        yield* sixTimes(sendText(customerId))
        yield* sendCode(customerId)
        assert.deepStrictEqual(calls, { code: 0, text: 5 })
      }).pipe(Effect.provide(testProcess(providers)))
    })
  }
)

layer(TestDatabase, { excludeTestServices: true })("a cooldown that a provider asks for", (it) => {
  const forEver = ProviderOutcome.Throttled({ retryAfterMillis: 1e303, providerError: "429" })
  const forNoTime = ProviderOutcome.Throttled({ retryAfterMillis: Number.NaN, providerError: "429" })

  it.effect("is no longer than the longest cooldown that is set", () => {
    const providers = scriptProviders({ bale: [forEver, accepted] })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "sms"])
      yield* codeTo(customerId, ["bale"])
      yield* TestClock.adjust(899_999)
      yield* codeTo(customerId, ["bale"])
      assert.strictEqual(providers.deliveries.length, 1)
      yield* TestClock.adjust(1)
      yield* codeTo(customerId, ["bale"])
      assert.strictEqual(providers.deliveries.length, 2)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("and is not a number is noted as a cooldown of the usual length", () => {
    const providers = scriptProviders({ bale: [forNoTime, accepted] })
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customerId = yield* makeCustomer(["bale", "sms"])
      yield* codeTo(customerId, ["bale", "sms"])
      const [pace] = yield* sql<{ readonly until: Date }>`
        select cooling_until as until from account_pace where cooling_until is not null`
      assert.strictEqual(pace?.until.getTime(), 60_000)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })
})
