import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { RECORDED_LOOKUPS_PER_SECOND } from "../../../src/services/guard/CodeDecisions.ts"
import type { GuardMode } from "../../../src/domain/guard/GuardSettings.ts"
import { GuardRecords } from "../../../src/services/guard/GuardRecords.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import {
  attackedFromEverywhere,
  customerIn,
  CUSTOMERS_BUDGET,
  guarded,
  judged,
  knownTo,
  phoneOf,
  send,
  verified
} from "./GuardedCustomer.ts"

const ATTACKER = "203.0.113.7"

/** The network of an attack has an alarm that takes SMS away, and then a code from it is verified. */
const verifiedWithoutSms = Effect.fnUntraced(function* (mode: GuardMode) {
  const customerId = yield* customerIn(mode, ["bale", "sms"])
  for (let n = 0; n < 24; n++) yield* send(customerId, phoneOf(1000 + n), { ip: ATTACKER })
  yield* judged
  const before = yield* budgetsOf(customerId)
  assert.isTrue(yield* verified(customerId, phoneOf(0), ATTACKER))
  yield* judged
  return { customerId, before, after: yield* budgetsOf(customerId) }
})

/** What is used of each budget of the customer as a whole. */
const budgetsOf = Effect.fnUntraced(function* (customerId: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* Effect.orDie(sql<{ readonly segment: string; readonly used: number }>`
    select segment, round(used::numeric, 3)::float8 as used from guard_budgets
    where customer_id = ${customerId} and segment like 'customer%' order by segment`)
})

/** What a process may still have in hand when codes are given back. */
const IN_HAND = 4

layer(TestDatabase, { excludeTestServices: true })("what enforcing would save", (it) => {
  it.effect("has the price of messengers, of codes that were not verified", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("record", ["bale"])
      for (let n = 0; n < 30; n++) yield* send(customerId, phoneOf(n), { ip: "203.0.113.7" })
      assert.isTrue(yield* verified(customerId, phoneOf(100), "203.0.113.7"))
      yield* judged
      const [day] = yield* (yield* GuardRecords).days(customerId)
      assert.deepInclude(day, { flagged: 5, flaggedVerified: 1, flaggedSms: 0, flaggedCharges: 4000 })
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("counts every SMS of theirs", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("record")
      for (let n = 0; n < 30; n++) yield* send(customerId, phoneOf(n), { ip: "203.0.113.7" })
      yield* judged
      const [day] = yield* (yield* GuardRecords).days(customerId)
      assert.deepInclude(day, { flagged: 4, flaggedSms: 4, flaggedCharges: 0 })
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("leaves out a phone that was verified before, also if more codes came than it looked at", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("record")
      yield* knownTo(customerId)
      yield* attackedFromEverywhere(customerId, CUSTOMERS_BUDGET + IN_HAND + RECORDED_LOOKUPS_PER_SECOND)
      yield* send(customerId, phoneOf(0), { ip: "192.0.2.1" })
      const sql = yield* SqlClient.SqlClient
      const flags = yield* Effect.orDie(
        sql`select guard, phone from verifications
          where customer_id = ${customerId} and guard in ('no_sms', 'refuse') order by id`
      )
      assert.deepStrictEqual(flags.at(-1), { guard: "refuse", phone: phoneOf(0) })
      yield* judged
      const [day] = yield* (yield* GuardRecords).days(customerId)
      assert.deepInclude(day, { flagged: flags.length - 1 })
    }).pipe(Effect.provide(guarded()))
  )

  it.effect(
    "gives a verified code back to the budget that it took from, also if its SMS would be left out",
    () =>
      Effect.gen(function* () {
        const enforced = yield* verifiedWithoutSms("enforcing")
        const recorded = yield* verifiedWithoutSms("record")
        assert.notDeepEqual(enforced.after, enforced.before)
        assert.deepStrictEqual(recorded.before, enforced.before)
        assert.deepStrictEqual(recorded.after, enforced.after)
        const [day] = yield* (yield* GuardRecords).days(recorded.customerId)
        assert.deepInclude(day, { flagged: 1, flaggedVerified: 1, flaggedSms: 0, flaggedCharges: 0 })
      }).pipe(Effect.provide(guarded()))
  )
})
