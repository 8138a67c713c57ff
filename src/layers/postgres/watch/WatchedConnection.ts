import type { PgConnection } from "@effect/sql-pg"
import { Effect, Stream } from "effect"
import type { SqlConnection } from "effect/sql"
import type { Socket } from "node:net"
import type { WatchedPool } from "./PoolWatch.ts"

type Connection = SqlConnection.Connection
type Execute = Connection["execute"]

/** A connection on which no statement waits forever for a response. */
export const watchedConnection = (
  connection: PgConnection.PgConnection,
  socket: Socket,
  pool: WatchedPool
): Connection => {
  const during = <A, E, R>(statement: Effect.Effect<A, E, R>) => pool.during(socket, statement)
  const rows = (sql: string, params: ReadonlyArray<unknown>, prepare: boolean) =>
    Effect.map(during(connection.query(sql, params, prepare)), (result) => result.rows)
  const execute =
    (prepare: boolean): Execute =>
    (sql, params, transform) =>
      transform === undefined
        ? rows(sql, params, prepare)
        : Effect.map(rows(sql, params, prepare), (found) => transform(found))
  return {
    execute: execute(true),
    executeUnprepared: execute(false),
    executeRaw: (sql, params) => during(connection.query(sql, params)),
    executeValues: (sql, params) => during(connection.queryValues(sql, params)),
    executeValuesUnprepared: (sql, params) => during(connection.queryValues(sql, params, false)),
    executeStream: (sql, params, transform) => {
      const stream = connection.stream(sql, params)
      return transform === undefined
        ? stream
        : Stream.mapArray(stream, (found) => transform(found) as typeof found)
    }
  }
}
