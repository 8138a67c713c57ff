// @effect-diagnostics processEnv:off
/** The part of a soak that does not depend on its faults: processes, customers, load, and the evidence in the end. */
import { randomBytes } from "node:crypto"
import { makeBackend } from "./Backend.ts"
import { type Client, makeClient } from "./Client.ts"
import { type Customer, makeCustomers } from "./Customers.ts"
import { Disturbances } from "./Disturbances.ts"
import type { Evidence } from "./Evidence.ts"
import { type Flood, makeFlood } from "./Flood.ts"
import { Journal } from "./Journal.ts"
import { watchLateness } from "./Lateness.ts"
import { type Holdings, takeStock } from "./Leaks.ts"
import { type Load, phoneOf, startLoad } from "./Load.ts"
import { log, type Surroundings } from "./Program.ts"
import { PROVIDER_TIMEOUT_MILLIS, type Providers } from "./Providers.ts"
import { readRecords } from "./Records.ts"
import { makeServer, type Server } from "./Servers.ts"
import { comeToTheEnd, untilNothingIsDue } from "./Settling.ts"
import { watchStalls } from "./Stalls.ts"
import type { StoreQueries } from "./StoreQueries.ts"
import { freePort } from "../FreePort.ts"

export interface SessionOptions {
  readonly seed: string
  readonly processes: number
  readonly users: number
  /** How far the clock of every second process is ahead. */
  readonly apartMillis: number
  readonly store: StoreQueries
  /** The `DATABASE_URL` of each process. */
  readonly databaseUrl: (index: number) => string
  /** Ports of this machine at which processes reach the store; none: they use a socket. */
  readonly storePorts: ReadonlyArray<number>
}

export interface Session {
  readonly servers: ReadonlyArray<Server>
  /** Those of the load. */
  readonly customers: ReadonlyArray<Customer>
  readonly client: Client
  readonly journal: Journal
  readonly flood: Flood
  readonly load: Load
  /** Further users, of these customers alone: those of the load may all wait for others. They have to be stopped. */
  readonly addUsers: (customers: ReadonlyArray<Customer>) => Load
  readonly disturbances: Disturbances
  readonly leaseMillis: number
  /** Failures of the faults themselves, such as a process that did not stop in order. */
  readonly problems: Array<string>
  /** How long each orderly stop took. */
  readonly stopMillis: Array<number>
  /** Nothing new begins; returns what the processes hold then. */
  readonly rest: () => Promise<Holdings>
  /** Ends the load and all work; `warm` is what `rest` returned. */
  readonly finish: (warm: Holdings) => Promise<Evidence>
}

/** The lock that a frozen process's transaction holds lasts that long, and so does a statement that waits for it. */
export const STATEMENT_TIMEOUT_MILLIS = 1500
/**
 * A lease must last, and be renewed in time, although the clocks differ. It is not renewed while a statement of its own
 * holds the timer: a third of it, from one renewal to the next, is longer than that. With Peyk's defaults the two are
 * equally long. Here processes freeze all the time, and each step that comes again for it would hide one without cause.
 */
export const leaseFor = (apartMillis: number): number => 4 * STATEMENT_TIMEOUT_MILLIS + 2 * apartMillis
const CUSTOMERS = 3
const FURTHER_USERS = 4
/** The phones of further users begin there, so many for each group. */
const FURTHER_PHONES = 1_000_000
const PHONES_OF_GROUP = 10_000
/** The number of phones that the bot of eitaa's accounts can reach. Later phones are unreachable over it. */
const ACQUAINTED = 20_000

/** The environment without variables that would configure the program. */
const neutral = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined || name === "DATABASE_URL" || name.startsWith("PEYK_") ? [] : [[name, value]]
  )
)

const environment = (directory: string, providers: Providers, leaseMillis: number) => ({
  ...neutral,
  ...providers.urls,
  // A store that was migrated before has its secret already.
  PEYK_SECRET: process.env["PEYK_SECRET"] ?? randomBytes(32).toString("base64"),
  PEYK_DATA_DIR: directory,
  PEYK_ALLOW_PRIVATE_ADDRESSES: "true",
  PEYK_LEASE_MS: String(leaseMillis),
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

type Environment = Readonly<Record<string, string>>

const startServers = async (
  { processes, apartMillis, databaseUrl, storePorts }: SessionOptions,
  { directory, onEnd }: Surroundings,
  env: Environment,
  disturbances: Disturbances
) => {
  const servers: Array<Server> = []
  for (let index = 0; index < processes; index += 1) {
    const server = makeServer({
      index,
      port: await freePort(),
      directory,
      env: { ...env, DATABASE_URL: databaseUrl(index) },
      aheadMillis: index % 2 === 0 ? 0 : apartMillis,
      storePorts,
      disturbances
    })
    onEnd(server.destroy)
    servers.push(server)
  }
  await Promise.all(servers.map((server) => server.start()))
  return servers
}

export const beginSession = async (options: SessionOptions, surroundings: Surroundings): Promise<Session> => {
  const { seed, processes, users, store } = options
  const { directory, providers, webhooks, onEnd } = surroundings
  const leaseMillis = leaseFor(options.apartMillis)
  const env = environment(directory, providers, leaseMillis)
  const disturbances = new Disturbances()
  const servers = await startServers(options, surroundings, env, disturbances)
  const { ordinary: customers, flooding } = await makeCustomers({
    count: CUSTOMERS,
    env: { ...env, DATABASE_URL: options.databaseUrl(0) },
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
  const lateness = watchLateness(store, disturbances, processes, flooding.id)
  log(`${processes} processes serve ${CUSTOMERS} customers; ${users} users begin`)
  const load = startLoad(world, { seed, users, customers })
  let groups = 0
  const addUsers = (own: ReadonlyArray<Customer>): Load => {
    const firstPhone = FURTHER_PHONES + groups * PHONES_OF_GROUP
    groups += 1
    return startLoad(world, { seed, users: FURTHER_USERS, customers: own, firstPhone })
  }
  const problems: Array<string> = []
  const stopMillis: Array<number> = []

  const finish = async (warm: Holdings): Promise<Evidence> => {
    providers.calm()
    webhooks.calm()
    await load.stop()
    log(`calm after ${load.played()} scenarios`)
    const unrest = await untilNothingIsDue(store, 0)
    if (unrest !== null) problems.push(unrest)
    const late = await lateness.stop()
    const settled = await takeStock(servers, store, client)
    log("at rest; from here on with clocks that are ahead")
    problems.push(...(await comeToTheEnd(servers, store)))
    for (const { index, stalls } of servers) {
      for (const span of stalls()) disturbances.note("stall", index, span)
    }
    return {
      records: await readRecords(store),
      journal,
      arrivals: providers.arrivals,
      webhooks,
      disturbances,
      lateness: late,
      warm,
      settled,
      leaseMillis,
      flooding: flooding.id,
      stopMillis,
      problems
    }
  }

  return {
    servers,
    customers,
    client,
    journal,
    flood: makeFlood(world, flooding, seed),
    load,
    addUsers,
    disturbances,
    leaseMillis,
    problems,
    stopMillis,
    rest: async () => {
      await load.rest()
      return takeStock(servers, store, client)
    },
    finish
  }
}
