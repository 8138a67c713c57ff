import { assert, layer } from "@effect/vitest"
import { Array as Arr, Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { SLOT_MILLIS } from "../../../src/domain/Activity.ts"
import { ActivitySumsSql } from "../../../src/layers/activity/ActivitySumsSql.ts"
import { ActivitySums } from "../../../src/services/activity/ActivityReports.ts"
import { MARCH, readProcess } from "../../support/ManageReads.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer } from "../../support/TestGraph.ts"

/** The half hours from the first of March on, by their numbers. */
const span = (first: number, end: number) => ({
  from: MARCH + first * SLOT_MILLIS,
  to: MARCH + end * SLOT_MILLIS
})

const unfinished = Effect.fnUntraced(function* (customerId: number, first: number, end: number) {
  const slots = yield* (yield* ActivitySums).unfinished(
    customerId,
    span(first, end),
    yield* Clock.currentTimeMillis
  )
  return slots.map(({ startsAt }) => (startsAt - MARCH) / SLOT_MILLIS)
})

/** Sums them up when they are long over, and looks at them. */
const finish = Effect.fnUntraced(function* (customerId: number, first: number, end: number) {
  yield* (yield* ActivitySums).sumUp(customerId, span(first, end), yield* Clock.currentTimeMillis)
  assert.deepStrictEqual(yield* unfinished(customerId, first, end), [])
})

const deleteSums = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from activity_slots`)

const customerOfYesterday = Effect.gen(function* () {
  const customerId = yield* makeCustomer()
  yield* TestClock.adjust("1 day")
  return customerId
})

const ofProcess = Effect.provide(readProcess(scriptProviders()))

layer(TestDatabase, { excludeTestServices: true })("half hours that are finished", (it) => {
  it.effect("are not looked at again by the process that found them so", () =>
    Effect.gen(function* () {
      const customerId = yield* customerOfYesterday
      yield* finish(customerId, 0, 4)
      yield* deleteSums
      assert.deepStrictEqual(yield* unfinished(customerId, 0, 4), [])
      assert.deepStrictEqual(yield* unfinished(customerId, 2, 6), [4, 5])
      const ofAnother = Effect.provide(unfinished(customerId, 0, 4), Layer.fresh(ActivitySumsSql))
      assert.deepStrictEqual(yield* ofAnother, [0, 1, 2, 3])
    }).pipe(ofProcess)
  )

  it.effect("hide none before, between or after them", () =>
    Effect.gen(function* () {
      const customerId = yield* customerOfYesterday
      yield* finish(customerId, 2, 4)
      yield* finish(customerId, 6, 8)
      assert.deepStrictEqual(yield* unfinished(customerId, 0, 10), [0, 1, 4, 5, 8, 9])
      assert.deepStrictEqual(yield* unfinished(customerId, 2, 8), [4, 5])
    }).pipe(ofProcess)
  )

  it.effect("are known as one time where they meet", () =>
    Effect.gen(function* () {
      const customerId = yield* customerOfYesterday
      yield* finish(customerId, 2, 4)
      yield* finish(customerId, 4, 6)
      yield* finish(customerId, 0, 2)
      yield* deleteSums
      assert.deepStrictEqual(yield* unfinished(customerId, 0, 8), [6, 7])
    }).pipe(ofProcess)
  )

  it.effect("are those of one customer", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* makeCustomer(), yield* customerOfYesterday]
      yield* finish(one, 0, 4)
      assert.deepStrictEqual(yield* unfinished(other, 0, 4), Arr.range(0, 3))
    }).pipe(ofProcess)
  )

  it.effect("are looked at again when retention may have deleted their sums", () =>
    Effect.gen(function* () {
      const customerId = yield* customerOfYesterday
      yield* finish(customerId, 0, 4)
      yield* TestClock.adjust("190 days")
      yield* deleteSums
      assert.deepStrictEqual(yield* unfinished(customerId, 0, 4), [0, 1, 2, 3])
    }).pipe(ofProcess)
  )
})
