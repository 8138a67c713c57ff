import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { readPassword } from "../../src/layers/postgres/embedded/EmbeddedPostgresPassword.ts"

/** Runs an effect on the embedded store of a data directory, next to the program that serves it. */
export const onEmbeddedStore = <A, E>(
  dataDir: string,
  effect: Effect.Effect<A, E, SqlClient.SqlClient>
): Promise<A> => {
  const directory = join(dataDir, "postgres")
  const store = {
    host: directory,
    username: "postgres",
    password: readPassword(directory),
    database: "peyk",
    maxConnections: 1
  }
  return Effect.runPromise(Effect.provide(effect, PgClient.layer(store)))
}
