import { type ChildProcessByStdio, spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { createInterface } from "node:readline"
import type { Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"
import { PgClient } from "@effect/sql-pg"
import { afterEach, beforeEach, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type EmbeddedPostgresOptions, start } from "../../src/layers/EmbeddedPostgres.ts"
import { findPackage } from "../../src/layers/EmbeddedPostgresBinaries.ts"

const isRoot = process.getuid?.() === 0
const sharedDirectory = "/var/lib/peyk"
const wayOut = "Set PEYK_DATA_DIR to another directory, or DATABASE_URL to a PostgreSQL of your own."

let base = ""
let directory = ""

/** Others use the shared directory at the same time: only what our own links lead to is ours to remove. */
const removeLinkedClusters = () => {
  for (const entry of fs.readdirSync(base, { withFileTypes: true })) {
    const target = entry.isSymbolicLink() ? fs.readlinkSync(path.join(base, entry.name)) : ""
    if (path.dirname(target) === sharedDirectory) fs.rmSync(target, { recursive: true, force: true })
  }
}

beforeEach(() => {
  base = fs.mkdtempSync(path.join(os.tmpdir(), "peyk-embedded-"))
  fs.chmodSync(base, 0o711)
  directory = path.join(base, "postgres")
})

afterEach(() => {
  removeLinkedClusters()
  fs.rmSync(base, { recursive: true, force: true })
})

const quick: EmbeddedPostgresOptions = { initFlags: ["--no-sync"] }

const query = (socketPath: string, statement: string, database = "postgres") =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<{ readonly answer: unknown }>(statement)).pipe(
    Effect.map((rows) => rows[0]?.answer),
    Effect.provide(PgClient.layer({ path: socketPath, username: "postgres", database, maxConnections: 1 }))
  )

const answers = (socketPath: string) =>
  query(socketPath, "select 1 as answer").pipe(
    Effect.map((answer) => answer === 1),
    Effect.orElseSucceed(() => false)
  )

const waitUntil = <E>(condition: Effect.Effect<boolean, E>) =>
  condition.pipe(
    Effect.tap((isMet) => (isMet ? Effect.void : Effect.sleep("10 millis"))),
    Effect.repeat({ until: (isMet) => isMet }),
    Effect.timeout("20 seconds")
  )

const serverPid = (where = directory) =>
  Number.parseInt(fs.readFileSync(path.join(where, "postmaster.pid"), "utf8"), 10)

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const waitUntilStopped = (pid: number) => waitUntil(Effect.sync(() => !isRunning(pid)))

const failureOf = (where: string, options: EmbeddedPostgresOptions = quick) =>
  start(where, options).pipe(
    Effect.scoped,
    Effect.flip,
    Effect.map(({ message }) => message)
  )

interface Participant {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>
  readonly socketPath: string
}

const program = fileURLToPath(new URL("EmbeddedPostgresProcess.ts", import.meta.url))

const joinFromAnotherProcess = (where: string) =>
  Effect.promise(async (): Promise<Participant> => {
    const child = spawn(process.execPath, [program, where], { stdio: ["pipe", "pipe", "pipe"] })
    let errors = ""
    child.stderr.on("data", (text) => (errors += text))
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.startsWith("joined ")) return { child, socketPath: line.slice("joined ".length) }
    }
    throw new Error(`the process did not join: ${errors}`)
  })

const leave = ({ child }: Participant) =>
  Effect.promise(async () => {
    const exit = once(child, "exit")
    child.stdin.end()
    expect(await exit).toEqual([0, null])
  })

const killHard = ({ child }: Participant) =>
  Effect.promise(async () => {
    const exit = once(child, "exit")
    child.kill("SIGKILL")
    await exit
  })

const installedPackage = findPackage(process.platform, process.arch)

const copyPackage = Effect.map(installedPackage, (root) => {
  const copy = path.join(base, "package")
  fs.cpSync(root, copy, { recursive: true, verbatimSymlinks: true })
  return copy
})

const removeSymlinks = (root: string) => {
  const library = path.join(root, "native", "lib")
  const links = fs.readdirSync(library, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink())
  for (const { name } of links) fs.unlinkSync(path.join(library, name))
  return links.length
}

const startAndQuery = (options: EmbeddedPostgresOptions) =>
  Effect.scoped(
    Effect.flatMap(start(directory, options), ({ socketPath }) => query(socketPath, "select 1 as answer"))
  )

