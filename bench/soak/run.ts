/**
 * Several processes under load and under attack, and what has to hold afterwards. `npm run soak -- --seconds 180 --seed x`.
 * The faults and the checks: bench/README.md.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { cpus, tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { parseArgs } from "node:util"
import { makeBackend } from "./Backend.ts"
import { makeClient } from "./Client.ts"
import { makeCustomers } from "./Customers.ts"
import { Disturbances } from "./Disturbances.ts"
import type { Evidence } from "./Evidence.ts"
import { strikeUntil, type Target } from "./Faults.ts"
import { makeFlood } from "./Flood.ts"
import { findings, show } from "./Invariants.ts"
import { Journal } from "./Journal.ts"
import { watchLateness } from "./Lateness.ts"
import { takeStock } from "./Leaks.ts"
import { phoneOf, startLoad } from "./Load.ts"
import { type Postgres, startPostgres } from "./Postgres.ts"
import { PROVIDER_TIMEOUT_MILLIS, type Providers, startProviders } from "./Providers.ts"
import { type Proxy, startProxy } from "./Proxy.ts"
import { randomOf } from "./Random.ts"
import { readRecords } from "./Records.ts"
import { makeServer, type Server } from "./Servers.ts"
import { comeToTheEnd, untilNothingIsDue } from "./Settling.ts"
import { watchStalls } from "./Stalls.ts"
import { now } from "./Time.ts"
import { startWebhookReceiver, type WebhookReceiver } from "./WebhookReceiver.ts"

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "180" },
    processes: { type: "string", default: "2" },
    users: { type: "string", default: "16" },
    faults: { type: "string", default: "" },
    apart: { type: "string", default: "2000" },
    seed: { type: "string", default: randomBytes(4).toString("hex") }
  }
})
const seconds = Number(options.seconds)
const processes = Number(options.processes)
const users = Number(options.users)
const { seed } = options

const only = options.faults.split(",").filter((word) => word !== "")
/** How far the clock of every second process is ahead. */
const apartMillis = Number(options.apart)

/** A lease must last, and be renewed in time, although the clocks differ. */
const LEASE_MILLIS = 2000 + 2 * apartMillis
const STATEMENT_TIMEOUT_MILLIS = 3000
const CUSTOMERS = 3
/** The number of phones that the bot of eitaa's accounts can reach. Later phones are unreachable over it. */
const ACQUAINTED = 20_000
/** A run of this many seconds has time for faults that take long. */
const LONG_SECONDS = 120
const isLong = seconds >= LONG_SECONDS
/** The share of the time with all faults; after it, only faults that a process survives. */
const FIRST_ACT = 0.6
const WARM_UP = 1 / 12

const began = now()
const log = (text: string) =>
  process.stdout.write(`${((now() - began) / 1000).toFixed(1).padStart(6)} s  ${text}\n`)

const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const probe = createServer()
    probe.once("error", reject)
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** The environment without variables that would configure the program. */
const neutral = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || name === "DATABASE_URL" || name.startsWith("PEYK_") ? [] : [[name, value]]
  )
)

const environment = (databaseUrl: string, directory: string, providers: Providers) => ({
  ...neutral,
  ...providers.urls,
  DATABASE_URL: databaseUrl,
  PEYK_SECRET: randomBytes(32).toString("base64"),
  PEYK_DATA_DIR: directory,
  PEYK_ALLOW_PRIVATE_ADDRESSES: "true",
  PEYK_LEASE_MS: String(LEASE_MILLIS),
  PEYK_STATEMENT_TIMEOUT_MS: String(STATEMENT_TIMEOUT_MILLIS),
  PEYK_PROVIDER_TIMEOUT_MS: String(PROVIDER_TIMEOUT_MILLIS),
  PEYK_MESSAGE_PATIENCE_MS: "15000",
  PEYK_LIMIT_KEY_MINUTE: "1000000",
  // Accounts have no rate and short cooldowns, so that the soak sends as much as it can.
  PEYK_ACCOUNT_GAP_MS: "0",
  ...Object.fromEntries(
    ["EITAA", "BALE", "SOROUSHPLUS"].map((channel) => [`PEYK_ACCOUNT_RATE_${channel}`, "0"])
  ),
  PEYK_COOLDOWN_MS: "1000",
  PEYK_COOLDOWN_MAX_MS: "2000"
})

interface Stage {
  readonly directory: string
  readonly providers: Providers
  readonly webhooks: WebhookReceiver
  /** Registers what to stop at the end, also after a failure. */
  readonly onEnd: (stop: () => Promise<unknown>) => void
}

/** A folder with a socket of the name that clients look for. */
const startStoreProxy = (directory: string, index: number, { socketPath }: Postgres): Promise<Proxy> => {
  const folder = join(directory, `store-${index}`)
  mkdirSync(folder)
  return startProxy(join(folder, basename(socketPath)), { path: socketPath })
}

