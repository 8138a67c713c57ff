import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { GuardMode } from "../../../src/domain/guard/GuardSettings.ts"
import type { Risk } from "../../../src/domain/guard/Verdict.ts"
import { Guard } from "../../../src/services/guard/Guard.ts"
import { GuardRecords } from "../../../src/services/guard/GuardRecords.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { type Asking, customerIn, guarded, phoneOf, send, verified } from "./GuardedCustomer.ts"

const NETWORK = "203.0.113.7"
const PHONE = "09127654321"
const LOW: Risk = { level: "low", reasons: [] }

const riskOf = Effect.fnUntraced(function* (customerId: number, phone: string, client: Asking = {}) {
  return (yield* (yield* Verifications).send({ customerId, phone, client })).risk
})

/** Codes from one network that nobody verifies, among those of users. What the last one's risk is. */
const attacked = Effect.fnUntraced(function* (customerId: number, codes: number) {
  const timers = yield* TimerRunner
  let risk = null
  for (let n = 0; n < codes; n++) {
    yield* verified(customerId, phoneOf(n), `10.${n}.0.1`)
    risk = yield* riskOf(customerId, phoneOf(1000 + n), { ip: NETWORK })
    yield* TestClock.adjust("20 seconds")
    yield* timers.runDue
  }
  return risk
})

layer(TestDatabase, { excludeTestServices: true })("the risk of a code", (it) => {
  it.effect("is low, and rises with the third code to a phone within an hour", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("record")
      assert.deepStrictEqual(yield* riskOf(customerId, PHONE), LOW)
      assert.deepStrictEqual(yield* riskOf(customerId, PHONE), LOW)
      assert.deepStrictEqual(yield* riskOf(customerId, PHONE), {
        level: "medium",
        reasons: ["phone_retries"]
      })
      assert.deepStrictEqual(yield* riskOf(customerId, phoneOf(1)), LOW)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* riskOf(customerId, PHONE), LOW)
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("counts no code that limits refused", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("record")
      assert.deepStrictEqual(yield* riskOf(customerId, PHONE), LOW)
      for (let n = 0; n < 3; n++) yield* Effect.flip(riskOf(customerId, PHONE))
      assert.deepStrictEqual(yield* riskOf(customerId, phoneOf(1)), LOW)
      yield* TestClock.adjust("59 minutes")
      yield* Effect.orDie((yield* GuardRecords).add(customerId, "deny", { type: "phone", value: phoneOf(2) }))
      yield* Effect.flip(riskOf(customerId, phoneOf(2)))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* riskOf(customerId, PHONE), LOW)
    }).pipe(Effect.provide(guarded(Guard.layer, { phoneHourLimit: 1 })))
  )

  it.effect("is high while an alarm of the code's network is open", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("record")
      const risk = yield* attacked(customerId, 40)
      assert.strictEqual(risk?.level, "high")
      assert.include(risk?.reasons ?? [], "network_conversion_low")
      const user = yield* riskOf(customerId, phoneOf(5000), { ip: "10.250.0.1" })
      assert.notInclude(user?.reasons ?? [], "network_conversion_low")
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("says when a budget of unverified codes is used up", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("record")
      let risk = null
      for (let n = 0; n < 30; n++) risk = yield* riskOf(customerId, phoneOf(n), { ip: NETWORK })
      assert.deepStrictEqual(risk, { level: "high", reasons: ["network_budget_used"] })
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("is the same whatever six other customers did to the phone and its network", () =>
    Effect.gen(function* () {
      /** The risks of a customer's codes, one after the other. */
      const risksOf = Effect.fnUntraced(function* (customerId: number) {
        const risks = []
        for (let n = 0; n < 4; n++)
          risks.push(yield* riskOf(customerId, PHONE, { ip: NETWORK, trusted: n === 3 }))
        for (let n = 0; n < 40; n++) risks.push(yield* riskOf(customerId, phoneOf(100 + n), { ip: NETWORK }))
        return risks
      })
      const alone = yield* risksOf(yield* customerIn("record"))
      for (let other = 0; other < 6; other++) {
        const customerId = yield* customerIn("record")
        for (let n = 0; n < 3; n++) yield* send(customerId, PHONE, { ip: NETWORK })
        for (let n = 0; n < 3; n++) yield* verified(customerId, phoneOf(200 + 10 * other + n), NETWORK)
      }
      assert.deepStrictEqual(yield* risksOf(yield* customerIn("record")), alone)
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("is repeated with the response, and absent where the guard is off", () =>
    Effect.gen(function* () {
      const { send: sendCode } = yield* Verifications
      const repeated = (customerId: number, key: string) =>
        sendCode({ customerId, phone: PHONE, idempotency: { key, body: { phone: PHONE } } })
      const customerId = yield* customerIn("enforcing")
      for (const key of ["a", "b", "c"]) yield* repeated(customerId, key)
      const risks = []
      for (const key of ["a", "b", "c", "a", "c"]) {
        const { replayed, risk } = yield* repeated(customerId, key)
        assert.isTrue(replayed)
        risks.push(risk?.reasons)
      }
      assert.deepStrictEqual(risks, [[], [], ["phone_retries"], [], ["phone_retries"]])
      const mode: GuardMode = "off"
      assert.isNull((yield* repeated(yield* customerIn(mode), "a")).risk)
    }).pipe(Effect.provide(guarded()))
  )
})
