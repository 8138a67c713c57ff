import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { ReadinessSql } from "../../../src/layers/system/HealthReportsSql.ts"
import { StoreWrites } from "../../../src/layers/postgres/StoreWrites.ts"
import { Readiness } from "../../../src/services/system/HealthReports.ts"
import { TestDatabase, TestDatabaseOfCells } from "../../support/TestDatabase.ts"

const Process = Layer.provide(ReadinessSql, StoreWrites.layer)

/** Statements about the migrations that wait for a lock. A transaction keeps what it once read of activity. */
const waiting = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    Effect.andThen(
      sql`select pg_stat_clear_snapshot()`,
      sql<{ readonly count: number }>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%peyk_migrations%'`
    ),
    ([row]) => row?.count ?? 0
  )
)

const ASKING = 200

layer(TestDatabase, { excludeTestServices: true })("whether a process is ready", (it) => {
  it.effect("is asked of the store once at a time, however many ask", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { isReady } = yield* Readiness
      const asking = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`lock table peyk_migrations in access exclusive mode`
          const fiber = yield* Effect.forkDetach(
            Effect.all(
              Array.from({ length: ASKING }, () => isReady),
              { concurrency: "unbounded" }
            )
          )
          while ((yield* waiting) === 0) yield* Effect.sleep("10 millis")
          yield* Effect.sleep("100 millis")
          assert.strictEqual(yield* waiting, 1)
          return fiber
        })
      )
      assert.isTrue((yield* Fiber.join(asking)).every((ready) => ready))
    }).pipe(Effect.provide(Process))
  )

  it.effect("is no while the store does not answer", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { isReady } = yield* Readiness
      const unanswered = Effect.andThen(sql`lock table peyk_migrations in access exclusive mode`, isReady)
      assert.isFalse(yield* sql.withTransaction(unanswered))
      assert.isTrue(yield* isReady)
    }).pipe(Effect.provide(Process))
  )
})

layer(TestDatabaseOfCells(["cell_1", "cell_2", "cell_3"], true), { excludeTestServices: true })(
  "a process whose cells are on other nodes",
  (it) => {
    it.effect("is ready without one of them, and names it", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { isReady, lostCells } = yield* Readiness
        assert.deepStrictEqual(yield* lostCells, [])
        yield* sql`alter table cell_2.here rename to gone`
        assert.deepStrictEqual(yield* lostCells, [2])
        assert.isTrue(yield* isReady)
        // one that does not respond is lost too
        const waiting = Effect.andThen(sql`lock table cell_3.here in access exclusive mode`, lostCells)
        assert.deepStrictEqual(yield* sql.withTransaction(waiting), [2, 3])
        yield* sql`alter table cell_2.gone rename to here`
        assert.deepStrictEqual(yield* lostCells, [])
      }).pipe(Effect.provide(Process))
    )
  }
)
