/** A coordinator and two workers of Citus, with a proxy before each worker; each a process of this machine. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { execFileSync } from "node:child_process"
import { appendFileSync, existsSync } from "node:fs"
import { join } from "node:path"
import { createCell } from "../../src/layers/postgres/CellSchema.ts"
import { migrate } from "../../src/layers/postgres/Migrations.ts"
import { freePort } from "../FreePort.ts"
import { type Proxy, startProxy } from "../soak/Proxy.ts"
import { openStore, type StoreQueries } from "../soak/StoreQueries.ts"
import { startCluster } from "./Cluster.ts"
import type { Member } from "./Member.ts"
import { makeProgram, ownDirectory, until, user } from "./Programs.ts"

export const LOOPBACK = "127.0.0.1"
const DATABASE = "peyk"
const START_MILLIS = 60_000
const CELLS = 4

/** One PostgreSQL with Citus. */
interface CitusNode {
  readonly name: string
  /** Its own port, behind no proxy. */
  readonly port: number
  /** Returns when it answers; also after `kill`. */
  readonly start: () => Promise<void>
  /** `kill -9` of its first process; the others end with it. */
  readonly kill: () => Promise<void>
}

export interface CitusWorker extends CitusNode {
  /** How the coordinator reaches it. */
  readonly proxy: Proxy
}

export interface CitusCluster {
  readonly coordinator: CitusNode
  readonly workers: ReadonlyArray<CitusWorker>
  /** As the soak reads it, at the coordinator. */
  readonly store: StoreQueries
  /** The `DATABASE_URL`. */
  readonly url: string
  /** The customers whose cells are on this worker. */
  readonly customersOn: (worker: CitusWorker) => Promise<ReadonlyArray<number>>
}

type OnEnd = (stop: () => Promise<unknown>) => void

/** Why there can be no cluster of the PostgreSQL in this directory, in a sentence; null: there can. */
export const whyNoCitus = (bin: string): string | null => {
  const configuration = join(bin, "pg_config")
  if (!existsSync(configuration)) return `${configuration} is missing: --bin names a PostgreSQL's programs`
  const share = execFileSync(configuration, ["--sharedir"], { encoding: "utf8" }).trim()
  return existsSync(join(share, "extension", "citus.control"))
    ? null
    : `the PostgreSQL in ${bin} has no Citus: install Citus' own package, or name another one with --bin`
}

/** As docs/cells.md recommends. */
const parameters = {
  shared_preload_libraries: "citus",
  wal_level: "logical",
  max_connections: "400",
  max_prepared_transactions: "400",
  "citus.node_conninfo":
    "sslmode=disable keepalives_idle=5 keepalives_interval=2 keepalives_count=3 tcp_user_timeout=10000",
  "citus.max_cached_conns_per_worker": "100"
}

const settings = (port: number, directory: string) =>
  Object.entries({
    ...parameters,
    port: String(port),
    listen_addresses: LOOPBACK,
    unix_socket_directories: directory
  })
    .map(([name, value]) => `${name} = '${value}'\n`)
    .join("")

const urlOf = (port: number, database: string) =>
  Redacted.make(`postgres://postgres@${LOOPBACK}:${port}/${database}`)

const run = async (port: number, database: string, statements: ReadonlyArray<string>): Promise<void> => {
  const store = openStore({ url: urlOf(port, database) })
  try {
    for (const statement of statements) await store.query(statement)
  } finally {
    await store.close()
  }
}

