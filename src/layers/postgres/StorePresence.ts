import { PgClient } from "@effect/sql-pg"
import { Effect, Option, Redacted, Schema } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import * as path from "node:path"
import type { Configuration } from "../config/Configuration.ts"
import { StartupError } from "../system/StartupError.ts"
import { pooled } from "./Hosts.ts"
import { hasMigrations } from "./Migrations.ts"
import { decodedAs } from "./SqlRows.ts"
import { isStoreMissing, addressOf } from "./StoreLocation.ts"
import { unreachable } from "./WatchedPool.ts"

/** Fails if the store is embedded and does not exist, and says what to set. */
export const requireEmbeddedStore = (configuration: Configuration): Effect.Effect<void, StartupError> =>
  Effect.suspend(() =>
    !isStoreMissing(configuration)
      ? Effect.void
      : Effect.fail(
          new StartupError({
            message:
              `there is no store in ${path.resolve(configuration.dataDirectory)}: set PEYK_DATA_DIR to the folder of ` +
              "the server's store, or DATABASE_URL to its PostgreSQL; `peyk serve` makes a new store"
          })
        )
  )

const DatabaseRow = Schema.Tuple([Schema.Struct({ database: Schema.String })])

/** The database for a message: without the user and the password, which its URL contains. */
const nameOf = (url: Redacted.Redacted, database: string): string => {
  const { host, searchParams } = new URL(Redacted.value(url))
  const at = host === "" ? searchParams.get("host") : host
  return at === null ? database : `${database} at ${at}`
}

const requireMigrations = Effect.fnUntraced(
  function* (url: Redacted.Redacted) {
    const address = yield* addressOf("DATABASE_URL", url)
    const sql = yield* PgClient.make({ ...address, ...pooled, applicationName: "peyk", maxConnections: 1 })
    if (yield* Effect.provideService(hasMigrations, SqlClient.SqlClient, sql)) return
    const [{ database }] = yield* decodedAs(DatabaseRow)(sql`select current_database() as database`)
    return yield* new StartupError({
      message:
        `there is no store in the database ${nameOf(address.url, database)}: set DATABASE_URL to the server's database; ` +
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
