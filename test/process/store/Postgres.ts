/** The PostgreSQL behind the program: to look at, and one that is not embedded. */
import { readFileSync } from "node:fs"
import { readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { start } from "../../../src/layers/postgres/embedded/EmbeddedPostgres.ts"
import { readPassword } from "../../../src/layers/postgres/embedded/EmbeddedPostgresPassword.ts"
import { makeDataDir, until } from "../../contract/Server.ts"

const directoryIn = (dataDir: string) => join(dataDir, "postgres")

/** The process id of the PostgreSQL that serves a data directory, if there is one. */
export const postmasterPid = (dataDir: string): Promise<number | undefined> =>
  readFile(join(directoryIn(dataDir), "postmaster.pid"), "utf8").then(
    (text) => Number.parseInt(text, 10),
    () => undefined
  )

/** One that ended and that nobody reaped does not count. */
export const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return process.platform !== "linux" || !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

/** Removes a data directory, and first the PostgreSQL that a killed server may have left there. */
export const discard = async (dataDir: string): Promise<void> => {
  const pid = await postmasterPid(dataDir)
  if (pid !== undefined && isRunning(pid)) {
    process.kill(pid, "SIGINT")
    await until("PostgreSQL to stop", async () => (isRunning(pid) ? undefined : true), 30_000)
  }
  await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

const query = (directory: string, database: string, statement: string) =>
  Effect.runPromise(
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<{ readonly answer: unknown }>(statement)).pipe(
      Effect.map((rows) => rows[0]?.answer),
      Effect.provide(
        PgClient.layer({
          host: directory,
          username: "postgres",
          password: readPassword(directory),
          database,
          maxConnections: 1
        })
      )
    )
  )

/** The rows of one statement in the database of a URL. */
export const answerOf = (url: string, statement: string) =>
  Effect.runPromise(
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<{ readonly answer: unknown }>(statement)).pipe(
      Effect.map((rows) => rows[0]?.answer),
      Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))
    )
  )

/** The result of one statement in the store of a data directory. */
const answerIn = (dataDir: string, statement: string) => query(directoryIn(dataDir), "peyk", statement)

/** Makes an embedded PostgreSQL in a data directory, runs the statements in its database, and stops it. */
export const makeEmbedded = (dataDir: string, statements: ReadonlyArray<string>) =>
  start(directoryIn(dataDir), { initFlags: ["--no-sync"] }).pipe(
    Effect.andThen(
      Effect.forEach(statements, (statement) => Effect.promise(() => answerIn(dataDir, statement)))
    ),
    Effect.scoped,
    Effect.runPromise
  )

/** How many sends are due, now or later, in the store of a data directory. */
export const timersIn = (dataDir: string) =>
  answerIn(
    dataDir,
    "select count(*)::int as answer from timers where kind not in ('retention', 'guard', 'account_credits', 'activity_sums', 'alert_watch')"
  )

/** The fingerprint, in hex, that an idempotency key of the store stands for. */
export const fingerprintIn = (dataDir: string, key: string) =>
  answerIn(dataDir, `select encode(fingerprint, 'hex') as answer from idempotency_keys where key = '${key}'`)

export interface ExternalPostgres {
  /** Makes an empty database and gives the URL to connect to it with. */
  readonly newDatabase: () => Promise<string>
  readonly stop: () => Promise<void>
  readonly start: () => Promise<void>
  /** Stops it for good and removes its data. */
  readonly discard: () => Promise<void>
}

/** A PostgreSQL as an operator would have it: given to the program by its URL only. */
export const startExternal = async (): Promise<ExternalPostgres> => {
  const dataDir = await makeDataDir()
  const directory = directoryIn(dataDir)
  let scope: Scope.Closeable | undefined
  let databases = 0
  let password = ""

  const begin = async () => {
    scope = Scope.makeUnsafe()
    const started = await Effect.runPromise(
      start(directory, { initFlags: ["--no-sync"] }).pipe(Scope.provide(scope))
    )
    password = Redacted.value(started.password)
  }
  const end = async () => {
    if (scope !== undefined) await Effect.runPromise(Scope.close(scope, Exit.void))
    scope = undefined
  }

  await begin()
  return {
    newDatabase: async () => {
      const name = `external_${(databases += 1)}`
      await query(directory, "postgres", `create database ${name}`)
      return `postgres:///${name}?${new URLSearchParams({ host: directory, user: "postgres", password })}`
    },
    start: begin,
    stop: end,
    discard: async () => {
      await end()
      await discard(dataDir)
    }
  }
}
