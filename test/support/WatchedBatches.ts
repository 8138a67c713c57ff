import { Effect, Layer } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { BatchSql } from "../../src/layers/postgres/Store.ts"

type Statement = Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>

/** The connections of batches, whose statements are made by `run`; it is given their client, and the statement itself. */
export const watchedBatches = (run: (real: SqlClient.SqlClient, statement: Statement) => Statement) =>
  Layer.effect(
    BatchSql,
    Effect.map(
      BatchSql,
      (real) =>
        new Proxy(real, {
          get: (target, name) =>
            name !== "unsafe"
              ? Reflect.get(target, name)
              : (text: string, parameters: ReadonlyArray<unknown>) => run(real, real.unsafe(text, parameters))
        })
    )
  )
