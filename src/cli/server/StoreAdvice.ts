import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Configuration } from "../../layers/config/Configuration.ts"
import { ReadSql } from "../../layers/postgres/Replica.ts"
import { MaintenanceSql } from "../../layers/postgres/MaintenanceSql.ts"
import { mostConnections } from "../../layers/postgres/Pools.ts"
import { rowsOf } from "../../layers/postgres/SqlRows.ts"

const MEBI = 1024 * 1024
const MIN_BUFFERS_BYTES = 512 * MEBI
const MIN_WAL_BYTES = 4096 * MEBI
const MIN_CHECKPOINT_SECONDS = 900
/** PostgreSQL's own, pglz, takes more processor time than it saves. */
const QUICK_COMPRESSIONS: ReadonlySet<string> = new Set(["lz4", "zstd"])

const ValuesRow = Schema.Struct({
  buffersBytes: Schema.Finite,
  walBytes: Schema.Finite,
  checkpointSeconds: Schema.Finite,
  compression: Schema.String,
  hasLz4: Schema.Boolean,
  commit: Schema.String,
  statementTimeout: Schema.String,
  seqscan: Schema.String
})
type Values = typeof ValuesRow.Type

const values = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* rowsOf(ValuesRow)(sql`
    select pg_size_bytes(current_setting('shared_buffers'))::float8 as "buffersBytes",
      pg_size_bytes(current_setting('max_wal_size'))::float8 as "walBytes",
      extract(epoch from current_setting('checkpoint_timeout')::interval)::float8 as "checkpointSeconds",
      current_setting('wal_compression') as compression, current_setting('synchronous_commit') as commit,
      (select 'lz4' = any (enumvals) from pg_settings where name = 'wal_compression') as "hasLz4",
      current_setting('statement_timeout') as "statementTimeout", current_setting('enable_seqscan') as seqscan`)
  return row
})

/** What an operator's PostgreSQL could have set better for many small writes. */
export const adviceOnServer = (found: Values): ReadonlyArray<string> => [
  ...(found.commit === "off" ? ["synchronous_commit is off: a crash loses codes that were accepted"] : []),
  ...(found.buffersBytes < MIN_BUFFERS_BYTES ? ["raise shared_buffers to a quarter of the memory"] : []),
  ...(found.walBytes < MIN_WAL_BYTES ? ["raise max_wal_size to 4GB or more"] : []),
  ...(found.checkpointSeconds < MIN_CHECKPOINT_SECONDS ? ["raise checkpoint_timeout to 15min"] : []),
  ...(found.hasLz4 && !QUICK_COMPRESSIONS.has(found.compression) ? ["set wal_compression = lz4"] : [])
]

/** What Peyk sets for its sessions itself, unless a pooler is in between. */
export const adviceOnRole = (found: Pick<Values, "statementTimeout" | "seqscan">): ReadonlyArray<string> => [
  ...(found.statementTimeout === "0" ? ["the database role has no statement_timeout"] : []),
  ...(found.seqscan === "on" ? ["the database role has not enable_seqscan = off"] : [])
]

const RoomRow = Schema.Struct({ most: Schema.Int, reserved: Schema.Int, listening: Schema.Int })
type Room = typeof RoomRow.Type

/** Each server process has one connection that listens for changes. */
const room = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* rowsOf(RoomRow)(sql`
    select current_setting('max_connections')::int as most,
      current_setting('superuser_reserved_connections')::int +
        coalesce(current_setting('reserved_connections', true), '0')::int as reserved,
      (select count(*)::int from pg_stat_activity
        where datname = current_database() and usename = current_user and application_name like 'peyk%'
          and query ilike 'listen %') as listening`)
  return row
})

/** @param perProcess the most connections that a process opens */
export const adviceOnConnections = (
  { most, reserved, listening }: Room,
  { processes, perProcess }: { readonly processes: number; readonly perProcess: number }
): ReadonlyArray<string> => {
  const running = Math.max(listening, processes)
  const needed = running * perProcess
  if (needed + reserved <= most) return []
  const reason = `${running} ${running === 1 ? "process" : "processes"} can open ${needed} connections`
  return [
    `raise max_connections from ${most} to ${needed + reserved} or more, or lower PEYK_DATABASE_POOL: ${reason}`
  ]
}

const withAdvice = (finding: string, advice: ReadonlyArray<string>): string =>
  advice.length === 0 ? finding : `${finding}; advice: ${advice.join("; ")}`

/** Advice is no failure: the store works. */
export const serverSettings = Effect.map(values, (found) => {
  const advice = found === undefined ? [] : adviceOnServer(found)
  return advice.length === 0 ? "suit many small writes" : `advice: ${advice.join("; ")}`
})

const RecoveryRow = Schema.Struct({ isReplica: Schema.Boolean })

/** Where a list would be read now. The primary is always right, so that is no failure. */
export const replica = Effect.gen(function* () {
  const sql = yield* ReadSql
  const [row] = yield* rowsOf(RecoveryRow)(sql`select pg_is_in_recovery() as "isReplica"`)
  return row?.isReplica === true
    ? "serves lists, searches and reports"
    : "is not used: it is unreachable, too far behind, or no replica of DATABASE_URL"
})

const pooledConnections = (listens: boolean) =>
  Effect.map(values, (found) =>
    withAdvice("lead through a pooler: statements have no names", [
      ...(listens ? [] : ["set PEYK_DATABASE_LISTEN_URL"]),
      ...(found === undefined ? [] : adviceOnRole(found))
    ])
  )

const ownConnections = (configuration: Configuration) =>
  Effect.map(room, (found) => {
    const { processes } = configuration
    const perProcess = mostConnections(configuration)
    const advice = found === undefined ? [] : adviceOnConnections(found, { processes, perProcess })
    return withAdvice("lead to PostgreSQL itself", advice)
  })

/** Whether a pooler is in between, and what is not set for it; otherwise whether PostgreSQL has room for all. */
export const connections = (configuration: Configuration) =>
  Effect.flatMap(MaintenanceSql, ({ listen, isPooled }) =>
    isPooled ? pooledConnections(listen !== null) : ownConnections(configuration)
  )
