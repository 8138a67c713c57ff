import * as fs from "node:fs"
import * as path from "node:path"
import { PgClient } from "@effect/sql-pg"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { start } from "../../../../src/layers/postgres/embedded/EmbeddedPostgres.ts"
import { nobody, run } from "../../../../src/layers/postgres/embedded/EmbeddedPostgresAccess.ts"
import {
  findPackage,
  prepareBinaries
} from "../../../../src/layers/postgres/embedded/EmbeddedPostgresBinaries.ts"
import { passwordFileIn } from "../../../../src/layers/postgres/embedded/EmbeddedPostgresPassword.ts"
import {
  base,
  beginInAnotherProcess,
  directory,
  failureOf,
  isRoot,
  quick,
  startAndQuery,
  useFreshDirectory,
  waitUntil
} from "./EmbeddedPostgresSupport.ts"

useFreshDirectory()

/** The result of a connection, as any process of the user can try it: null where it was let in. */
const refusalOf = (socketPath: string, password: string | undefined) =>
  Effect.scoped(
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select 1`).pipe(
      Effect.as(null),
      Effect.provide(
        PgClient.layer({
          path: socketPath,
          username: "postgres",
          password: password === undefined ? undefined : Redacted.make(password),
          database: "peyk",
          maxConnections: 1
        })
      ),
      Effect.catchTag("SqlError", ({ reason }) => Effect.succeed(String(reason.cause)))
    )
  )

const isClosed = (socketPath: string) =>
  Effect.gen(function* () {
    expect(yield* refusalOf(socketPath, "guessed")).toMatch(/password authentication failed/)
    const refusal = yield* refusalOf(socketPath, undefined)
    return refusal !== null && /password/.test(refusal)
  })

/** A cluster as development versions made it: everybody who reaches the socket is let in. */
const makeTrustingCluster = Effect.gen(function* () {
  const owner = isRoot ? nobody : undefined
  const root = yield* findPackage(process.platform, process.arch)
  const { initdb } = yield* prepareBinaries(root, directory, owner)
  fs.mkdirSync(directory, { mode: 0o700 })
  if (owner !== undefined) fs.chownSync(directory, owner.uid, owner.gid)
  const settings = ["-U", "postgres", "--auth=trust", "-E", "UTF8", "--no-locale", "--no-sync"]
  yield* run(initdb, ["-D", directory, ...settings], owner)
})

/** The file next to the cluster, by its name. */
const entriesOf = (name: RegExp) =>
  fs
    .readdirSync(base)
    .filter((entry) => name.test(entry))
    .map((entry) => path.join(base, entry))

const isHalfCluster = (file: string) => fs.existsSync(path.join(file, "PG_VERSION"))

const accessRules = () => fs.readFileSync(path.join(directory, "pg_hba.conf"), "utf8")

describe("an embedded PostgreSQL", () => {
  it.live("takes connections with its password only", () =>
    Effect.gen(function* () {
      const { socketPath, password } = yield* start(directory, quick)
      expect(yield* refusalOf(socketPath, Redacted.value(password))).toBeNull()
      expect(yield* isClosed(socketPath)).toBe(true)
      expect(accessRules()).not.toMatch(/^[^#]*trust/m)
    })
  )

  it.live("keeps the password in a file for its owner alone, and nothing of its making next to it", () =>
    Effect.gen(function* () {
      const { password } = yield* start(directory, quick)
      const { mode, uid } = fs.statSync(passwordFileIn(directory))
      expect([(mode & 0o777).toString(8), uid]).toEqual(["600", process.getuid?.()])
      expect(Redacted.value(password)).toMatch(/^[\w-]{43}$/)
      expect(fs.readdirSync(base)).toEqual(["postgres"])
    })
  )

  it.live("keeps its password from one start to the next, and shares it with every process", () =>
    Effect.gen(function* () {
      const first = yield* Effect.scoped(start(directory, quick))
      const second = yield* Effect.scoped(start(directory, quick))
      expect(Redacted.value(second.password)).toBe(Redacted.value(first.password))
    })
  )

  it.live(
    "has a password that works after a first start was killed between writing it and initdb's end",
    () =>
      Effect.gen(function* () {
        const dying = beginInAnotherProcess(directory)
        // initdb has read the password, and not finished
        yield* waitUntil(Effect.sync(() => entriesOf(/\.init-\d+-\w+$/).some(isHalfCluster)))
        dying.kill("SIGKILL")
        yield* waitUntil(Effect.sync(() => dying.signalCode !== null))
        expect(entriesOf(/^postgres$/)).toEqual([])
        const drafts = entriesOf(/\.init-/).filter((file) => fs.statSync(file).isFile())
        expect(drafts).toHaveLength(1)
        const abandoned = drafts.map((file) => fs.readFileSync(file, "utf8").trim())
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { socketPath, password } = yield* start(directory, quick)
            expect(abandoned).not.toContain(Redacted.value(password))
            expect(yield* refusalOf(socketPath, Redacted.value(password))).toBeNull()
            expect(yield* isClosed(socketPath)).toBe(true)
          })
        )
        // The orphaned initdb may have been at work when its files were removed: a later start removes the rest.
        yield* waitUntil(Effect.map(startAndQuery(quick), () => entriesOf(/./).length === 1))
      })
  )

  it.live("does not start without its password, and says what to do", () =>
    Effect.gen(function* () {
      yield* Effect.scoped(start(directory, quick))
      fs.rmSync(passwordFileIn(directory))
      expect(yield* failureOf(directory)).toMatch(/lacks its password, .*peyk\.password: bring it back/)
    })
  )
})

describe("an embedded PostgreSQL of a development version, which lets everybody in", () => {
  it.live("is not started, and says what to do", () =>
    Effect.gen(function* () {
      yield* makeTrustingCluster
      expect(yield* failureOf(directory)).toMatch(
        /lacks its password.*development version.*Set PEYK_DATA_DIR to another directory/
      )
      expect(fs.existsSync(path.join(directory, "postmaster.pid"))).toBe(false)
      expect(fs.existsSync(passwordFileIn(directory))).toBe(false)
    })
  )
})
