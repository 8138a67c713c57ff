/** The store as the soak reads it, over connections of its own. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"

export interface StoreQueries {
  readonly query: <Row>(text: string) => Promise<ReadonlyArray<Row>>
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
  const connections = async () => {
    const [row] = await query<{ readonly count: number }>(
      `select count(*)::int as count from pg_stat_activity where ${OF_PROCESSES}`
    )
    return row?.count ?? 0
  }
  return { runtime, query, connections, close: () => runtime.dispose() }
}
