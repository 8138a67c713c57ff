/** The store as the soak reads it, over connections of its own. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"
import { quotedName } from "../../src/layers/postgres/CellsSql.ts"

export interface StoreQueries {
  /** In the store's own schema. */
  readonly query: <Row>(text: string) => Promise<ReadonlyArray<Row>>
  /** In the store's own schema and in each cell: the rows of all together. */
  readonly queryCells: <Row>(text: string) => Promise<ReadonlyArray<Row>>
  /** The number of connections of all processes. */
  readonly connections: () => Promise<number>
}

const OWN_NAME = "soak"

/** Connections of the processes; not those that a Citus cluster opens itself. */
export const OF_PROCESSES = "datname = current_database() and application_name like 'peyk%'"

export const openStore = (place: PgClient.PgPoolConfig) => {
  const runtime = ManagedRuntime.make(
    Layer.orDie(
      PgClient.layer({
        ...place,
        applicationName: OWN_NAME,
        maxConnections: 2,
        startupParameters: { default_transaction_read_only: "off" }
      })
    )
  )
  const query = <Row>(text: string): Promise<ReadonlyArray<Row>> =>
    runtime.runPromise(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<Row & object>(text)))
  const queryIn = <Row>(cell: string, text: string): Promise<ReadonlyArray<Row>> =>
    runtime.runPromise(
      Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql.withTransaction(
          Effect.andThen(
            sql`select set_config('search_path', ${quotedName(cell)} || ', ' || current_setting('search_path'), true)`,
            sql.unsafe<Row & object>(text)
          )
        )
      )
    )
  const queryCells = async <Row>(text: string): Promise<ReadonlyArray<Row>> => {
    const found = [await query<Row>(text)]
    const cells = await query<{ readonly name: string }>("select name from cells order by id")
    for (const { name } of cells) found.push(await queryIn<Row>(name, text))
    return found.flat()
  }
  const connections = async () => {
    const [row] = await query<{ readonly count: number }>(
      `select count(*)::int as count from pg_stat_activity where ${OF_PROCESSES}`
    )
    return row?.count ?? 0
  }
  return { runtime, query, queryCells, connections, close: () => runtime.dispose() }
}
