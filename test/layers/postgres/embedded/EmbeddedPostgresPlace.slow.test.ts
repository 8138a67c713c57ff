import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { create, start } from "../../../../src/layers/postgres/embedded/EmbeddedPostgres.ts"
import {
  base,
  directory,
  failureOf,
  isRoot,
  joinFromAnotherProcess,
  leave,
  query,
  quick,
  startAndQuery,
  useFreshDirectory,
  wayOut
} from "./EmbeddedPostgresSupport.ts"

useFreshDirectory()

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

  it.live("is refused when it is a link to nothing, rather than begun again", () =>
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
      const odd = path.join(base, `a, "b" 'c' $d \`e\``)
      expect(yield* startAndQuery(quick, odd)).toBe(1)
      expect(yield* startAndQuery(quick, odd)).toBe(1)
    })
  )

  it.live("works when it exists and is empty, and can be filled before a server is started", () =>
    Effect.gen(function* () {
      fs.mkdirSync(directory)
      yield* create(directory)
      expect(fs.existsSync(path.join(directory, "postmaster.pid"))).toBe(false)
      const made = fs.statSync(path.join(directory, "PG_VERSION")).ino
      yield* create(directory)
      expect(yield* startAndQuery(quick)).toBe(1)
      expect(fs.statSync(path.join(directory, "PG_VERSION")).ino).toBe(made)
      expect(fs.readdirSync(base)).toEqual([path.basename(directory)])
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
