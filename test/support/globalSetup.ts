import * as fs from "node:fs"
import * as path from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { TestProject } from "vitest/node"
import { type EmbeddedPostgres, start } from "../../src/layers/postgres/embedded/EmbeddedPostgres.ts"
import { migrate } from "../../src/layers/postgres/Migrations.ts"
import { makeRunDirectory } from "./DataDirectories.ts"
import { guardLogs } from "./LogGuard.ts"

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

/** A signal ends vitest without a teardown, and the server, in a session of its own, would stay. */
const stopAbruptly = (directory: string) => {
  const lock = path.join(directory, "postgres", "postmaster.pid")
  if (fs.existsSync(lock)) process.kill(Number.parseInt(fs.readFileSync(lock, "utf8"), 10), "SIGQUIT")
}

/** Vitest ends this set-up before those of the projects, whose servers log until they stop: the logs stay until the exit. */
const endWithProcess = (directory: string) => {
  const searchLogs = guardLogs(path.join(directory, "logs"))
  const onExit = () => {
    searchLogs()
    stopAbruptly(directory)
    fs.rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
  }
  const onSignal = () => process.exit(1)
  process.once("exit", onExit).once("SIGINT", onSignal).once("SIGTERM", onSignal)
}

/** One PostgreSQL for the whole test run. */
export default async (project: TestProject) => {
  const directory = makeRunDirectory()
  endWithProcess(directory)
  const scope = Scope.makeUnsafe()
  const started = await Effect.runPromiseExit(
    startTestDatabase(path.join(directory, "postgres")).pipe(Scope.provide(scope))
  )
  if (Exit.isFailure(started)) throw new Error(`the test database did not start: ${started.cause}`)
  project.provide("postgresSocketDirectory", started.value.socketDirectory)
  project.provide("postgresPassword", Redacted.value(started.value.password))
  return () => Effect.runPromise(Scope.close(scope, Exit.void))
}
