import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { PlatformTimersSql } from "../../../src/layers/timer/TimerStoreSql.ts"
import { MostRead, UsageReports } from "../../../src/services/UsageReports.ts"
import { PlatformTimers } from "../../../src/services/timer/TimerStore.ts"
import { codeTo, later, MARCH, readProcess, settle } from "../../support/ManageReads.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer } from "../../support/TestGraph.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** As many as make a customer busy. */
const MANY = 100

const sendCodes = (customerId: number, count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, n) => `+98912${String(1_000_000 + n)}`),
    (phone) => codeTo(customerId, phone, ["sms"]),
    { discard: true }
  )

const beginRounds = Effect.gen(function* () {
  yield* (yield* PlatformTimers).schedule("activity_sums", yield* Clock.currentTimeMillis)
  yield* settle
})

/** Of its sums, if any are kept. */
const acceptedBySums = Effect.fnUntraced(function* (customerId: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly accepted: number | null }>`
    select sum((f ->> 'accepted')::int)::int as accepted from activity_slots a, jsonb_array_elements(a.figures) f
    where a.customer_id = ${customerId} and f ->> 'channel' is null`
  return row?.accepted ?? null
})

const report = (customerId: number) =>
  Effect.gen(function* () {
    const period = { from: MARCH, to: MARCH + 30 * DAY }
    const groups = yield* (yield* UsageReports).report(customerId, period, { byDay: true, byChannel: false })
    return groups.map(({ codes: { accepted, sent } }) => [accepted, sent])
  }).pipe(Effect.provide(Layer.provide(Layer.fresh(UsageReports.layer), Layer.succeed(MostRead, 10))))

const withRounds = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.provide(
    work,
    Layer.provideMerge(PlatformTimersSql, readProcess(scriptProviders(), { accountGapMillis: 0 }))
  )

layer(TestDatabase, { excludeTestServices: true })("rounds of sums", (it) => {
  it.effect("sum up each hour what busy customers sent, and leave the others alone", () =>
    Effect.gen(function* () {
      const [busy, quiet] = [yield* makeCustomer(["sms"]), yield* makeCustomer(["sms"])]
      yield* sendCodes(busy, MANY)
      yield* sendCodes(quiet, 3)
      yield* later(HOUR)
      yield* beginRounds
      assert.strictEqual(yield* acceptedBySums(busy), MANY)
      assert.isNull(yield* acceptedBySums(quiet))
      yield* sendCodes(busy, 5)
      yield* later(HOUR)
      assert.strictEqual(yield* acceptedBySums(busy), MANY + 5)
    }).pipe(withRounds)
  )

  it.effect("let a report read no record of what they summed up", () =>
    Effect.gen(function* () {
      const busy = yield* makeCustomer(["sms"])
      yield* sendCodes(busy, MANY)
      yield* later(HOUR)
      yield* beginRounds
      yield* sendCodes(busy, 2)
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from verifications where customer_id = ${busy} and created_at < ${new Date(MARCH + HOUR)}`
      assert.deepStrictEqual(yield* report(busy), [[MANY + 2, MANY + 2]])
    }).pipe(withRounds)
  )

  it.effect("sum up the past too, of a customer that becomes busy later", () =>
    Effect.gen(function* () {
      const customerId = yield* makeCustomer(["sms"])
      yield* sendCodes(customerId, 20)
      yield* later(3 * DAY)
      yield* sendCodes(customerId, MANY)
      yield* later(HOUR)
      yield* beginRounds
      assert.strictEqual(yield* acceptedBySums(customerId), MANY + 20)
    }).pipe(withRounds)
  )

  it.effect("go on with the next customer where one cannot be summed up", () =>
    Effect.gen(function* () {
      const [broken, next] = [yield* makeCustomer(["sms"]), yield* makeCustomer(["sms"])]
      for (const customerId of [broken, next]) yield* sendCodes(customerId, MANY)
      yield* later(HOUR)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update verifications set attempts = '{}' where customer_id = ${broken}`
      yield* beginRounds
      assert.strictEqual(yield* acceptedBySums(next), MANY)
      yield* sql`update verifications set attempts = '[]' where customer_id = ${broken}`
      yield* later(HOUR)
      assert.strictEqual(yield* acceptedBySums(broken), MANY)
    }).pipe(withRounds)
  )
})
