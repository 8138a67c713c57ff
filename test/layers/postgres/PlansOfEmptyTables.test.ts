import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { scriptProviders, unreachable } from "../../support/ScriptedProviders.ts"
import { sendMessage, settle } from "../../support/SentMessages.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"
import { watchedBatches } from "../../support/WatchedBatches.ts"

const PHONE = "09121234567"
const OTHERS = 3000

/** The rows that this transaction has read from a table. */
const rowsRead = (sql: SqlClient.SqlClient, table: string) =>
  Effect.map(
    sql<{ rows: number }>`
      select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname = ${table}`,
    ([seen]) => seen?.rows ?? 0
  )

/** Batches that count how many rows of a table each has read. */
const countingBatches = (table: string) => {
  const fetched: Array<number> = []
  const counted = watchedBatches((real, statement) =>
    real.withTransaction(
      Effect.gen(function* () {
        const rows = yield* statement
        fetched.push(yield* rowsRead(real, table))
        return rows
      })
    )
  )
  return { fetched, counted }
}

/** As autovacuum does after a quiet night, before the first statement of the morning is planned. */
const emptied = Effect.fnUntraced(function* (table: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from ${sql(table)}`
  yield* sql.unsafe(`vacuum (analyze) ${table}`)
})

layer(TestDatabase, { excludeTestServices: true })(
  "a table that was empty when it was last analyzed",
  (it) => {
    it.effect("of timers is not read through by the batches that record attempts", () => {
      const providers = scriptProviders()
      const { fetched, counted } = countingBatches("timers")
      return Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const customerId = yield* makeCustomer(["bale", "sms"])
        const { send } = yield* Verifications
        yield* emptied("timers")
        yield* send({ customerId, phone: PHONE })
        yield* sql`insert into timers (customer_id, kind, subject, claimable_at)
        select ${customerId}, 'verification', gen_random_uuid(), '9000-01-01' from generate_series(1, ${OTHERS}::int)`
        yield* send({ customerId, phone: PHONE })
        assert.isAtLeast(fetched.length, 4)
        assert.isBelow(Math.max(...fetched), 10)
      }).pipe(Effect.provide(Layer.provide(testProcess(providers.layer), counted)))
    })

    it.effect("of phones is not read through by the batches that find who is refused", () => {
      const providers = scriptProviders()
      const { fetched, counted } = countingBatches("phone_counters")
      return Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const customerId = yield* makeCustomer(["bale"])
        const { send } = yield* Verifications
        yield* emptied("phone_counters")
        yield* send({ customerId, phone: PHONE })
        yield* sql`insert into phone_counters (customer_id, kind, phone, hour_ends_at, hour_used, day_ends_at, day_used)
        select ${customerId}, 'code', '+98935' || lpad(n::text, 7, '0'), to_timestamp(3600), 1, to_timestamp(86400), 1
        from generate_series(1, ${OTHERS}::int) n`
        const refused = yield* Effect.result(send({ customerId, phone: PHONE }))
        assert.isTrue(Result.isFailure(refused))
        assert.isAtLeast(fetched.length, 3)
        assert.isBelow(Math.max(...fetched), 10)
      }).pipe(Effect.provide(Layer.provide(testProcess(providers.layer, { phoneHourLimit: 1 }), counted)))
    })

    it.effect("of timers is not read through by the batches that send messages", () => {
      const providers = scriptProviders({ bale: unreachable })
      const { fetched, counted } = countingBatches("timers")
      return Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const customerId = yield* makeCustomer(["bale", "sms"])
        const sendAndFailOver = Effect.gen(function* () {
          yield* sendMessage(customerId, ["bale", "sms"])
          yield* settle
        })
        yield* emptied("timers")
        yield* sendAndFailOver
        yield* sql`insert into timers (customer_id, kind, subject, claimable_at)
          select ${customerId}, 'message', gen_random_uuid(), '9000-01-01' from generate_series(1, ${OTHERS}::int)`
        yield* sendAndFailOver
        assert.deepStrictEqual(providers.channels().slice(-2), ["bale", "sms"])
        assert.isAtLeast(fetched.length, 12)
        assert.isBelow(Math.max(...fetched), 100)
      }).pipe(Effect.provide(Layer.provide(testProcess(providers.layer), counted)))
    })

    it.effect("of timers is not read through to find what is due", () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const customerId = yield* makeCustomer(["bale"])
        const add = (count: number, claimableAt: string) => sql`
          insert into timers (customer_id, kind, subject, claimable_at)
          select ${customerId}, 'message', gen_random_uuid(), ${claimableAt}::timestamptz
          from generate_series(1, ${count}::int)`
        const runOne = Effect.gen(function* () {
          yield* add(1, "epoch")
          assert.strictEqual(yield* (yield* TimerRunner).runDue, 1)
          return yield* rowsRead(sql, "timers")
        })
        yield* emptied("timers")
        const [before, after] = yield* sql.withTransaction(
          Effect.gen(function* () {
            // PostgreSQL plans a statement for each of its first five uses, and may keep the sixth plan.
            const read = yield* Effect.repeat(runOne, { times: 6 })
            yield* add(OTHERS, "9000-01-01")
            return [read, yield* runOne] as const
          })
        )
        assert.isBelow(after - before, 100)
      }).pipe(Effect.provide(testProcess(providers.layer)))
    })
  }
)
