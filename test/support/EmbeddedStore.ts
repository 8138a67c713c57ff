import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import { ownStoreUrl } from "../contract/OwnStore.ts"
import { readPassword } from "../../src/layers/postgres/embedded/EmbeddedPostgresPassword.ts"

const embeddedIn = (dataDir: string) => {
  const directory = join(dataDir, "postgres")
  return { host: directory, username: "postgres", password: readPassword(directory), database: "peyk" }
}

/** Runs an effect on the store of a data directory, next to the program that serves it. */
export const onEmbeddedStore = async <A, E>(
  dataDir: string,
  effect: Effect.Effect<A, E, SqlClient.SqlClient>
): Promise<A> => {
  const url = await ownStoreUrl(dataDir)
  const store = url === undefined ? embeddedIn(dataDir) : { url: Redacted.make(url) }
  return Effect.runPromise(Effect.provide(effect, PgClient.layer({ ...store, maxConnections: 1 })))
}