describe("a server for one process", () => {
  it.live("answers once it has started, and is gone once the scope has closed", () =>
    Effect.gen(function* () {
      const pid = yield* Effect.scoped(
        Effect.gen(function* () {
          const { socketPath } = yield* start(directory, quick)
          expect(yield* query(socketPath, "select 1 as answer")).toBe(1)
          return serverPid()
        })
      )
      yield* waitUntilStopped(pid)
      expect(fs.existsSync(path.join(directory, "postmaster.pid"))).toBe(false)
    })
  )

  it.live("keeps its data, among them the database peyk, from one start to the next", () =>
    Effect.gen(function* () {
      const run = (statement: string) =>
        Effect.scoped(
          Effect.flatMap(start(directory, quick), ({ socketPath }) => query(socketPath, statement, "peyk"))
        )
      yield* run("create table kept as select 7 as answer")
      expect(yield* run("select answer from kept")).toBe(7)
    })
  )

  it.live("listens on its socket only, and writes everything to disk, unless flags say otherwise", () =>
    Effect.gen(function* () {
      const show =
        "select concat_ws(' ', current_setting('listen_addresses'), current_setting('fsync')) as answer"
      const run = (flags: ReadonlyArray<string>) =>
        Effect.scoped(
          Effect.flatMap(start(directory, { ...quick, flags }), ({ socketPath }) => query(socketPath, show))
        )
      expect(yield* run([])).toBe(" on")
      expect(yield* run(["-c", "fsync=off"])).toBe(" off")
    })
  )

  it.live("lives in a session of its own, out of the terminal's reach", () =>
    Effect.gen(function* () {
      yield* start(directory, quick)
      const pid = serverPid()
      // a session leader leads its process group too, and only then is there a group of that number
      expect(process.kill(-pid, 0)).toBe(true)
    })
  )
})

describe("a server for several processes", () => {
  it.live("is shared, and stops only after the last one left, who did not start it", () =>
    Effect.gen(function* () {
      const first = yield* joinFromAnotherProcess(directory)
      const pid = serverPid()
      const second = yield* joinFromAnotherProcess(directory)
      expect(second.socketPath).toBe(first.socketPath)
      yield* leave(first)
      expect(serverPid()).toBe(pid)
      expect(yield* query(second.socketPath, "select 1 as answer")).toBe(1)
      yield* leave(second)
      yield* waitUntilStopped(pid)
    })
  )

  it.live("survives a killed owner, is adopted by the next process and stops when that leaves", () =>
    Effect.gen(function* () {
      const owner = yield* joinFromAnotherProcess(directory)
      const pid = serverPid()
      yield* killHard(owner)
      expect(isRunning(pid)).toBe(true)
      const heir = yield* joinFromAnotherProcess(directory)
      expect(serverPid()).toBe(pid)
      yield* leave(heir)
      yield* waitUntilStopped(pid)
    })
  )

  it.live("is one and the same when four processes race for the first start", () =>
    Effect.gen(function* () {
      const all = yield* Effect.all(
        Array.from({ length: 4 }, () => joinFromAnotherProcess(directory)),
        { concurrency: "unbounded" }
      )
      const pid = serverPid()
      for (const { socketPath } of all) expect(yield* query(socketPath, "select 1 as answer", "peyk")).toBe(1)
      yield* Effect.forEach(all, leave, { concurrency: "unbounded" })
      yield* waitUntilStopped(pid)
      expect(fs.readdirSync(base)).toEqual(["postgres"])
    })
  )

  it.live("is there for whoever comes while it is being stopped", () =>
    Effect.gen(function* () {
      let current = yield* joinFromAnotherProcess(directory)
      for (let round = 0; round < 3; round++) {
        const [next] = yield* Effect.all([joinFromAnotherProcess(directory), leave(current)], {
          concurrency: "unbounded"
        })
        expect(yield* query(next.socketPath, "select 1 as answer")).toBe(1)
        current = next
      }
      yield* leave(current)
    })
  )

  it.live("comes back by itself after a crash, and still stops at the end", () =>
    Effect.gen(function* () {
      const participant = yield* joinFromAnotherProcess(directory)
      const crashed = serverPid()
      process.kill(crashed, "SIGKILL")
      yield* waitUntil(
        Effect.sync(() => fs.existsSync(path.join(directory, "postmaster.pid")) && serverPid() !== crashed)
      )
      yield* waitUntil(answers(participant.socketPath))
      const pid = serverPid()
      yield* leave(participant)
      yield* waitUntilStopped(pid)
    })
  )
})

