import * as path from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { TestProject } from "vitest/node"
import { type EmbeddedPostgres, start } from "../../src/layers/postgres/embedded/EmbeddedPostgres.ts"
import { migrate } from "../../src/layers/postgres/Migrations.ts"
import { prepareRun } from "./PreparedRun.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** PgClient's `host`, for user postgres; clone the migrated database `template_peyk` in it. */
    readonly postgresSocketDirectory: string
    readonly postgresPassword: string
  }
}

const templateDatabase = "template_peyk"

const settings = [
  "fsync=off",
  "synchronous_commit=off",
  "full_page_writes=off",
  "max_connections=200"
].flatMap((setting) => ["-c", setting])

const runIn = <A, E>(
  { socketDirectory: host, password }: EmbeddedPostgres,
  database: string,
  effect: Effect.Effect<A, E, SqlClient.SqlClient>
) =>
  effect.pipe(
    Effect.provide(PgClient.layer({ host, username: "postgres", password, database, maxConnections: 1 }))
  )

const createTemplate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create database ${sql(templateDatabase)}`
})

const startTestDatabase = Effect.fnUntraced(function* (directory: string) {
  const postgres = yield* start(directory, { flags: settings, initFlags: ["--no-sync"] })
  yield* runIn(postgres, "postgres", createTemplate)
  yield* runIn(postgres, templateDatabase, migrate)
  return postgres
})

/** One PostgreSQL for the whole test run. */
export default async (project: TestProject) => {
  const directory = prepareRun()
  const scope = Scope.makeUnsafe()
  const started = await Effect.runPromiseExit(
    startTestDatabase(path.join(directory, "postgres")).pipe(Scope.provide(scope))
  )
  if (Exit.isFailure(started)) throw new Error(`the test database did not start: ${started.cause}`)
  project.provide("postgresSocketDirectory", started.value.socketDirectory)
  project.provide("postgresPassword", Redacted.value(started.value.password))
  return () => Effect.runPromise(Scope.close(scope, Exit.void))
}
