import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { findPackage } from "../../../../src/layers/postgres/embedded/EmbeddedPostgresBinaries.ts"
import {
  base,
  copyPackage,
  directory,
  failureOf,
  isRoot,
  quick,
  removeSymlinks,
  sharedDirectory,
  startAndQuery,
  useFreshDirectory,
  wayOut
} from "./EmbeddedPostgresSupport.ts"

useFreshDirectory()

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
