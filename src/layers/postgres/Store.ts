import { type Cause, Context, Effect, Layer, Option, type Redacted, Schema } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlError } from "effect/sql"
import * as path from "node:path"
import type { Configuration } from "../config/Configuration.ts"
import { ConnectionWatch } from "./ConnectionWatch.ts"
import * as EmbeddedPostgres from "./embedded/EmbeddedPostgres.ts"
import { MasterKey } from "../crypto/MasterKey.ts"
import { checkMasterSecret, resolveMasterSecret } from "../crypto/MasterSecret.ts"
import { migrate } from "./Migrations.ts"
import { MaintenanceSql } from "./MaintenanceSql.ts"
import { hostUrls } from "./hosts/Hosts.ts"
import { hasPooler, isPooled, pooled } from "./hosts/Pooler.ts"
import { findPrimary, followPrimary, type StorePlace } from "./hosts/Primary.ts"
import { readCounts, ReadSql, readingClient } from "./hosts/Replica.ts"
import { rowsOf } from "./SqlRows.ts"
import { StartupError } from "../process/StartupError.ts"
import { saysNotNow } from "./StoreAvailability.ts"
import { StoreWrites } from "./StoreWrites.ts"
import { makeWatchedSql } from "./WatchedSql.ts"

const MIN_VERSION = 150_000
const APPLICATION_NAME = "peyk"
/** Statements of several fibers that share a connection; more would wait behind the slowest. */
const MULTIPLEX_CONCURRENCY = 16
/** How much longer than PostgreSQL's time-out this process waits for the response. */
const ANSWER_MILLIS = 1500
/** The wait if Peyk sets no time-out. */
const UNLIMITED_PATIENCE_MILLIS = 60_000
const MIGRATION_PATIENCE_MILLIS = 3_600_000

export const isEmbedded = ({ databaseUrl }: Configuration): boolean => Option.isNone(databaseUrl)

/** Neither a statement nor a transaction of a paused process can block others forever. */
const timeouts = (millis: number) =>
  millis === 0
    ? { startupParameters: {} }
    : {
        startupParameters: {
          statement_timeout: String(millis),
          idle_in_transaction_session_timeout: String(millis)
        }
      }

/**
 * Rows are found by their keys. A plan made and kept while a table was empty (timers, after a quiet night) would read
 * the whole table until it is analyzed, however large it grows meanwhile.
 */
export const byKeys = { enable_seqscan: "off", enable_mergejoin: "off" } as const

const poolOptions = ({ poolSize, statementTimeoutMillis }: Configuration) => ({
  applicationName: APPLICATION_NAME,
  maxConnections: poolSize,
  multiplex: true,
  multiplexConcurrency: MULTIPLEX_CONCURRENCY,
  patienceMillis: patienceFor(statementTimeoutMillis),
  startupParameters: { ...byKeys, ...timeouts(statementTimeoutMillis).startupParameters }
})

const unreachable = (error: SqlError.SqlError) =>
  new StartupError({
    message: `PostgreSQL cannot be reached: ${error.message} (${String(error.reason.cause)})`
  })

/** How long the connections of a pool can be silent while a statement waits. */
interface Patience {
  readonly patienceMillis: number
}

const patienceFor = (statementTimeoutMillis: number): number =>
  statementTimeoutMillis === 0 ? UNLIMITED_PATIENCE_MILLIS : statementTimeoutMillis + ANSWER_MILLIS

/** `failed` is called with the error of each statement. */
const watchedBy = (options: StorePlace & Patience, failed: (cause: Cause.Cause<unknown>) => void) =>
  Effect.gen(function* () {
    const watched = (yield* ConnectionWatch).pool(options.patienceMillis, failed)
    const pool = yield* Effect.mapError(
      Effect.provide(makeWatchedSql(options, watched, options.patienceMillis), Reactivity.layer),
      unreachable
    )
    return { ...pool, closeAll: Effect.sync(watched.closeAll) }
  })

const watchedPool = (options: StorePlace & Patience) =>
  Effect.flatMap(StoreWrites, ({ failed }) =>
    watchedBy(options, (cause) => {
      failed(cause)
      if (saysNotNow(cause)) options.primary?.suspect()
    })
  )

/** Separate connections for one purpose. */
const poolOf = <Self>(purpose: Context.Key<Self, SqlClient.SqlClient>, options: StorePlace & Patience) =>
  Layer.effect(
    purpose,
    Effect.map(watchedPool(options), ({ sql }) => sql)
  )

/** The connections that one process uses in addition to its pool: batches, reports, maintenance, migrations, its presence. */
const OTHER_CONNECTIONS = 10
/** For the command line, and PostgreSQL's own reserve. */
const SPARE_CONNECTIONS = 20
const USUAL_MAX_CONNECTIONS = 100

