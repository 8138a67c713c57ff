import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { customerLock, IsDistributed } from "../../../../src/layers/postgres/Citus.ts"
import { TestDatabase } from "../../../support/TestDatabase.ts"

const ONE = 900_001
const OTHER = 900_002

const isWaiting = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ waits: boolean }>`select exists (
    select from pg_locks where not granted and locktype = 'advisory' and objid in (${ONE}, ${OTHER})) as waits`
)

layer(TestDatabase, { excludeTestServices: true })("statements that take turns", (it) => {
  it.effect("wait for one with a customer in common, and for no other", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const withCustomerLock = yield* Effect.provideService(customerLock, IsDistributed, true)
      const done: Array<string> = []
      const note = (name: string) => Effect.sync(() => done.push(name))
      const begun = yield* Deferred.make<void>()
      const end = yield* Deferred.make<void>()
      const first = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(end))
      const holding = yield* Effect.forkChild(
        withCustomerLock(sql, () => [ONE], Effect.andThen(first, note("first")))
      )
      yield* Deferred.await(begun)
      const second = yield* Effect.forkChild(withCustomerLock(sql, () => [OTHER, ONE], note("second")))
      yield* Effect.repeat(isWaiting, { until: ([row]) => row?.waits === true })
      yield* withCustomerLock(sql, () => [900_003], note("apart"))
      yield* Deferred.succeed(end, undefined)
      yield* Effect.all([Fiber.join(holding), Fiber.join(second)])
      assert.deepStrictEqual(done, ["apart", "first", "second"])
    })
  )

  it.effect("on one PostgreSQL take none", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const withCustomerLock = yield* customerLock
      const statement = Effect.succeed("done")
      assert.strictEqual(
        withCustomerLock(sql, () => [ONE], statement),
        statement
      )
    })
  )
})
