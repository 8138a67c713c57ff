import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { start } from "../../../../src/layers/postgres/embedded/EmbeddedPostgres.ts"
import { sharedBuffersFor } from "../../../../src/layers/postgres/embedded/EmbeddedPostgresCluster.ts"
import {
  answers,
  base,
  directory,
  isRunning,
  joinFromAnotherProcess,
  killHard,
  leave,
  query,
  quick,
  serverPid,
  startAndQuery,
  useFreshDirectory,
  waitUntil,
  waitUntilStopped
} from "./EmbeddedPostgresSupport.ts"

useFreshDirectory()

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

  it.live("keeps as much of its pages in memory as suits the machine, unless its file says otherwise", () =>
    Effect.gen(function* () {
      expect([1, 4, 6, 64].map((gigabytes) => sharedBuffersFor(gigabytes * 2 ** 30))).toEqual([
        128, 256, 384, 512
      ])
      const buffers = Effect.scoped(
        Effect.flatMap(start(directory, quick), ({ socketPath }) =>
          query(socketPath, "select pg_size_bytes(current_setting('shared_buffers')) / 1024 / 1024 as answer")
        )
      )
      expect(Number(yield* buffers)).toBeGreaterThanOrEqual(128)
      fs.appendFileSync(path.join(directory, "postgresql.conf"), "\nshared_buffers = 64MB\n")
      expect(Number(yield* buffers)).toBe(64)
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
      expect(pid).not.toBe(crashed)
      yield* leave(participant)
      yield* waitUntilStopped(pid)
      expect(fs.existsSync(path.join(directory, "postmaster.pid"))).toBe(false)
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
      const { pid: dead } = spawnSync(process.execPath, ["--version"])
      // In a container, the process that died had the id that this one has.
      const [reused, living] = [process.pid, process.ppid]
      const starts = [dead, reused, living].map((pid) => `${directory}.init-${pid}-0a`)
      for (const each of starts) fs.mkdirSync(path.join(each, "base"), { recursive: true })
      yield* startAndQuery(quick)
      expect(starts.map((each) => fs.existsSync(each))).toEqual([false, false, true])
    })
  )
})