const perform = async ({ directory, providers, webhooks, onEnd }: Stage): Promise<Evidence> => {
  const postgres = await startPostgres(directory)
  onEnd(postgres.stop)
  const env = environment(postgres.urlAt(dirname(postgres.socketPath)), directory, providers)
  const disturbances = new Disturbances()
  const problems: Array<string> = []
  const servers: Array<Server> = []
  for (let index = 0; index < processes; index += 1) {
    const store = await startStoreProxy(directory, index, postgres)
    onEnd(store.close)
    const server = makeServer({
      index,
      port: await freePort(),
      directory,
      env: { ...env, DATABASE_URL: postgres.urlAt(dirname(String(store.address))) },
      aheadMillis: index % 2 === 0 ? 0 : apartMillis,
      store,
      disturbances
    })
    onEnd(server.destroy)
    servers.push(server)
  }
  await Promise.all(servers.map((server) => server.start()))
  const { ordinary: customers, flooding } = await makeCustomers({
    count: CUSTOMERS,
    env,
    providers,
    webhookUrl: webhooks.url,
    acquainted: Array.from({ length: ACQUAINTED }, (_, nth) => phoneOf(nth))
  })
  const client = makeClient(servers.map(({ port }) => port))
  onEnd(async () => client.close())
  const journal = new Journal()
  const world = { backend: makeBackend(client, journal, processes), journal, providers }
  const stopWatching = watchStalls((span) => disturbances.note("stall", null, span))
  onEnd(async () => stopWatching())
  const lateness = watchLateness(postgres, disturbances, processes, flooding.id)
  const stopMillis: Array<number> = []
  const target: Target = {
    servers,
    postgres,
    client,
    providers: providers.proxies,
    providerTimeoutMillis: PROVIDER_TIMEOUT_MILLIS,
    hangFlooded: providers.hangFlooded,
    flood: makeFlood(world, flooding, seed),
    disturbances,
    leaseMillis: LEASE_MILLIS,
    problems,
    stopMillis
  }
  log(`${processes} processes serve ${CUSTOMERS} customers; ${users} users begin`)

  const load = startLoad(world, { seed, users, customers })
  const opened = now()
  await pause(seconds * WARM_UP * 1000)
  const first = {
    severity: "any",
    only,
    isLong,
    until: opened + seconds * FIRST_ACT * 1000,
    random: randomOf(seed, "faults", 1)
  } as const
  const struckAtFirst = await strikeUntil(target, first, log)
  await load.rest()
  const warm = await takeStock(servers, postgres, client)
  log("from here on, only faults that a process survives")
  load.resume()
  const second = {
    severity: "survivable",
    only,
    isLong,
    until: now() + seconds * (1 - FIRST_ACT) * 1000,
    random: randomOf(seed, "faults", 2)
  } as const
  const struck = struckAtFirst + (await strikeUntil(target, second, log))
  providers.calm()
  webhooks.calm()
  await load.stop()
  log(`calm after ${struck} faults and ${load.played()} scenarios`)

  const unrest = await untilNothingIsDue(postgres, 0)
  if (unrest !== null) problems.push(unrest)
  const late = await lateness.stop()
  const settled = await takeStock(servers, postgres, client)
  log("at rest; from here on with clocks that are ahead")
  problems.push(...(await comeToTheEnd(servers, postgres)))
  for (const { index, stalls } of servers) {
    for (const span of stalls()) disturbances.note("stall", index, span)
  }
  return {
    records: await readRecords(postgres),
    journal,
    arrivals: providers.arrivals,
    webhooks,
    disturbances,
    lateness: late,
    warm,
    settled,
    leaseMillis: LEASE_MILLIS,
    flooding: flooding.id,
    stopMillis,
    problems
  }
}

const makeDirectory = () => {
  const made = mkdtempSync(join(tmpdir(), "peyk-soak-"))
  // PostgreSQL does not run as root, and has to get there
  chmodSync(made, 0o755)
  return made
}

const program = Effect.gen(function* () {
  const directory = makeDirectory()
  const stops: Array<() => Promise<unknown>> = []
  const stopAll = Effect.promise(async () => {
    for (const stop of stops.toReversed()) await stop().catch((error) => log(`not stopped: ${error}`))
  })
  yield* Effect.addFinalizer(() => stopAll)
  log(
    `seed ${seed}, ${seconds} s, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, lease ${LEASE_MILLIS} ms`
  )
  const providers = yield* startProviders(seed)
  const webhooks = yield* startWebhookReceiver(seed)
  const stage: Stage = { directory, providers, webhooks, onEnd: (stop) => void stops.push(stop) }
  const evidence = yield* Effect.promise(() => perform(stage))
  const found = findings(evidence)
  const broken = found.filter((each) => each.broken.length > 0)
  process.stdout.write(`\n${found.map(show).join("\n\n")}\n\n`)
  log(
    broken.length === 0
      ? "every invariant was held"
      : `${broken.length} invariants are broken: --seed ${seed}`
  )
  if (broken.length > 0) process.exitCode = 1
  yield* stopAll
  stops.length = 0
  if (broken.length === 0) rmSync(directory, { recursive: true, force: true })
  else log(`what the processes said is in ${directory}`)
})

NodeRuntime.runMain(Effect.scoped(program))
