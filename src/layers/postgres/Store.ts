import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import * as path from "node:path"
import type { Configuration } from "../config/Configuration.ts"
import { IsDistributed, isDistributed } from "./citus/Distribution.ts"
import { ConnectionWatch } from "./watch/ConnectionWatch.ts"
import * as EmbeddedPostgres from "./embedded/EmbeddedPostgres.ts"
import { MasterKey } from "../crypto/MasterKey.ts"
import { checkMasterSecret, resolveMasterSecret } from "../crypto/MasterSecret.ts"
import { hasMigrations, migrate } from "./Migrations.ts"
import {
  batchSql,
  maintenanceSql,
  migrationOptions,
  MigrationSql,
  poolOptions,
  reportingOptions,
  ReportingSql
} from "./Pools.ts"
import { poolOf, unreachable, watchedBy, watchedPool } from "./watch/WatchedPool.ts"
import { hostUrls } from "./hosts/Hosts.ts"
import { hasPooler, pooled } from "./hosts/Pooler.ts"
import { findPrimary, followPrimary, type StorePlace } from "./hosts/Primary.ts"
import { readCounts, ReadSql, readingClient } from "./hosts/Replica.ts"
import { decodedAs, rowsOf } from "./SqlRows.ts"
import { StartupError } from "../process/StartupError.ts"
import { withReason } from "./StoreAvailability.ts"
import { StoreWrites } from "./StoreWrites.ts"

const MIN_VERSION = 150_000
export const isEmbedded = ({ databaseUrl }: Configuration): boolean => Option.isNone(databaseUrl)

/** The connections that one process uses in addition to its pool: batches, reports, maintenance, migrations, its presence. */
const OTHER_CONNECTIONS = 12
/** For the command line, and PostgreSQL's own reserve. */
const SPARE_CONNECTIONS = 20
const USUAL_MAX_CONNECTIONS = 100

/** The default of PostgreSQL, or more if the processes need more connections. */
const maxConnections = ({ processes, poolSize }: Configuration): number =>
  Math.max(USUAL_MAX_CONNECTIONS, processes * (poolSize + OTHER_CONNECTIONS) + SPARE_CONNECTIONS)

const embeddedDirectory = ({ dataDirectory }: Configuration): string => path.join(dataDirectory, "postgres")

/** Fails if the store is embedded and does not exist, and says what to set. */
export const requireEmbeddedStore = (configuration: Configuration): Effect.Effect<void, StartupError> =>
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
const placeOf = Effect.fnUntraced(function* (setting: string, url: Redacted.Redacted) {
  const urls = yield* Effect.fromResult(hostUrls(setting, url))
  const [only] = urls
  if (urls.length === 1 && only !== undefined) return { url: only } satisfies StorePlace
  const first = yield* findPrimary(urls)
  if (first === undefined) return yield* new StartupError({ message: NO_PRIMARY })
  return { url: first, primary: yield* followPrimary(urls, first) } satisfies StorePlace
})

const DatabaseRow = Schema.Tuple([Schema.Struct({ database: Schema.String })])

/** The database for a message: without the user and the password, which its URL contains. */
const nameOf = (url: Redacted.Redacted, database: string): string => {
  const { host, searchParams } = new URL(Redacted.value(url))
  const at = host === "" ? searchParams.get("host") : host
  return at === null ? database : `${database} at ${at}`
}

const requireMigrations = Effect.fnUntraced(
  function* (url: Redacted.Redacted) {
    const place = yield* placeOf("DATABASE_URL", url)
    const sql = yield* PgClient.make({ ...place, ...pooled, applicationName: "peyk", maxConnections: 1 })
    if (yield* Effect.provideService(hasMigrations, SqlClient.SqlClient, sql)) return
    const [{ database }] = yield* decodedAs(DatabaseRow)(sql`select current_database() as database`)
    return yield* new StartupError({
      message:
        `there is no store in the database ${nameOf(place.url, database)}: set DATABASE_URL to the server's database; ` +
        "`peyk migrate` makes a new store"
    })
  },
  Effect.provide(Reactivity.layer),
  Effect.scoped
)

/** Fails if there is no store, says where Peyk looked, and what to set. */
export const requireStore = (configuration: Configuration) =>
  Option.match(configuration.databaseUrl, {
    onNone: () => requireEmbeddedStore(configuration),
    onSome: (url) =>
      Effect.catchTag(requireMigrations(url), "SqlError", (error) => Effect.fail(unreachable(error)))
  })

/** Where the store is: the operator's PostgreSQL, or the embedded one, which this starts and keeps for its scope. */
export const locate = Effect.fnUntraced(function* (configuration: Configuration) {
  const { databaseUrl } = configuration
  if (Option.isSome(databaseUrl)) return yield* placeOf("DATABASE_URL", databaseUrl.value)
  const { socketPath, password } = yield* Effect.mapError(
    EmbeddedPostgres.start(embeddedDirectory(configuration), {
      flags: ["-c", `max_connections=${maxConnections(configuration)}`]
    }),
    ({ message }) => new StartupError({ message })
  )
  return { path: socketPath, username: "postgres", password, database: "peyk" }
})

/** The place as it can be used: directly, or through the pooler that is configured or found there. */
const reached = Effect.fnUntraced(function* (configuration: Configuration, place: StorePlace) {
  const { databasePooler } = configuration
  if (isEmbedded(configuration) || databasePooler === "none") return place
  const found = databasePooler === "transaction" || (yield* Effect.mapError(hasPooler(place), unreachable))
  return found ? { ...place, ...pooled } : place
})

const listenPlace = ({ databaseListenUrl }: Configuration) =>
  Option.match(databaseListenUrl, {
    onNone: () => Effect.succeed(undefined),
    onSome: (url) => placeOf("PEYK_DATABASE_LISTEN_URL", url)
  })

const READ_URL = "PEYK_DATABASE_READ_URL"

const replicaPlace = Effect.fnUntraced(function* (configuration: Configuration, url: Redacted.Redacted) {
  const [only, ...others] = yield* Effect.fromResult(hostUrls(READ_URL, url))
  if (only === undefined || others.length > 0)
    return yield* new StartupError({ message: `${READ_URL} has to name one host` })
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
      const distributed =
        !isEmbedded(configuration) && (yield* Effect.mapError(isDistributed(place), unreachable))
      const requests = poolOf(SqlClient.SqlClient, { ...poolOptions(configuration), ...place })
      return Layer.mergeAll(
        Layer.provideMerge(reportSql(configuration, place), requests),
        batchSql(place, configuration.statementTimeoutMillis, distributed),
        Layer.succeed(IsDistributed, distributed),
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
  (error) => new StartupError({ message: `the schema could not be brought up to date: ${withReason(error)}` })
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
