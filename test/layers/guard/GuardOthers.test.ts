import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { newCustomerState } from "../../../src/domain/guard/CustomerState.ts"
import { outageOf, trafficOfOthers } from "../../../src/domain/guard/Outage.ts"
import { idAt } from "../../../src/domain/Paging.ts"
import { GuardStore } from "../../../src/services/guard/GuardStore.ts"
import { guarded } from "../../services/guard/GuardedCustomer.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const MINUTE = 60_000
const NOW = 1000 * MINUTE
const CONVERSION = 0.7

/** A customer as its last round left it: an hour with as many codes as usual, or so many times, and how many of the usual were verified. */
const judged = Effect.fnUntraced(function* (customerId: number, codes: number, share: number, times = 1) {
  const sql = yield* SqlClient.SqlClient
  const minutes = Array.from({ length: 60 }, (_, n) => 1000 - n)
  const state = {
    ...newCustomerState(0),
    usual: { codesPerHour: codes, conversion: CONVERSION },
    recent: minutes.map((minute) => ({
      minute,
      channel: "sms",
      codes: (times * codes) / 60,
      verified: (share * codes) / 60,
      expected: (times * CONVERSION * codes) / 60
    }))
  }
  yield* Effect.orDie(sql`
    insert into guard_rounds (customer_id, judged_until, state, codes, verified)
    values (${customerId}, ${idAt(NOW)}::uuid, ${JSON.stringify(state)}::jsonb, ${codes}, 0)`)
})

const outageSeenByOthers = Effect.gen(function* () {
  const { recent, usual } = trafficOfOthers(yield* (yield* GuardStore).largest(NOW))(1)
  return outageOf(null, recent, usual, NOW)?.channel ?? null
})

layer(TestDatabase, { excludeTestServices: true })("an outage that others see", (it) => {
  it.effect("is not that of one large customer, whatever it does with its codes", () =>
    Effect.gen(function* () {
      yield* judged(2, 5000, 0)
      for (const id of [3, 4, 5]) yield* judged(id, 100, CONVERSION)
      assert.isNull(yield* outageSeenByOthers)
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("is not that of one among three, although the others have fewer verified codes by chance", () =>
    Effect.gen(function* () {
      yield* judged(2, 100, 0, 3)
      for (const id of [3, 4]) yield* judged(id, 100, 0.85 * CONVERSION)
      assert.isNull(yield* outageSeenByOthers)
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("is that of all of three", () =>
    Effect.gen(function* () {
      for (const id of [2, 3, 4]) yield* judged(id, 100, 0)
      assert.strictEqual(yield* outageSeenByOthers, "sms")
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("is that of several customers", () =>
    Effect.gen(function* () {
      yield* judged(2, 5000, CONVERSION)
      for (const id of [3, 4, 5, 6]) yield* judged(id, 100, 0)
      assert.strictEqual(yield* outageSeenByOthers, "sms")
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("shows in what the 100 customers with the most codes sent in the last hour", () =>
    Effect.gen(function* () {
      yield* Effect.forEach(
        Array.from({ length: 101 }, (_, n) => 2 + n),
        (id) => judged(id, 1000 - id, 0)
      )
      const largest = yield* (yield* GuardStore).largest(NOW)
      assert.deepStrictEqual(
        largest.map(({ customerId }) => customerId),
        Array.from({ length: 100 }, (_, n) => 2 + n)
      )
      assert.strictEqual(largest[0]?.recent.length, 60)
      assert.deepStrictEqual(yield* (yield* GuardStore).largest(NOW + 61 * MINUTE), [])
    }).pipe(Effect.provide(guarded()))
  )
})
