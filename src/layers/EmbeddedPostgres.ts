import { Effect, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { findPackage, prepareBinaries } from "./EmbeddedPostgresBinaries.ts"
import { directoryError, type EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import { createCluster } from "./EmbeddedPostgresCluster.ts"
import { choosePlace, socketPathIn } from "./EmbeddedPostgresPlace.ts"
import { joinServer } from "./EmbeddedPostgresPresence.ts"

export { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
export { isPresent } from "./EmbeddedPostgresPlace.ts"

/** How to connect, as user `postgres` without a password; the database for the application is `peyk`. */
export interface EmbeddedPostgres {
  /** for PgClient's `path` */
  readonly socketPath: string
  /** for PgClient's or libpq's `host` */
  readonly socketDirectory: string
}

export interface EmbeddedPostgresOptions {
  /** for postgres; they are those of whichever process starts the server */
  readonly flags?: ReadonlyArray<string>
  /** for initdb */
  readonly initFlags?: ReadonlyArray<string>
  /** the npm package with the binaries, if not the one that is installed */
  readonly packageRoot?: string
}

const applicationDatabase = "peyk"
// not the key that tells who is present
const creationKey = "1885698412"

const createApplicationDatabase = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const found = sql`select 1 from pg_database where datname = ${applicationDatabase}`
  if ((yield* found).length > 0) return
  yield* sql.unsafe(`select pg_advisory_lock(${creationKey})`)
  if ((yield* found).length === 0) yield* sql.unsafe(`create database ${applicationDatabase}`)
  yield* sql.unsafe(`select pg_advisory_unlock(${creationKey})`)
})

const prepare = Effect.fnUntraced(function* (directory: string, options: EmbeddedPostgresOptions) {
  const root = options.packageRoot ?? (yield* findPackage(process.platform, process.arch))
  const wanted = yield* choosePlace(directory)
  const binaries = yield* prepareBinaries(root, wanted.directory, wanted.user)
  if (!wanted.isCluster) yield* createCluster(wanted, binaries, options.initFlags ?? [])
  // another first start may have been faster and have put it elsewhere
  const place = wanted.isCluster ? wanted : yield* choosePlace(directory)
  return {
    directory: place.directory,
    user: place.user,
    postgres: binaries.postgres,
    flags: options.flags ?? []
  }
})

/**
 * PostgreSQL from the npm package's binaries, with its files in `directory`. Processes that start the same directory
 * share one server: the first starts it and the last to leave stops it, whichever those are.
 */
export const start: (
  directory: string,
  options?: EmbeddedPostgresOptions
) => Effect.Effect<EmbeddedPostgres, EmbeddedPostgresError, Scope.Scope> = Effect.fn(
  "EmbeddedPostgres.start"
)(function* (directory: string, options: EmbeddedPostgresOptions = {}) {
  const cluster = yield* prepare(directory, options)
  const sql = yield* joinServer(cluster)
  yield* createApplicationDatabase(sql).pipe(
    Effect.mapError(({ message, reason }) =>
      directoryError(
        cluster.directory,
        `lacks the database ${applicationDatabase}: ${message} (${reason.cause})`
      )
    )
  )
  return { socketPath: socketPathIn(cluster.directory), socketDirectory: cluster.directory }
})
