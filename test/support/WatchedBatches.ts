import { Effect, Layer } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { BatchSql, MessageBatchSql } from "../../src/layers/postgres/Pools.ts"

type Statement = Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>

/** The connections of batches, whose statements are made by `run`; it is given their client, and the statement itself. */
export const watchedBatches = (run: (real: SqlClient.SqlClient, statement: Statement) => Statement) => {
  const watch = (real: SqlClient.SqlClient) =>
    new Proxy(real, {
      get: (target, name) =>
        name !== "unsafe"
          ? Reflect.get(target, name)
          : (text: string, parameters: ReadonlyArray<unknown>) => run(real, real.unsafe(text, parameters))
    })
  return Layer.merge(
    Layer.effect(BatchSql, Effect.map(BatchSql, watch)),
    Layer.effect(MessageBatchSql, Effect.map(MessageBatchSql, watch))
  )
}
