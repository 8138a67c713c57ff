// @effect-diagnostics processEnv:off
/**
 * Runs the tests' servers on a PostgreSQL that is not embedded: PEYK_TEST_DATABASE_URL is how the program reaches it,
 * through a pooler for example. PEYK_TEST_ADMIN_URL is how the tests reach the same server directly. With
 * PEYK_TEST_CELLS each store has so many cells, and its customers live in them in turn. With PEYK_TEST_CITUS_WORKERS
 * (host:port, separated by commas) the server is the coordinator of a Citus cluster, and the cells are on these workers.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"

const cellCount = Number(process.env.PEYK_TEST_CELLS ?? 0)

type Environment = Readonly<Record<string, string>>

const programUrl = process.env.PEYK_TEST_DATABASE_URL
/** Whether there is one: servers have no files of a store then. */
export const hasOwnStore = programUrl !== undefined
const adminUrl = process.env.PEYK_TEST_ADMIN_URL ?? programUrl

const at = (url: string, database: string): string => {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.href
}

const administerAt = (url: string, statements: ReadonlyArray<string>) =>
  Effect.runPromise(
    Effect.flatMap(PgClient.make({ url: Redacted.make(url), maxConnections: 1 }), (sql) =>
      Effect.forEach(statements, (statement) => sql.unsafe(statement).unprepared, { discard: true })
    ).pipe(Effect.provide(Reactivity.layer), Effect.scoped)
  )

const administer = (...statements: ReadonlyArray<string>) => administerAt(adminUrl ?? "", statements)

const workers = (process.env.PEYK_TEST_CITUS_WORKERS ?? "").split(",").filter((worker) => worker !== "")

const atWorker = (worker: string): string => {
  const server = new URL(adminUrl ?? "")
  server.host = worker
  return server.href
}

/** Makes a database of this name on each worker, and one cluster of them. */
const joinWorkers = async (database: string): Promise<void> => {
  const { hostname, port } = new URL(adminUrl ?? "")
  const addWorkers = workers.map((worker) => {
    const [host = "", workerPort = ""] = worker.split(":")
    return `select citus_add_node('${host}', ${workerPort})`
  })
  for (const worker of workers) {
    await administerAt(atWorker(worker), [`create database ${database}`])
    await administerAt(at(atWorker(worker), database), ["create extension citus"])
  }
  await administerAt(at(adminUrl ?? "", database), [
    "create extension citus",
    `select citus_set_coordinator_host('${hostname}', ${port})`,
    ...addWorkers
  ])
}

/** Whether the tests have a Citus cluster. */
export const hasCluster = workers.length > 0

/** Makes an empty database of the cluster. Its URLs: of the coordinator, and of each worker. */
export const newClusterDatabase = async (): Promise<ReadonlyArray<string>> => {
  const database = newDatabase()
  await administer(`create database ${database}`)
  await joinWorkers(database)
  return [adminUrl ?? "", ...workers.map(atWorker)].map((server) => at(server, database))
}

/** Makes a store with its cells in an empty database. */
const makeCells = async (database: string): Promise<void> => {
  const { migrate } = await import("../../src/layers/postgres/Migrations.ts")
  const { createCell } = await import("../../src/layers/postgres/CellSchema.ts")
  const ids = Array.from({ length: cellCount }, (_, index) => index + 1)
  const made = Effect.andThen(
    migrate,
    Effect.forEach(ids, (id) => createCell(id, `cell_${id}`), { discard: true })
  )
  const url = Redacted.make(at(adminUrl ?? "", database))
  await Effect.runPromise(Effect.provide(made, PgClient.layer({ url, maxConnections: 1 })))
}

/** In a data directory: the settings of the program whose store would be in there. */
const settingsFile = (dataDir: string) => join(dataDir, "store.json")

const readSettings = async (dataDir: string) =>
  JSON.parse(await readFile(settingsFile(dataDir), "utf8")) as Environment

const newDatabase = () => `peyk_${randomBytes(6).toString("hex")}`

const settingsOf = (url: string, database: string): Environment => ({
  DATABASE_URL: at(url, database),
  PEYK_DATABASE_LISTEN_URL: at(adminUrl ?? url, database),
  PEYK_SIMULATOR: "true"
})

/** The settings of a data directory's store, which is made if there is none; none if stores are embedded. */
export const storeSettings = async (dataDir: string): Promise<Environment> => {
  if (programUrl === undefined) return {}
  if (existsSync(settingsFile(dataDir))) return readSettings(dataDir)
  const database = newDatabase()
  await administer(`create database ${database}`)
  if (workers.length > 0) await joinWorkers(database)
  if (cellCount > 0) await makeCells(database)
  const settings = { ...settingsOf(programUrl, database), PEYK_SECRET: randomBytes(32).toString("base64") }
  await writeFile(settingsFile(dataDir), JSON.stringify(settings))
  return settings
}

/** The URL at which tests reach the store of a data directory; undefined: it is embedded. */
export const ownStoreUrl = async (dataDir: string): Promise<string | undefined> =>
  existsSync(settingsFile(dataDir)) ? (await readSettings(dataDir)).PEYK_DATABASE_LISTEN_URL : undefined

/** Gives a copied data directory a database of its own, copied too. */
export const copyDatabase = async (dataDir: string): Promise<void> => {
  if (programUrl === undefined) return
  const settings = await readSettings(dataDir)
  const template = new URL(settings.DATABASE_URL ?? "").pathname.slice(1)
  const database = newDatabase()
  for (const server of [adminUrl ?? "", ...workers.map(atWorker)]) {
    await administerAt(server, [
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${template}'`,
      `create database ${database} template ${template}`
    ])
  }
  const copy = { ...settings, ...settingsOf(programUrl, database) }
  await writeFile(settingsFile(dataDir), JSON.stringify(copy))
}

/** Makes the demo customer, which the program makes in embedded stores only. */
export const makeDemo = async (env: Environment, dataDir: string): Promise<void> => {
  if (programUrl === undefined || existsSync(join(dataDir, "demo.json"))) return
  const { makeDemoIn } = await import("../support/DemoStore.ts")
  await makeDemoIn(env)
}
