import { Effect, type Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { decodedAs } from "../SqlRows.ts"
import { BatchSql } from "../Store.ts"
import { inOrder } from "./BatchAnswers.ts"
import { type BatchColumn, batchSource } from "./BatchColumns.ts"
import type { BatchName } from "./BatchMetrics.ts"
import { makeStatementBatch } from "./StatementBatch.ts"

const Place = Schema.Struct({ nth: Schema.Int })

/**
 * Looks up rows by a key: those that many ask for at the same time in one statement, as when a process has just begun, or
 * may have missed what changed, and knows none of its customers. `statement` is given the keys' rows as SQL, to select from
 * as `r`, and has to select `r.nth`, that an answer is found by.
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
    const decoded = decodedAs(Schema.Array(options.row))
    const decodedPlaces = decodedAs(Schema.Array(Place))
    return yield* makeStatementBatch<SqlClient.SqlClient, Key, Option.Option<S["Type"]>>(clients, {
      name: options.name,
      conflictsOf: () => [],
      orderOf: String,
      run: Effect.fnUntraced(function* (sql, keys) {
        const rows = Effect.succeed(yield* sql.unsafe(statement, source.parameters(keys)))
        const places = yield* decodedPlaces(rows)
        const found = yield* decoded(rows)
        return inOrder(
          keys.length,
          found.map((row, index) => [places[index]?.nth ?? 0, row] as const)
        )
      })
    })
  })
