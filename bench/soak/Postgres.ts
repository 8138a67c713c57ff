/** The PostgreSQL that all processes share: a real one, which this program starts, restarts and asks. */
import { Effect, Exit, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import * as EmbeddedPostgres from "../../src/layers/postgres/embedded/EmbeddedPostgres.ts"
import { copyPrimary, whyNoStandby } from "./Standby.ts"
import { openStore, OF_PROCESSES, type StoreQueries } from "./StoreQueries.ts"
import { now } from "./Time.ts"

export interface Postgres extends StoreQueries {
  /** Where its socket is. */
  readonly socketPath: string
  /** The `DATABASE_URL` of a process that reaches it through the socket in this folder. */
  readonly urlAt: (socketDirectory: string) => string
  /** Fast: sessions are ended. Immediate: as in a crash, what was not committed is gone. */
  readonly restart: (mode: "fast" | "immediate") => Promise<void>
  /** Terminates this share of the processes' connections, chosen by the store; how many that were. */
  readonly cutConnections: (share: number) => Promise<number>
  /** Whether its disk is full, for all that writes codes, messages and timers. */
  readonly fillDisk: (isFull: boolean) => Promise<void>
  /** As a standby that clients meet in a failover: it answers, and takes no writes. */
  readonly setReadOnly: (isReadOnly: boolean) => Promise<void>
  /**
   * Builds a standby that each commit waits for, and promotes it in place of the primary, which is then killed. `cutOver`
   * leads clients from the one to the other, before it is promoted. `whileBoth` runs before the old one is killed.
   * Returns what was done, or why it cannot be done.
   */
  readonly promoteStandby: (
    cutOver: (socketPath: string) => Promise<void> | void,
    whileBoth?: () => Promise<void>
  ) => Promise<string>
  /** A standby that follows the primary, and that no commit waits for; null: there can be none. */
  readonly addReplica: () => Promise<Replica | null>
  /** Keeps everybody from a table for so long. */
  readonly lockTable: (table: string, millis: number) => Promise<void>
  readonly stop: () => Promise<void>
}

export interface Replica {
  readonly url: string
  /** While paused it receives changes and does not show them. */
  readonly pause: (isPaused: boolean) => Promise<void>
  readonly stop: () => Promise<void>
}

const AWAY_MILLIS = 60_000

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

/** A PostgreSQL that this program has joined. A program that has joined it restarts it when it goes away. */
const joinPostgres = async (dataDirectory: string) => {
  const scope = Scope.makeUnsafe()
  const { socketPath, password } = await Effect.runPromise(
    EmbeddedPostgres.start(dataDirectory, { initFlags: ["--no-sync"] }).pipe(Scope.provide(scope))
  )
  const store = openStore({ path: socketPath, username: "postgres", password, database: "peyk" })
  const postmaster = () => Number.parseInt(readFileSync(join(dataDirectory, "postmaster.pid"), "utf8"), 10)
  const stop = async () => {
    await store.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
  return { ...store, dataDirectory, socketPath, password, postmaster, stop }
}
type Joined = Awaited<ReturnType<typeof joinPostgres>>

/** Both have to be of one session: a transaction is. */
const backUp = ({ runtime }: Joined, copy: (endBackup: () => Promise<string>) => Promise<void>) =>
  runtime.runPromise(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql.withTransaction(
        Effect.gen(function* () {
          const context = yield* Effect.context<never>()
          yield* sql`select 1 from pg_backup_start('soak', true)`
          const end = sql<{ readonly labelfile: string }>`
            select labelfile from pg_backup_stop(wait_for_archive => false)`
          yield* Effect.promise(() =>
            copy(() => Effect.runPromiseWith(context)(Effect.map(end, ([row]) => row?.labelfile ?? "")))
          )
        })
      )
    })
  )

/** Until each commit waits for the standby. */
const untilSynchronous = async ({ query }: Joined) => {
  await query("alter system set synchronous_standby_names = '*'")
  await query("select pg_reload_conf()")
  const deadline = now() + AWAY_MILLIS
  while (now() < deadline) {
    const rows = await query("select 1 from pg_stat_replication where sync_state = 'sync'")
    if (rows.length > 0) return
    await pause(50)
  }
  throw new Error(`the standby did not follow its primary within ${AWAY_MILLIS} ms`)
}

const followedBy = async (primary: Joined, directory: string, slot: string): Promise<Joined> => {
  await primary.query(`select 1 from pg_create_physical_replication_slot('${slot}', true)`)
  const options = { primary: primary.dataDirectory, directory, password: primary.password, slot }
  await backUp(primary, (endBackup) => copyPrimary(options, endBackup))
  return joinPostgres(directory)
}

export const startPostgres = async (directory: string): Promise<Postgres> => {
  const first = await joinPostgres(join(directory, "postgres"))
  const { password } = first
  let current = first
  let standbys = 0
  const query = <Row>(text: string) => current.query<Row>(text)
  const urlAt = (host: string) =>
    `postgres:///peyk?${new URLSearchParams({ host, user: "postgres", password: Redacted.value(password) })}`

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
    socketPath: first.socketPath,
    urlAt,
    query,
    queryCells: (text) => current.queryCells(text),
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
    promoteStandby: async (cutOver, whileBoth) => {
      const why = await Effect.runPromise(whyNoStandby)
      if (why !== null) return `left out: ${why}`
      const primary = current
      standbys += 1
      const from = now()
      const standby = await followedBy(primary, join(directory, `standby-${standbys}`), "soak_standby")
      await untilSynchronous(primary)
      const cutAt = now()
      await cutOver(standby.socketPath)
      await standby.query("select pg_promote()")
      const promotedAt = now()
      current = standby
      await whileBoth?.()
      process.kill(primary.postmaster(), "SIGQUIT")
      await primary.stop()
      return `built in ${Math.round(cutAt - from)} ms, promoted in ${Math.round(promotedAt - cutAt)} ms`
    },
    addReplica: async () => {
      if ((await Effect.runPromise(whyNoStandby)) !== null) return null
      const replica = await followedBy(current, join(directory, "replica"), "soak_replica")
      return {
        url: urlAt(dirname(replica.socketPath)),
        pause: async (isPaused) => {
          await replica.query(`select pg_wal_replay_${isPaused ? "pause" : "resume"}()`)
        },
        stop: replica.stop
      }
    },
    lockTable: async (table, millis) => {
      await query(
        `do $$ begin lock table ${table} in access exclusive mode; perform pg_sleep(${millis / 1000}); end $$`
      )
    },
    restart: async (mode) => {
      const pid = current.postmaster()
      process.kill(pid, mode === "fast" ? "SIGINT" : "SIGQUIT")
      while (isAlive(pid)) await pause(20)
      await untilAnswers()
    },
    cutConnections: async (share) => {
      const cut = await query(
        `select pg_terminate_backend(pid) from pg_stat_activity where ${OF_PROCESSES} and random() < ${share}`
      )
      return cut.length
    },
    connections: () => current.connections(),
    stop: () => current.stop()
  }
}
