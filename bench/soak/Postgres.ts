/** The PostgreSQL that all processes share: a real one, which this program starts, restarts and asks. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Layer, ManagedRuntime, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import * as EmbeddedPostgres from "../../src/layers/postgres/embedded/EmbeddedPostgres.ts"
import { now } from "./Time.ts"

export interface Postgres {
  /** Where its socket is. */
  readonly socketPath: string
  /** What a process is given as `DATABASE_URL`, to reach it through the socket in this folder. */
  readonly urlAt: (socketDirectory: string) => string
  readonly query: <Row>(text: string) => Promise<ReadonlyArray<Row>>
  /** Fast: sessions are ended. Immediate: as in a crash, what was not committed is gone. */
  readonly restart: (mode: "fast" | "immediate") => Promise<void>
  /** Terminates this share of the processes' connections, chosen by the store; how many that were. */
  readonly cutConnections: (share: number) => Promise<number>
  /** Whether its disk is full, for all that writes codes, messages and timers. */
  readonly fillDisk: (isFull: boolean) => Promise<void>
  /** As a standby that clients meet in a failover: it answers, and takes no writes. */
  readonly setReadOnly: (isReadOnly: boolean) => Promise<void>
  /** Keeps everybody from a table for so long. */
  readonly lockTable: (table: string, millis: number) => Promise<void>
  /** The processes' connections. */
  readonly connections: () => Promise<number>
  readonly stop: () => Promise<void>
}

const OWN_NAME = "soak"
const AWAY_MILLIS = 60_000

const OTHERS = `datname = 'peyk' and backend_type = 'client backend' and application_name <> '${OWN_NAME}'`

const WRITTEN = ["verifications", "messages", "timers"]

const DISK_FULL = `
  create or replace function soak_disk_full() returns trigger language plpgsql as $$ begin
    raise exception 'could not extend file: No space left on device' using errcode = 'disk_full';
  end $$`

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

export const startPostgres = async (directory: string): Promise<Postgres> => {
  const scope = Scope.makeUnsafe()
  const dataDirectory = join(directory, "postgres")
  // Whoever has joined it brings it back when it goes away: that is how it is restarted.
  const { socketPath, password } = await Effect.runPromise(
    EmbeddedPostgres.start(dataDirectory, { initFlags: ["--no-sync"] }).pipe(Scope.provide(scope))
  )
  const runtime = ManagedRuntime.make(
    Layer.orDie(
      PgClient.layer({
        path: socketPath,
        username: "postgres",
        password,
        database: "peyk",
        applicationName: OWN_NAME,
        maxConnections: 2,
        startupParameters: { default_transaction_read_only: "off" }
      })
    )
  )

  const query = <Row>(text: string): Promise<ReadonlyArray<Row>> =>
    runtime.runPromise(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<Row & object>(text)))

  const postmaster = () => Number.parseInt(readFileSync(join(dataDirectory, "postmaster.pid"), "utf8"), 10)

  const untilAnswers = async () => {
    const deadline = now() + AWAY_MILLIS
    while (now() < deadline) {
      const answers = await query("select 1").then(
        () => true,
        () => false
      )
      if (answers) return
      await pause(50)
    }
    throw new Error(`PostgreSQL did not come back within ${AWAY_MILLIS} ms`)
  }

  return {
    socketPath,
    urlAt: (host) =>
      `postgres:///peyk?${new URLSearchParams({ host, user: "postgres", password: Redacted.value(password) })}`,
    query,
    fillDisk: async (isFull) => {
      if (isFull) await query(DISK_FULL)
      for (const table of WRITTEN) {
        await query(
          isFull
            ? `create trigger soak_disk_full before insert or update on ${table} for each statement execute function soak_disk_full()`
            : `drop trigger if exists soak_disk_full on ${table}`
        )
      }
    },
    setReadOnly: async (isReadOnly) => {
      await query(`alter system set default_transaction_read_only = ${isReadOnly ? "on" : "off"}`)
      await query("select pg_reload_conf()")
    },
    lockTable: async (table, millis) => {
      await query(
        `do $$ begin lock table ${table} in access exclusive mode; perform pg_sleep(${millis / 1000}); end $$`
      )
    },
    restart: async (mode) => {
      const pid = postmaster()
      process.kill(pid, mode === "fast" ? "SIGINT" : "SIGQUIT")
      while (isAlive(pid)) await pause(20)
      await untilAnswers()
    },
    cutConnections: async (share) => {
      const cut = await query(
        `select pg_terminate_backend(pid) from pg_stat_activity where ${OTHERS} and random() < ${share}`
      )
      return cut.length
    },
    connections: async () => {
      const [row] = await query<{ readonly count: number }>(
        `select count(*)::int as count from pg_stat_activity where ${OTHERS}`
      )
      return row?.count ?? 0
    },
    stop: async () => {
      await runtime.dispose()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}
