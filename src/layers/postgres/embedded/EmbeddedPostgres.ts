import { Effect, type Redacted, type Scope } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { findPackage, prepareBinaries } from "./EmbeddedPostgresBinaries.ts"
import { directoryError, type EmbeddedPostgresError, withFiles } from "./EmbeddedPostgresError.ts"
import { createCluster, removeAbandonedStarts } from "./EmbeddedPostgresCluster.ts"
import { passwordIn } from "./EmbeddedPostgresPassword.ts"
import { chooseDataDirectory, socketPathIn } from "./EmbeddedPostgresDirectory.ts"
import { joinServer } from "./EmbeddedPostgresPresence.ts"
import { withReason } from "../StoreAvailability.ts"

export { EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
export { isPresent } from "./EmbeddedPostgresDirectory.ts"

/** How to connect, as user `postgres`; the database for the application is `peyk`. */
export interface EmbeddedPostgres {
  /** for PgClient's `path` */
  readonly socketPath: string
  /** for PgClient's or libpq's `host` */
  readonly socketDirectory: string
  readonly password: Redacted.Redacted
}

export interface EmbeddedPostgresOptions {
  /** for postgres; they are those of the process that starts the server */
  readonly flags?: ReadonlyArray<string>
  /** for initdb */
  readonly initFlags?: ReadonlyArray<string>
  /** the npm package with the binaries, if not the installed one */
  readonly packageRoot?: string
}

const applicationDatabase = "peyk"
// not the key that shows who is present
const creationKey = "1885698412"

/** For all processes that have just joined. */
const alone =
  (sql: SqlClient.SqlClient) =>
  <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E | SqlError.SqlError> =>
    Effect.ensuring(
      Effect.andThen(sql.unsafe(`select pg_advisory_lock(${creationKey})`), work),
      Effect.ignore(sql.unsafe(`select pg_advisory_unlock(${creationKey})`))
    )

const createApplicationDatabase = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const found = sql`select 1 from pg_database where datname = ${applicationDatabase}`
  if ((yield* found).length > 0) return
  const create = Effect.suspend(() => sql.unsafe(`create database ${applicationDatabase}`))
  yield* alone(sql)(Effect.flatMap(found, (rows) => (rows.length === 0 ? create : Effect.void)))
})

const unprepared = (directory: string) => (error: EmbeddedPostgresError | SqlError.SqlError) =>
  error._tag === "EmbeddedPostgresError"
    ? error
    : directoryError(directory, `could not be made ready for use: ${withReason(error)}`)

const prepare = Effect.fnUntraced(function* (directory: string, options: EmbeddedPostgresOptions) {
  const root = options.packageRoot ?? (yield* findPackage(process.platform, process.arch))
  const wanted = yield* chooseDataDirectory(directory)
  const binaries = yield* prepareBinaries(root, wanted.directory, wanted.user)
  // After a first start that was killed, its initdb may have gone on while the next start removed its files.
  if (wanted.isCluster) yield* Effect.ignore(withFiles(directory, () => removeAbandonedStarts(wanted)))
  else yield* createCluster(wanted, binaries, options.initFlags ?? [])
  // another first start may have been faster and used another place
  const data = wanted.isCluster ? wanted : yield* chooseDataDirectory(directory)
  return {
    directory: data.directory,
    user: data.user,
    postgres: binaries.postgres,
    flags: options.flags ?? []
  }
})

/** Makes the files in `directory` if there are none, and starts nothing. */
export const create = (directory: string): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.asVoid(prepare(directory, {}))

/**
 * PostgreSQL from the npm package's binaries, with its files in `directory`. Processes with the same directory share
 * one server: the first starts it and the last to leave stops it.
 */
export const start: (
  directory: string,
  options?: EmbeddedPostgresOptions
) => Effect.Effect<EmbeddedPostgres, EmbeddedPostgresError, Scope.Scope> = Effect.fn(
  "EmbeddedPostgres.start"
)(function* (directory: string, options: EmbeddedPostgresOptions = {}) {
  const cluster = yield* prepare(directory, options)
  const password = yield* passwordIn(cluster.directory)
  const sql = yield* joinServer(cluster)
  yield* Effect.mapError(createApplicationDatabase(sql), unprepared(cluster.directory))
  return {
    socketPath: socketPathIn(cluster.directory),
    socketDirectory: cluster.directory,
    password
  }
})
