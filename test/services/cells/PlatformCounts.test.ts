import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { cellOfPhone } from "../../../src/layers/postgres/batching/PlatformCountsSql.ts"
import { tablesInCells } from "../../../src/layers/postgres/CellSchema.ts"
import { PhoneCallCountsSql } from "../../../src/layers/verification/PhoneCallsSql.ts"
import { HOUR_MILLIS } from "../../../src/domain/Instant.ts"
import { Phone } from "../../../src/domain/Phone.ts"
import { CustomerRows } from "../../../src/services/customer/CustomerRows.ts"
import type { SettingsShape } from "../../../src/services/Settings.ts"
import { PhoneCallCounts } from "../../../src/services/verification/PhoneCalls.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabaseOfCells } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

const PHONE = "+989121234567"
const CELL = cellOfPhone([0, 1, 2], PHONE)

const EmptyCells = Layer.effectDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { inEach } = yield* CustomerRows
    const empty = Effect.forEach(tablesInCells(true), (table) => sql`delete from ${sql(table)}`)
    yield* Effect.orDie(inEach(empty))
  })
)

const processWith = (settings: Partial<SettingsShape>) =>
  Layer.provideMerge(testProcess(scriptProviders().layer, settings), EmptyCells)

const send = (customerId: number, phone = PHONE) =>
  Effect.gen(function* () {
    const { within } = yield* CustomerRows
    return yield* within(customerId, (yield* Verifications).send({ customerId, phone }))
  })

/** What refuses the send; null: nothing. */
const refusal = (customerId: number, phone?: string) =>
  Effect.map(Effect.exit(send(customerId, phone)), (exit) =>
    Exit.isSuccess(exit)
      ? null
      : exit.cause.reasons.map((reason) => ("error" in reason ? reason.error._tag : reason))
  )

const countedIn = (cell: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe<{ readonly used: number; readonly callers: number }>(
      `select day_used as used, cardinality(callers) as callers from cell_${cell}.platform_phone_counters`
    )
  )

const uncounted = Effect.map(
  Metric.snapshot,
  (metrics) =>
    metrics.find(({ id }) => id === "peyk_platform_uncounted_sends_total")?.state ?? {
      count: 0,
      incremental: true
    }
)
const uncountedNow = Effect.map(uncounted, (state) => ("count" in state ? Number(state.count) : Number.NaN))

/** While a column is missing, statements fail as if the cell could not be reached. */
const rename = (from: string, to: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`alter table cell_${CELL}.platform_phone_counters rename column ${from} to ${to}`)
  )

