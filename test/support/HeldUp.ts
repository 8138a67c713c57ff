import { Deferred, Effect, Fiber } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

/**
 * Runs `work` while nobody can write to a table, and `meanwhile` once somebody waits for that: on the connection that holds
 * the table, as others may have what waits before them.
 */
export const heldUpAt = Effect.fnUntraced(function* <A, E, R>(
  table: string,
  work: Effect.Effect<A, E, R>,
  meanwhile: Effect.Effect<unknown, SqlError.SqlError, SqlClient.SqlClient>
) {
  const sql = yield* SqlClient.SqlClient
  const locked = yield* Deferred.make<void>()
  const isWaitedFor = sql<{ waits: boolean }>`select exists (
    select from pg_locks where not granted and relation = ${table}::regclass) as waits`
  const holding = yield* Effect.forkChild(
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`lock table ${sql(table)} in share mode`
        yield* Deferred.succeed(locked, undefined)
        yield* Effect.repeat(isWaitedFor, { until: ([row]) => row?.waits === true })
        yield* meanwhile
      })
    )
  )
  yield* Deferred.await(locked)
  const result = yield* work
  yield* Fiber.join(holding)
  return result
})
