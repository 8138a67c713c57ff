/** A PostgreSQL of the operator's own: of Debian, version 15, where that is installed; else the packaged one. */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { chown, mkdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { makeDataDir } from "../../contract/Server.ts"
import { answerOf, startExternal } from "./Postgres.ts"

const DEBIAN = "/usr/lib/postgresql/15/bin"
const NOBODY = 65_534
const run = promisify(execFile)

interface OwnPostgres {
  /** An empty database, and the URL of the role that owns it, which is no superuser. */
  readonly newDatabase: () => Promise<string>
  /** The rows' `answer` of a statement, as a superuser, in the database of such a URL. */
  readonly ask: (url: string, statement: string) => Promise<unknown>
  readonly discard: () => Promise<void>
}

interface Superuser {
  readonly urlOf: (database: string) => string
  readonly discard: () => Promise<void>
}

const startDebian = async (): Promise<Superuser> => {
  const directory = await makeDataDir()
  const data = join(directory, "data")
  const isRoot = process.getuid?.() === 0
  const as = isRoot ? { uid: NOBODY, gid: NOBODY, cwd: "/" } : { cwd: "/" }
  await mkdir(data, { mode: 0o700 })
  if (isRoot) await Promise.all([chown(directory, NOBODY, NOBODY), chown(data, NOBODY, NOBODY)])
  await run(
    join(DEBIAN, "initdb"),
    ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"],
    as
  )
  const options = `-c listen_addresses= -c fsync=off -k ${directory}`
  const start = ["-D", data, "-o", options, "-l", join(directory, "log"), "-w", "start"]
  await run(join(DEBIAN, "pg_ctl"), start, as)
  return {
    urlOf: (database) =>
      `postgres:///${database}?${new URLSearchParams({ host: directory, user: "postgres" })}`,
    discard: async () => {
      await run(join(DEBIAN, "pg_ctl"), ["-D", data, "-m", "immediate", "-w", "stop"], as)
      await rm(directory, { recursive: true, force: true })
    }
  }
}

const startPackaged = async (): Promise<Superuser> => {
  const external = await startExternal()
  const url = await external.newDatabase()
  const urlOf = (database: string) => url.replace(/\/\/\/[^?]*/, `///${database}`)
  return { urlOf, discard: external.discard }
}

const PASSWORD = "never-printed-7f3a"

export const startOwnPostgres = async (): Promise<OwnPostgres> => {
  const { urlOf, discard } = await (existsSync(DEBIAN) ? startDebian() : startPackaged())
  let count = 0
  const databaseOf = (url: string) =>
    new URL(url.replace("postgres:///", "postgres://host/")).pathname.slice(1)
  await answerOf(urlOf("postgres"), `create role owner login password '${PASSWORD}'`)
  return {
    newDatabase: async () => {
      const database = `own_${(count += 1)}`
      await answerOf(urlOf("postgres"), `create database ${database} owner owner`)
      const url = new URL(urlOf(database).replace("postgres:///", "postgres://host/"))
      url.searchParams.set("user", "owner")
      url.searchParams.set("password", PASSWORD)
      return url.href.replace("postgres://host/", "postgres:///")
    },
    ask: (url, statement) => answerOf(urlOf(databaseOf(url)), statement),
    discard
  }
}