const startNode = async (bin: string, name: string, parent: string, onEnd: OnEnd): Promise<CitusNode> => {
  const directory = ownDirectory(join(parent, name))
  const data = join(directory, "data")
  const port = await freePort()
  const initdb = ["-D", data, "-U", "postgres", "-A", "trust", "--locale=C.UTF-8", "-E", "UTF8"]
  execFileSync(join(bin, "initdb"), initdb, { ...user, cwd: directory, stdio: "ignore" })
  appendFileSync(join(data, "postgresql.conf"), settings(port, directory))
  const program = makeProgram(join(bin, "postgres"), ["-D", data], join(directory, "postgres.log"))
  onEnd(() => program.signal("SIGQUIT"))
  const answers = () =>
    run(port, "postgres", ["select 1"]).then(
      () => true,
      () => false
    )
  const start = () =>
    until(`an answer of the ${name}`, START_MILLIS, () => {
      // It ends at once while processes of its predecessor are still there.
      if (!program.isRunning()) program.start()
      return answers()
    })
  await start()
  await run(port, "postgres", [`create database ${DATABASE}`])
  await run(port, DATABASE, ["create extension citus"])
  return { name, port, start, kill: () => program.signal("SIGKILL") }
}

const startWorker = async (bin: string, name: string, parent: string, onEnd: OnEnd): Promise<CitusWorker> => {
  const node = await startNode(bin, name, parent, onEnd)
  const proxy = await startProxy(0, { host: LOOPBACK, port: node.port })
  onEnd(proxy.close)
  return { ...node, proxy }
}

/** Three PostgreSQL under Patroni, of which HAProxy shows the primary: a worker that mends itself. */
const startWorkerUnderPatroni = async (
  bin: string,
  name: string,
  parent: string,
  onEnd: OnEnd
): Promise<CitusWorker> => {
  const access = [`host all postgres ${LOOPBACK}/32 trust`]
  const cluster = await startCluster(ownDirectory(join(parent, name)), onEnd, { bin, parameters, access })
  await cluster.store.query("create extension citus")
  const proxy = await startProxy(0, { host: LOOPBACK, port: cluster.haproxyPort })
  onEnd(proxy.close)
  let killed: Member | null = null
  const kill = async () => {
    const { primary } = await cluster.whole()
    await primary.patroni.signal("SIGKILL")
    const pid = primary.postmaster()
    if (pid !== null) process.kill(pid, "SIGKILL")
    killed = primary
  }
  const start = async () => {
    killed?.patroni.start()
    await cluster.whole()
  }
  return { name, port: cluster.haproxyPort, proxy, start, kill }
}

/** A store of cells, two on each worker, without customers. */
const makeCells = (url: Redacted.Redacted) =>
  Effect.runPromise(
    Effect.andThen(
      migrate,
      Effect.forEach(Array.from({ length: CELLS }).keys(), (nth) => createCell(nth + 1, `cell_${nth + 1}`))
    ).pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })))
  )

export const startCitus = async (
  bin: string,
  directory: string,
  onEnd: OnEnd,
  isUnderPatroni: boolean
): Promise<CitusCluster> => {
  const startSecond = isUnderPatroni ? startWorkerUnderPatroni : startWorker
  const coordinator = await startNode(bin, "coordinator", directory, onEnd)
  const workers = [
    await startWorker(bin, "first worker", directory, onEnd),
    await startSecond(bin, "second worker", directory, onEnd)
  ]
  await run(coordinator.port, DATABASE, [
    `select citus_set_coordinator_host('${LOOPBACK}', ${coordinator.port})`,
    ...workers.map(({ proxy }) => `select citus_add_node('${LOOPBACK}', ${proxy.address})`)
  ])
  const url = urlOf(coordinator.port, DATABASE)
  await makeCells(url)
  const store = openStore({ url })
  onEnd(store.close)
  return {
    coordinator,
    workers,
    store,
    url: Redacted.value(url),
    customersOn: async ({ proxy }) => {
      const rows = await store.query<{ readonly id: number }>(
        `select c.id from customers c join cells e on e.id = c.cell join citus_shards s
           on s.table_name = (quote_ident(e.name) || '.verifications')::regclass
         where s.nodeport = ${proxy.address} order by c.id`
      )
      return rows.map(({ id }) => id)
    }
  }
}