/** The default of PostgreSQL, or more if the processes need more connections. */
const maxConnections = ({ processes, poolSize }: Configuration): number =>
  Math.max(USUAL_MAX_CONNECTIONS, processes * (poolSize + OTHER_CONNECTIONS) + SPARE_CONNECTIONS)

const embeddedDirectory = ({ dataDirectory }: Configuration): string => path.join(dataDirectory, "postgres")

/** Fails if there is no store, and says what to set. The operator's own store is checked when Peyk connects. */
export const requireStore = (configuration: Configuration): Effect.Effect<void, StartupError> =>
  Effect.suspend(() =>
    !isEmbedded(configuration) || EmbeddedPostgres.isPresent(embeddedDirectory(configuration))
      ? Effect.void
      : Effect.fail(
          new StartupError({
            message:
              `there is no store in ${path.resolve(configuration.dataDirectory)}: set PEYK_DATA_DIR to the folder of ` +
              "the server's store, or DATABASE_URL to its PostgreSQL; `peyk serve` makes a new store"
          })
        )
  )

const NO_PRIMARY = "PostgreSQL cannot be reached: no host of the URL accepts writes"

/** A place of one host, or of several of which one accepts writes. */
const placeOf = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const urls = yield* Effect.fromResult(hostUrls(url))
  const [only] = urls
  if (urls.length === 1 && only !== undefined) return { url: only } satisfies StorePlace
  const first = yield* findPrimary(urls)
  if (first === undefined) return yield* new StartupError({ message: NO_PRIMARY })
  return { url: first, primary: yield* followPrimary(urls, first) } satisfies StorePlace
})

/** Where the store is: the operator's PostgreSQL, or the embedded one, which this starts and keeps for its scope. */
export const locate = Effect.fnUntraced(function* (configuration: Configuration) {
  const { databaseUrl } = configuration
  if (Option.isSome(databaseUrl)) return yield* placeOf(databaseUrl.value)
  const { socketPath, password } = yield* Effect.mapError(
    EmbeddedPostgres.start(embeddedDirectory(configuration), {
      flags: ["-c", `max_connections=${maxConnections(configuration)}`]
    }),
    ({ message }) => new StartupError({ message })
  )
  return { path: socketPath, username: "postgres", password, database: "peyk" }
})

/** For searches and reports, which can take long: only their kind waits behind them, and each has a time-out. */
export class ReportingSql extends Context.Service<ReportingSql, SqlClient.SqlClient>()(
  "peyk/layers/postgres/Store/ReportingSql"
) {}

const REPORT_MILLIS = 15_000

const reportingOptions = {
  applicationName: `${APPLICATION_NAME} reports`,
  maxConnections: 2,
  minConnections: 0,
  patienceMillis: patienceFor(REPORT_MILLIS),
  startupParameters: { statement_timeout: String(REPORT_MILLIS) }
}

/** For the statements of batches. */
export class BatchSql extends Context.Service<BatchSql, SqlClient.SqlClient>()(
  "peyk/layers/postgres/Store/BatchSql"
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
    plan_cache_mode: "force_generic_plan",
    lock_timeout: String(BATCH_LOCK_MILLIS)
  }
}

/** The maximal number of a process's connections by purpose; migrations have one more at the start. */
export const poolLimits = ({ poolSize }: Configuration): Readonly<Record<string, number>> => ({
  requests: poolSize,
  batches: batchOptions.maxConnections,
  reports: reportingOptions.maxConnections,
  maintenance: maintenanceOptions.maxConnections
})

export const batchSql = (place: StorePlace, statementTimeoutMillis = 0) =>
  poolOf(BatchSql, {
    ...batchOptions,
    patienceMillis: patienceFor(statementTimeoutMillis),
    startupParameters: {
      ...batchOptions.startupParameters,
      ...timeouts(statementTimeoutMillis).startupParameters
    },
    ...place
  })

/** For changes of the schema: without a time-out, and for one process at a time. */
export class MigrationSql extends Context.Service<MigrationSql, SqlClient.SqlClient>()(
  "peyk/layers/postgres/Store/MigrationSql"
) {}