describe("what crashes leave behind", () => {
  it.live("is no obstacle when a lock file names a process that is something else now", () =>
    Effect.gen(function* () {
      yield* startAndQuery(quick)
      const lock = `${process.pid}\n${directory}\n1790000000\n5432\n${directory}\n\n 1 1\nready   \n`
      for (const name of ["postmaster.pid", ".s.PGSQL.5432.lock"])
        fs.writeFileSync(path.join(directory, name), lock)
      expect(yield* startAndQuery(quick)).toBe(1)
    })
  )

  it.live("is no obstacle when the lock file is empty", () =>
    Effect.gen(function* () {
      yield* startAndQuery(quick)
      const lock = path.join(directory, "postmaster.pid")
      fs.writeFileSync(lock, "")
      fs.utimesSync(lock, 1790000000, 1790000000)
      expect(yield* startAndQuery(quick)).toBe(1)
    })
  )

  it.live("is removed when it is half a cluster of a process that died", () =>
    Effect.gen(function* () {
      const { child } = yield* joinFromAnotherProcess(path.join(base, "other")).pipe(Effect.tap(leave))
      const [dead, living] = [`${directory}.init-${child.pid}-0a`, `${directory}.init-${process.pid}-0b`]
      fs.mkdirSync(path.join(dead, "base"), { recursive: true })
      fs.mkdirSync(living)
      yield* startAndQuery(quick)
      expect(fs.existsSync(dead)).toBe(false)
      expect(fs.existsSync(living)).toBe(true)
    })
  )
})

describe("an awkward directory", () => {
  it.live("is refused when it is a file", () =>
    Effect.gen(function* () {
      fs.writeFileSync(directory, "")
      expect(yield* failureOf(directory)).toBe(`${directory} is a file, not a directory. ${wayOut}`)
    })
  )

  it.live("is refused when one of its parents is a file", () =>
    Effect.gen(function* () {
      fs.writeFileSync(directory, "")
      const message = yield* failureOf(path.join(directory, "postgres"))
      expect(message).toContain(`${directory}/postgres has a file, not a directory, among its parents`)
      expect(message).toContain(wayOut)
    })
  )

  it.live("is refused when it holds something else", () =>
    Effect.gen(function* () {
      fs.mkdirSync(directory)
      fs.writeFileSync(path.join(directory, "holiday.jpg"), "")
      const problem = "is not empty, and not a PostgreSQL database either"
      expect(yield* failureOf(directory)).toBe(`${directory} ${problem}. ${wayOut}`)
    })
  )

  it.live("is refused when it is a cluster of another major version", () =>
    Effect.gen(function* () {
      fs.mkdirSync(directory)
      fs.writeFileSync(path.join(directory, "PG_VERSION"), "16\n")
      if (isRoot) fs.chownSync(directory, 65534, 65534)
      const message = yield* failureOf(directory)
      expect(message).toContain(`${directory} holds a PostgreSQL 16 database, this is PostgreSQL 18`)
      expect(message).toContain(wayOut)
    })
  )

  it.live("is refused when a socket in it would have too long a path", () =>
    Effect.gen(function* () {
      const long = path.join(base, "x".repeat(100))
      const message = yield* failureOf(long)
      expect(message).toContain(`${long} has too long a path: a unix socket may have 103 bytes`)
      expect(message).toContain(wayOut)
    })
  )

  it.live("is refused when its name has a line break", () =>
    Effect.gen(function* () {
      const message = yield* failureOf(`${directory}\n`)
      expect(message).toContain(`${JSON.stringify(`${directory}\n`)} has a line break`)
    })
  )

  it.live("is refused when it is a link to nothing, rather than begun anew", () =>
    Effect.gen(function* () {
      fs.symlinkSync(path.join(base, "unmounted"), directory)
      const problem = `${directory} is a symbolic link to ${base}/unmounted, which does not exist`
      expect(yield* failureOf(directory)).toContain(problem)
    })
  )

  it.live("is refused to an ordinary user who cannot write there, and all the same to root", () =>
    Effect.gen(function* () {
      fs.chmodSync(base, 0o511)
      if (isRoot) expect(yield* startAndQuery(quick)).toBe(1)
      else expect(yield* failureOf(directory)).toContain(`${directory} is not writable by this user`)
      fs.chmodSync(base, 0o711)
    })
  )

  it.live("is refused to root when it belongs to root, and is nothing new to an ordinary user", () =>
    Effect.gen(function* () {
      yield* startAndQuery(quick)
      if (isRoot) {
        fs.chownSync(directory, 0, 0)
        expect(yield* failureOf(directory)).toContain(`${directory} belongs to root`)
      } else expect(yield* startAndQuery(quick)).toBe(1)
    })
  )

  it.live("works when its name has blanks, commas, quotes and dollar signs", () =>
    Effect.gen(function* () {
      directory = path.join(base, `a, "b" 'c' $d \`e\``)
      expect(yield* startAndQuery(quick)).toBe(1)
      expect(yield* startAndQuery(quick)).toBe(1)
    })
  )

  it.live("works when it exists and is empty", () =>
    Effect.gen(function* () {
      fs.mkdirSync(directory)
      expect(yield* startAndQuery(quick)).toBe(1)
    })
  )

  it.live("works below a private parent, as a link when the server's user could not get there", () =>
    Effect.gen(function* () {
      fs.chmodSync(base, 0o700)
      const participant = yield* joinFromAnotherProcess(directory)
      const real = path.dirname(participant.socketPath)
      if (isRoot) expect(fs.readlinkSync(directory)).toBe(real)
      else expect(real).toBe(directory)
      yield* leave(participant)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const again = yield* start(directory, quick)
          expect(again.socketDirectory).toBe(real)
          expect(yield* query(again.socketPath, "select 1 as answer")).toBe(1)
        })
      )
    })
  )

  it.live("is made once when four processes race for it below a private parent", () =>
    Effect.gen(function* () {
      fs.chmodSync(base, 0o700)
      fs.mkdirSync(directory)
      const all = yield* Effect.all(
        Array.from({ length: 4 }, () => joinFromAnotherProcess(directory)),
        { concurrency: "unbounded" }
      )
      expect(new Set(all.map(({ socketPath }) => socketPath)).size).toBe(1)
      yield* Effect.forEach(all, leave, { concurrency: "unbounded" })
      expect(fs.lstatSync(directory).isSymbolicLink()).toBe(isRoot)
    })
  )
})

