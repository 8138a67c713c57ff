import { type ChildProcessByStdio, spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as path from "node:path"
import { createInterface } from "node:readline"
import type { Readable, Writable } from "node:stream"
import { PgClient } from "@effect/sql-pg"
import { afterEach, beforeEach, expect } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  type EmbeddedPostgresOptions,
  start
} from "../../../../src/layers/postgres/embedded/EmbeddedPostgres.ts"
import { readPassword } from "../../../../src/layers/postgres/embedded/EmbeddedPostgresPassword.ts"
import { findPackage } from "../../../../src/layers/postgres/embedded/EmbeddedPostgresBinaries.ts"
import { dataRoot } from "../../../support/DataDirectories.ts"
import { programFile } from "../../../support/Programs.ts"

export const isRoot = process.getuid?.() === 0
export const sharedDirectory = "/var/lib/peyk"
export const wayOut = "Set PEYK_DATA_DIR to another directory, or DATABASE_URL to a PostgreSQL of your own."

/** Where the running test may put things, and its cluster in there; made again for each by `useFreshDirectory`. */
export let base = ""
export let directory = ""

/** Others use the shared directory at the same time: only what our own links lead to is ours to remove. */
const removeLinkedClusters = () => {
  for (const entry of fs.readdirSync(base, { withFileTypes: true })) {
    const target = entry.isSymbolicLink() ? fs.readlinkSync(path.join(base, entry.name)) : ""
    if (path.dirname(target) === sharedDirectory) fs.rmSync(target, { recursive: true, force: true })
  }
}

export const useFreshDirectory = () => {
  beforeEach(() => {
    base = fs.mkdtempSync(path.join(dataRoot(), "peyk-embedded-"))
    fs.chmodSync(base, 0o711)
    directory = path.join(base, "postgres")
  })

  afterEach(() => {
    removeLinkedClusters()
    fs.rmSync(base, { recursive: true, force: true })
  })
}

export const quick: EmbeddedPostgresOptions = { initFlags: ["--no-sync"] }

export const query = (socketPath: string, statement: string, database = "postgres") =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<{ readonly answer: unknown }>(statement)).pipe(
    Effect.map((rows) => rows[0]?.answer),
    Effect.provide(
      PgClient.layer({
        path: socketPath,
        username: "postgres",
        password: readPassword(path.dirname(socketPath)),
        database,
        maxConnections: 1
      })
    )
  )

export const answers = (socketPath: string) =>
  query(socketPath, "select 1 as answer").pipe(
    Effect.map((answer) => answer === 1),
    Effect.orElseSucceed(() => false)
  )

export const waitUntil = <E>(condition: Effect.Effect<boolean, E>) =>
  condition.pipe(
    Effect.tap((isMet) => (isMet ? Effect.void : Effect.sleep("10 millis"))),
    Effect.repeat({ until: (isMet) => isMet }),
    Effect.timeout("20 seconds")
  )

export const serverPid = (where = directory) =>
  Number.parseInt(fs.readFileSync(path.join(where, "postmaster.pid"), "utf8"), 10)

export const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

export const waitUntilStopped = (pid: number) => waitUntil(Effect.sync(() => !isRunning(pid)))

export const failureOf = (where: string, options: EmbeddedPostgresOptions = quick) =>
  start(where, options).pipe(
    Effect.scoped,
    Effect.flip,
    Effect.map(({ message }) => message)
  )

interface Participant {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly socketPath: string
}

export const beginInAnotherProcess = (where: string) =>
  spawn(process.execPath, [programFile("EmbeddedPostgresProcess"), where], {
    stdio: ["pipe", "pipe", "pipe"]
  })

export const joinFromAnotherProcess = (where: string) =>
  Effect.promise(async (): Promise<Participant> => {
    const child = beginInAnotherProcess(where)
    let errors = ""
    child.stderr.on("data", (text) => (errors += text))
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.startsWith("joined ")) return { child, socketPath: line.slice("joined ".length) }
    }
    throw new Error(`the process did not join: ${errors}`)
  })

export const leave = ({ child }: Participant) =>
  Effect.promise(async () => {
    const exit = once(child, "exit")
    child.stdin.end()
    expect(await exit).toEqual([0, null])
  })

export const killHard = ({ child }: Participant) =>
  Effect.promise(async () => {
    const exit = once(child, "exit")
    child.kill("SIGKILL")
    await exit
  })

const installedPackage = findPackage(process.platform, process.arch)

export const copyPackage = Effect.map(installedPackage, (root) => {
  const copy = path.join(base, "package")
  fs.cpSync(root, copy, { recursive: true, verbatimSymlinks: true })
  return copy
})

export const removeSymlinks = (root: string) => {
  const library = path.join(root, "native", "lib")
  const links = fs.readdirSync(library, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink())
  for (const { name } of links) fs.unlinkSync(path.join(library, name))
  return links.length
}

export const startAndQuery = (options: EmbeddedPostgresOptions, where = directory) =>
  Effect.scoped(
    Effect.flatMap(start(where, options), ({ socketPath }) => query(socketPath, "select 1 as answer"))
  )