layer(TestDatabaseOfCells(["cell_1", "cell_2"], true), { excludeTestServices: true })(
  "the platform's count of a phone, with cells on other nodes",
  (it) => {
    it.effect("is that of all customers, in one cell", () =>
      Effect.gen(function* () {
        const one = yield* makeCustomer(["bale"])
        const other = yield* makeCustomer(["bale"])
        assert.isNull(yield* refusal(one))
        assert.isNull(yield* refusal(other))
        assert.isNull(yield* refusal(one))
        assert.deepStrictEqual(yield* refusal(other), ["too_many_requests_phone_day"])
        assert.deepStrictEqual(yield* countedIn(CELL), [{ used: 3, callers: 2 }])
        assert.deepStrictEqual(yield* countedIn(3 - CELL), [])
      }).pipe(Effect.provide(processWith({ platformPhoneDayLimit: 3 })))
    )

    it.effect("admits exactly as many as the limit allows, however they come", () =>
      Effect.gen(function* () {
        const customers = [yield* makeCustomer(["bale"]), yield* makeCustomer(["bale"])]
        const tries = Array.from({ length: 12 }, (_, nth) => customers[nth % 2] ?? 0)
        const refusals = yield* Effect.forEach(tries, (id) => refusal(id), { concurrency: "unbounded" })
        assert.strictEqual(refusals.filter((refused) => refused === null).length, 4)
        assert.deepStrictEqual(
          (yield* countedIn(CELL)).map(({ used }) => used),
          [4]
        )
      }).pipe(Effect.provide(processWith({ platformPhoneDayLimit: 4 })))
    )

    it.effect("is given back if the customer's own limit refuses", () =>
      Effect.gen(function* () {
        const one = yield* makeCustomer(["bale"])
        const other = yield* makeCustomer(["bale"])
        assert.isNull(yield* refusal(one))
        assert.deepStrictEqual(yield* refusal(one), ["too_many_requests_phone_hour"])
        assert.deepStrictEqual(yield* refusal(one), ["too_many_requests_phone_hour"])
        assert.deepStrictEqual(yield* countedIn(CELL), [{ used: 1, callers: 1 }])
        assert.isNull(yield* refusal(other))
        assert.deepStrictEqual(yield* countedIn(CELL), [{ used: 2, callers: 2 }])
      }).pipe(Effect.provide(processWith({ platformPhoneDayLimit: 2, phoneHourLimit: 1 })))
    )

    it.effect("gives a new caller back too", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const one = yield* makeCustomer(["bale"])
        const poor = yield* makeCustomer(["bale"])
        const { within } = yield* CustomerRows
        yield* within(poor, Effect.orDie(sql`update wallets set balance = 0 where customer_id = ${poor}`))
        assert.isNull(yield* refusal(one))
        assert.deepStrictEqual(yield* refusal(poor), ["insufficient_balance"])
        assert.deepStrictEqual(yield* countedIn(CELL), [{ used: 1, callers: 1 }])
      }).pipe(Effect.provide(processWith({ platformPhoneDayLimit: 9 })))
    )

    it.effect("is done without while its cell cannot be reached, and not tried for five seconds", () =>
      Effect.gen(function* () {
        const one = yield* makeCustomer(["bale"])
        const other = yield* makeCustomer(["bale"])
        yield* rename("day_used", "lost")
        assert.isNull(yield* refusal(one))
        assert.isNull(yield* refusal(other))
        // the customer's own limit holds
        assert.deepStrictEqual(yield* refusal(one), ["too_many_requests_phone_hour"])
        assert.deepInclude(yield* uncounted, { count: 3 })
        yield* rename("lost", "day_used")
        yield* TestClock.adjust("4 seconds")
        const third = yield* makeCustomer(["bale"])
        assert.isNull(yield* refusal(third))
        assert.deepStrictEqual(yield* countedIn(CELL), [])
        yield* TestClock.adjust("1 second")
        const fourth = yield* makeCustomer(["bale"])
        assert.isNull(yield* refusal(fourth))
        assert.deepStrictEqual(yield* countedIn(CELL), [{ used: 1, callers: 1 }])
        assert.deepStrictEqual(yield* refusal(one), ["too_many_requests_phone_hour"])
      }).pipe(Effect.provide(processWith({ platformPhoneDayLimit: 1, phoneHourLimit: 1 })))
    )

    it.effect("lets a phone be called by day, though its calls cannot be counted", () =>
      Effect.gen(function* () {
        const counts = yield* PhoneCallCounts
        const call = (nth: number) => ({
          id: `0199f000-0000-7000-8000-00000000000${nth}`,
          customerId: 1,
          phone: Phone.make(PHONE)
        })
        const isGranted = (nth: number, nightEndsAt: number | null = null) =>
          Effect.map(
            counts.count({
              ...call(nth),
              now: 0,
              limit: 1,
              hourEndsAt: HOUR_MILLIS,
              nightEndsAt,
              callersLimit: 0,
              isBegun: false
            }),
            (counted) => counted.isGranted
          )
        assert.isTrue(yield* isGranted(1))
        assert.isFalse(yield* isGranted(2))
        const before = yield* uncountedNow
        yield* rename("calls", "lost")
        assert.isTrue(yield* isGranted(3))
        yield* counts.giveBack({ ...call(3), hourEndsAt: null, nightEndsAt: null })
        assert.isTrue(
          Exit.isFailure(yield* Effect.exit(isGranted(4, HOUR_MILLIS))),
          "one call a night is counted"
        )
        assert.strictEqual((yield* uncountedNow) - before, 1)
        yield* rename("lost", "calls")
        yield* TestClock.adjust("5 seconds")
        assert.isFalse(yield* isGranted(5))
      }).pipe(Effect.provide(Layer.provideMerge(PhoneCallCountsSql, processWith({}))))
    )
  }
)