describe("the binaries", () => {
  it.live("work although npm skipped the script that links the libraries", () =>
    Effect.gen(function* () {
      const packageRoot = yield* copyPackage
      expect(removeSymlinks(packageRoot)).toBeGreaterThan(0)
      expect(yield* startAndQuery({ ...quick, packageRoot })).toBe(1)
      expect(removeSymlinks(packageRoot)).toBeGreaterThan(0)
    })
  )

  it.live("work from a package that may not be entered by others, or not be written", () =>
    Effect.gen(function* () {
      const packageRoot = yield* copyPackage
      removeSymlinks(packageRoot)
      const library = path.join(packageRoot, "native", "lib")
      fs.chmodSync(library, 0o500)
      if (isRoot) fs.chmodSync(packageRoot, 0o700)
      // a version of its own keeps this copy apart from those in use
      const version = `0.0.0-${path.basename(base)}`
      fs.writeFileSync(path.join(packageRoot, "package.json"), JSON.stringify({ version }))
      const copy = path.join(isRoot ? sharedDirectory : base, `postgres-${version}-${process.arch}`)
      expect(yield* startAndQuery({ ...quick, packageRoot })).toBe(1)
      expect(fs.existsSync(path.join(copy, "native", "bin", "postgres"))).toBe(true)
      fs.rmSync(copy, { recursive: true, force: true })
      expect(removeSymlinks(packageRoot)).toBe(0)
      fs.chmodSync(library, 0o700)
    })
  )

  it.live("are missed in so many words on a platform that has none", () =>
    Effect.gen(function* () {
      const messageFor = (platform: string, arch: string) =>
        Effect.map(Effect.flip(findPackage(platform, arch)), ({ message }) => message)
      expect(yield* messageFor("aix", "ppc64")).toContain(
        "no embedded PostgreSQL for aix-ppc64; set DATABASE_URL"
      )
      expect(yield* messageFor("win32", "x64")).toContain(
        "no embedded PostgreSQL for win32-x64; set DATABASE_URL"
      )
    })
  )

  it.live("report what initdb said when it fails, and leave nothing behind", () =>
    Effect.gen(function* () {
      const message = yield* failureOf(directory, { initFlags: ["--no-such-flag"] })
      expect(message).toContain(`${directory} could not be made a PostgreSQL database: initdb:`)
      expect(message).toContain("--no-such-flag")
      expect(fs.readdirSync(base)).toEqual([])
    })
  )

  it.live("report the end of the server's log when it exits during its start", () =>
    Effect.gen(function* () {
      const message = yield* failureOf(directory, { ...quick, flags: ["-c", "max_connections=none"] })
      expect(message).toContain(`${directory} has a PostgreSQL that did not start: it exited with 1`)
      expect(message).toContain('FATAL:  invalid value for parameter "max_connections"')
      expect(message).toContain(wayOut)
    })
  )
})
