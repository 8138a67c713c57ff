import { Effect, type Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { decodedAs } from "../SqlRows.ts"
import { BatchSql } from "../Pools.ts"
import { inOrder } from "./BatchAnswers.ts"
import { type BatchColumn, batchSource } from "./BatchColumns.ts"
import type { BatchName } from "./BatchMetrics.ts"
import { makeStatementBatch } from "./StatementBatch.ts"

/**
 * Looks up rows by a key. Requests made at the same time share a statement, as after a start or after missed
 * notifications, when nothing is cached. `statement` gets the keys as SQL, to select from as `r`. It must select
 * `r.nth`, the request of a row.
 */
export const makeLookupBatch = <Key, S extends Schema.Decoder<unknown>>(options: {
  readonly name: BatchName
  readonly key: BatchColumn<Key>
  readonly row: S
  readonly statement: (keys: string) => string
}): Effect.Effect<
  (key: Key) => Effect.Effect<Option.Option<S["Type"]>>,
  never,
  SqlClient.SqlClient | BatchSql
> =>
  Effect.gen(function* () {
    const clients = { together: yield* BatchSql, alone: yield* SqlClient.SqlClient }
    const source = batchSource([options.key])
    const statement = options.statement(source.rows)
    const decoded = decodedAs(Schema.Array(Schema.Tuple([Schema.Int, options.row])))
    return yield* makeStatementBatch<SqlClient.SqlClient, Key, Option.Option<S["Type"]>>(clients, {
      name: options.name,
      endsTogether: true,
      conflictsOf: () => [],
      orderOf: String,
      run: (sql, keys) =>
        sql.unsafe<{ readonly nth: unknown }>(statement, source.parameters(keys)).pipe(
          Effect.map((rows) => rows.map((row) => [row.nth, row])),
          decoded,
          Effect.map((rows) => inOrder(keys.length, rows))
        )
    })
  })
