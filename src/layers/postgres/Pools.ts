import { Context, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { HOUR_MILLIS } from "../../domain/Instant.ts"
import type { Configuration } from "../config/Configuration.ts"
import { isPooled } from "./Hosts.ts"
import type { StoreAddress } from "./Primary.ts"
import { MaintenanceSql } from "./MaintenanceSql.ts"
import { ANSWER_MILLIS, onePool, patienceFor, type PoolOf, timeouts, watchedPool } from "./WatchedPool.ts"

const APPLICATION_NAME = "peyk"
/** Statements of several fibers that share a connection; more would wait behind the slowest. */
const MULTIPLEX_CONCURRENCY = 16

/**
 * Rows are found by their keys. A plan made and kept while a table was empty (timers, after a quiet night) would read
 * the whole table until it is analyzed, however large it grows meanwhile.
 */
export const byKeys = { enable_seqscan: "off", enable_mergejoin: "off" } as const

export const poolOptions = ({ poolSize, statementTimeoutMillis }: Configuration) => ({
  applicationName: APPLICATION_NAME,
  maxConnections: poolSize,
  multiplex: true,
  multiplexConcurrency: MULTIPLEX_CONCURRENCY,
  patienceMillis: patienceFor(statementTimeoutMillis),
  startupParameters: { ...byKeys, ...timeouts(statementTimeoutMillis).startupParameters }
})

/** For searches and reports, which can take long: only their kind waits behind them, and each has a time-out. */
export class ReportingSql extends Context.Service<ReportingSql, SqlClient.SqlClient>()(
  "peyk/layers/postgres/Pools/ReportingSql"
) {}

const REPORT_CONNECTIONS = 2
const REPORT_MILLIS = 15_000

/** Reports have the limit of all statements too, so that each request ends in time. */
export const reportingOptions = ({ statementTimeoutMillis }: Configuration) => {
  const millis =
    statementTimeoutMillis === 0 ? REPORT_MILLIS : Math.min(statementTimeoutMillis, REPORT_MILLIS)
  return {
    applicationName: `${APPLICATION_NAME} reports`,
    maxConnections: REPORT_CONNECTIONS,
    minConnections: 0,
    patienceMillis: patienceFor(millis),
    startupParameters: { statement_timeout: String(millis) }
  }
}

/** For the statements of batches, except those of messages and webhooks. */
export class BatchSql extends Context.Service<BatchSql, SqlClient.SqlClient>()(
  "peyk/layers/postgres/Pools/BatchSql"
) {}

/** For the statements of batches of messages and webhooks: codes do not wait for a connection behind them. */
export class MessageBatchSql extends Context.Service<MessageBatchSql, SqlClient.SqlClient>()(
  "peyk/layers/postgres/Pools/MessageBatchSql"
) {}

/** A row that a batch needs is locked for longer only if something is wrong with that row. */
const BATCH_LOCK_MILLIS = 500

/**
 * Batches are joined to rows by their keys, whatever the planner believes of tables that were empty when it last
 * looked. It would keep a plan that reads a whole table until the table is analyzed. Statements are planned once: for
 * the small batches of a quiet hour PostgreSQL would otherwise plan each of them again.
 */
const batchOptions = {
  applicationName: `${APPLICATION_NAME} batches`,
  maxConnections: 4,
  multiplex: true,
  multiplexConcurrency: 1,
  startupParameters: {
    ...byKeys,
    enable_hashjoin: "off",
    enable_material: "off",
    jit: "off",
    lock_timeout: String(BATCH_LOCK_MILLIS)
  }
}

/** Accepting, reading and recording wait for each other at times. A flood of messages has to leave processors to codes. */
const MESSAGE_BATCH_CONNECTIONS = 2

/** Connections for batches of codes, and others for batches of messages. */
export const batchSql = (address: StoreAddress, statementTimeoutMillis: number, poolOf: PoolOf = onePool) => {
  const options = {
    ...batchOptions,
    patienceMillis: patienceFor(statementTimeoutMillis),
    startupParameters: {
      ...batchOptions.startupParameters,
      plan_cache_mode: "force_generic_plan",
      ...timeouts(statementTimeoutMillis).startupParameters
    },
    ...address
  }
  return Layer.merge(
    poolOf(BatchSql, options),
    poolOf(MessageBatchSql, { ...options, maxConnections: MESSAGE_BATCH_CONNECTIONS })
  )
}

/** For changes of the schema: without a time-out, and for one process at a time. */
export class MigrationSql extends Context.Service<MigrationSql, SqlClient.SqlClient>()(
  "peyk/layers/postgres/Pools/MigrationSql"
) {}

const MIGRATION_PATIENCE_MILLIS = HOUR_MILLIS

export const migrationOptions = {
  applicationName: `${APPLICATION_NAME} migrations`,
  patienceMillis: MIGRATION_PATIENCE_MILLIS,
  maxConnections: 1,
  minConnections: 0,
  idleTimeout: "1 second" as const
}

const MAINTENANCE_MILLIS = 4000

const maintenanceOptions = {
  applicationName: `${APPLICATION_NAME} maintenance`,
  maxConnections: 2,
  minConnections: 0,
  patienceMillis: MAINTENANCE_MILLIS + ANSWER_MILLIS,
  startupParameters: { statement_timeout: String(MAINTENANCE_MILLIS) }
}

/** Listens where a session belongs to this process alone: next to the other connections, or at an address of its own. */
const listenerFor = (address: StoreAddress) =>
  watchedPool({ ...maintenanceOptions, maxConnections: 1, startupParameters: {}, ...address })

export const maintenanceSql = (address: StoreAddress, listenAddress?: StoreAddress) =>
  Layer.effect(
    MaintenanceSql,
    Effect.gen(function* () {
      const { sql, ...own } = yield* watchedPool({ ...maintenanceOptions, ...address })
      const shared = { sql, isPooled: isPooled(address) }
      if (listenAddress !== undefined) return { ...shared, ...(yield* listenerFor(listenAddress)), sql }
      return shared.isPooled ? { ...shared, listen: null, closeAll: Effect.void } : { ...shared, ...own }
    })
  )

/** The maximal number of a process's connections by purpose; migrations have one more at the start. */
export const poolLimits = ({ poolSize }: Configuration): Readonly<Record<string, number>> => ({
  requests: poolSize,
  batches: batchOptions.maxConnections,
  message_batches: MESSAGE_BATCH_CONNECTIONS,
  reports: REPORT_CONNECTIONS,
  maintenance: maintenanceOptions.maxConnections
})

/** All of them. The connection that listens is another one if it has an address of its own. */
export const mostConnections = (configuration: Configuration): number =>
  Object.values(poolLimits(configuration)).reduce((sum, limit) => sum + limit, 0) +
  migrationOptions.maxConnections +
  (Option.isSome(configuration.databaseListenUrl) ? 1 : 0)