const migrationOptions = {
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

/** Listens where a session belongs to this process alone: next to the other connections unless there is a place for it. */
const listenerFor = (place: StorePlace) =>
  watchedPool({ ...maintenanceOptions, maxConnections: 1, startupParameters: {}, ...place })

export const maintenanceSql = (place: StorePlace, listenPlace?: StorePlace) =>
  Layer.effect(
    MaintenanceSql,
    Effect.gen(function* () {
      const { sql, ...own } = yield* watchedPool({ ...maintenanceOptions, ...place })
      const shared = { sql, isPooled: isPooled(place) }
      if (listenPlace !== undefined) return { ...shared, ...(yield* listenerFor(listenPlace)), sql }
      return shared.isPooled ? { ...shared, listen: null, closeAll: Effect.void } : { ...shared, ...own }
    })
  )

/** The place as it can be used: directly, or through the pooler that is configured or found there. */
const reached = Effect.fnUntraced(function* (configuration: Configuration, place: StorePlace) {
  const { databasePooler } = configuration
  if (isEmbedded(configuration) || databasePooler === "none") return place
  const found = databasePooler === "transaction" || (yield* Effect.mapError(hasPooler(place), unreachable))
  return found ? { ...place, ...pooled } : place
})

const listenPlace = ({ databaseListenUrl }: Configuration) =>
  Option.match(databaseListenUrl, { onNone: () => Effect.succeed(undefined), onSome: placeOf })

const SEVERAL_REPLICAS = "PEYK_DATABASE_READ_URL has to name one host"

const replicaPlace = Effect.fnUntraced(function* (configuration: Configuration, url: Redacted.Redacted) {
  const [only, ...others] = yield* Effect.fromResult(hostUrls(url))
  if (only === undefined || others.length > 0) return yield* new StartupError({ message: SEVERAL_REPLICAS })
  // Reads use the primary while the replica is unreachable.
  return yield* Effect.orElseSucceed(reached(configuration, { url: only }), () => ({ url: only }))
})

/** Reports over the primary; and reads over the replica, if there is one. */
const reportSql = (configuration: Configuration, place: StorePlace) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { databaseReadUrl: url, databaseReadMaxLagMillis: maxLagMillis } = configuration
      const primary = yield* watchedPool({ ...reportingOptions, ...place })
      const reports = Context.make(ReportingSql, primary.sql)
      const counts = yield* readCounts
      if (Option.isNone(url)) return Context.add(reports, ReadSql, primary.sql)
      const there = { ...reportingOptions, ...(yield* replicaPlace(configuration, url.value)) }
      // Its errors say nothing about the store's writes.
      const replica = yield* watchedBy(there, () => {})
      const sql = yield* SqlClient.SqlClient
      const reading = readingClient({ sql, primary, replica, maxLagMillis, counts })
      return Context.add(reports, ReadSql, yield* Effect.provide(reading, Reactivity.layer))
    })
  )

/** Connections to the store. */
export const SqlLive = (configuration: Configuration) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const place = yield* reached(configuration, yield* locate(configuration))
      const requests = poolOf(SqlClient.SqlClient, { ...poolOptions(configuration), ...place })
      return Layer.mergeAll(
        Layer.provideMerge(reportSql(configuration, place), requests),
        batchSql(place, configuration.statementTimeoutMillis),
        maintenanceSql(place, yield* listenPlace(configuration)),
        poolOf(MigrationSql, { ...migrationOptions, ...place })
      )
    })
  ).pipe(Layer.provide(ConnectionWatch.layer), Layer.provideMerge(StoreWrites.layer))

const VersionRow = Schema.Struct({ version: Schema.Int })

const checkVersion = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const statement = sql`select current_setting('server_version_num')::int as version`
  const rows = yield* Effect.mapError(statement, unreachable)
  const [row] = yield* rowsOf(VersionRow)(Effect.succeed(rows))
  if ((row?.version ?? 0) < MIN_VERSION) {
    return yield* new StartupError({ message: "Peyk needs PostgreSQL 15 or newer" })
  }
})

const migrateOrExplain = Effect.mapError(
  Effect.flatMap(MigrationSql, (sql) => Effect.provideService(migrate, SqlClient.SqlClient, sql)),
  (error) => new StartupError({ message: `the schema could not be brought up to date: ${error.message}` })
)

export const MasterKeyLive = (configuration: Configuration) =>
  Layer.unwrap(
    Effect.map(
      resolveMasterSecret({
        given: configuration.secret,
        dataDirectory: isEmbedded(configuration) ? configuration.dataDirectory : null
      }),
      MasterKey.layer
    )
  )

/** The store, ready for use: reachable, new enough, migrated, and with the right master secret. */
export const StoreLive = (configuration: Configuration) =>
  Layer.effectDiscard(checkMasterSecret).pipe(
    Layer.provideMerge(MasterKeyLive(configuration)),
    Layer.provideMerge(Layer.effectDiscard(Effect.andThen(checkVersion, migrateOrExplain))),
    Layer.provideMerge(SqlLive(configuration))
  )
