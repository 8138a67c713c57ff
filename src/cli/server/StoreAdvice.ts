import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { MaintenanceSql } from "../../layers/postgres/MaintenanceSql.ts"
import { ReadSql } from "../../layers/postgres/hosts/Replica.ts"
import { rowsOf } from "../../layers/postgres/SqlRows.ts"

const MEBI = 1024 * 1024
const MIN_BUFFERS_BYTES = 512 * MEBI
const MIN_WAL_BYTES = 4096 * MEBI
const MIN_CHECKPOINT_SECONDS = 900

const ValuesRow = Schema.Struct({
  buffersBytes: Schema.Finite,
  walBytes: Schema.Finite,
  checkpointSeconds: Schema.Finite,
  compression: Schema.String,
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
      current_setting('statement_timeout') as "statementTimeout", current_setting('enable_seqscan') as seqscan`)
  return row
})

/** What an operator's PostgreSQL could have set better for many small writes. */
export const adviceOnServer = (found: Values): ReadonlyArray<string> => [
  ...(found.commit === "off" ? ["synchronous_commit is off: a crash loses codes that were accepted"] : []),
  ...(found.buffersBytes < MIN_BUFFERS_BYTES ? ["raise shared_buffers to a quarter of the memory"] : []),
  ...(found.walBytes < MIN_WAL_BYTES ? ["raise max_wal_size to 4GB or more"] : []),
  ...(found.checkpointSeconds < MIN_CHECKPOINT_SECONDS ? ["raise checkpoint_timeout to 15min"] : []),
  ...(found.compression === "off" ? ["set wal_compression = lz4"] : [])
]

/** What Peyk sets for its sessions itself, unless a pooler is in between. */
export const adviceOnRole = (found: Pick<Values, "statementTimeout" | "seqscan">): ReadonlyArray<string> => [
  ...(found.statementTimeout === "0" ? ["the database role has no statement_timeout"] : []),
  ...(found.seqscan === "on" ? ["the database role has not enable_seqscan = off"] : [])
]

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

/** Whether a pooler is in between, and what is not set for it. */
export const connections = Effect.gen(function* () {
  const { listen, isPooled } = yield* MaintenanceSql
  if (!isPooled) return "lead to PostgreSQL itself"
  const found = yield* values
  const advice = [
    ...(listen === null ? ["set PEYK_DATABASE_LISTEN_URL"] : []),
    ...(found === undefined ? [] : adviceOnRole(found))
  ]
  const suffix = advice.length === 0 ? "" : `; advice: ${advice.join("; ")}`
  return `lead through a pooler: statements have no names${suffix}`
})
