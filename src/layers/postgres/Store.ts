import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Configuration } from "../config/Configuration.ts"
import { MasterKey } from "../crypto/Crypto.ts"
import { checkMasterSecret, resolveMasterSecret } from "../crypto/MasterSecret.ts"
import { StartupError } from "../system/StartupError.ts"
import { migrate } from "./Migrations.ts"
import { MigrationSql } from "./Pools.ts"
import { rowsOf } from "./SqlRows.ts"
import { SqlLive } from "./StoreConnections.ts"
import { isEmbedded } from "./StoreLocation.ts"
import { checkSettings } from "./StoreSettings.ts"
import { unreachable } from "./WatchedPool.ts"
import { isTemporary, withReason } from "./StoreAvailability.ts"

const MIN_VERSION = 150_000

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

const checkSettingsOrExplain = Effect.catchTag(checkSettings, "SqlError", (error) =>
  Effect.fail(unreachable(error))
)

/** Fails if this PostgreSQL cannot hold a store. */
export const checkServer = Effect.all([checkVersion, checkSettingsOrExplain], { discard: true })

const migrateOrExplain = Effect.mapError(
  Effect.flatMap(MigrationSql, (sql) => Effect.provideService(migrate, SqlClient.SqlClient, sql)),
  (error) =>
    error._tag === "StartupError"
      ? error
      : new StartupError({
          message: `the schema could not be brought up to date: ${withReason(error)}`,
          isTemporary: isTemporary(error)
        })
)

const HiddenRow = Schema.Struct({ isHidden: Schema.Boolean })

/** Without the list of cells, a store of several cells would look like an empty one. */
const requireReadableCells = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* rowsOf(HiddenRow)(
    sql`select not coalesce(has_table_privilege(to_regclass('cells'), 'select'), true) as "isHidden"`
  )
  if (row?.isHidden !== true) return
  return yield* new StartupError({
    message:
      "this role may not read the table cells, which says where customers' rows are: grant it select on that table " +
      "(peyk doctor names all tables that it may not use)"
  })
})

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
    Layer.provideMerge(
      Layer.effectDiscard(
        Effect.all([checkServer, migrateOrExplain, requireReadableCells], { discard: true })
      )
    ),
    Layer.provideMerge(SqlLive(configuration))
  )
