/** The store as the soak reads it, over connections of its own. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, ManagedRuntime } from "effect"
import { SqlClient } from "effect/sql"

export interface StoreQueries {
  readonly query: <Row>(text: string) => Promise<ReadonlyArray<Row>>
  /** The number of connections that are not the soak's. */
  readonly connections: () => Promise<number>
}

const OWN_NAME = "soak"

/** Connections of the processes. */
export const OTHERS = `datname = 'peyk' and backend_type = 'client backend' and application_name <> '${OWN_NAME}'`

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
      `select count(*)::int as count from pg_stat_activity where ${OTHERS}`
    )
    return row?.count ?? 0
  }
  return { runtime, query, connections, close: () => runtime.dispose() }
}
