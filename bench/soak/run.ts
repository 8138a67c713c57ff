/**
 * Several processes under load and under attack, and what has to hold afterwards. `npm run soak -- --seconds 180 --seed x`.
 * The faults and the checks: bench/README.md.
 */
import { randomBytes } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import { readFlags } from "../Flags.ts"
import type { Evidence } from "./Evidence.ts"
import { strikeUntil, type Target } from "./Faults.ts"
import { log, runProgram, type Surroundings } from "./Program.ts"
import { PROVIDER_TIMEOUT_MILLIS } from "./Providers.ts"
import { randomOf } from "./Random.ts"
import { beginSession, leaseFor } from "./Session.ts"
import { joinStore, startOwnStore } from "./SharedStore.ts"
import { now } from "./Time.ts"

const options = readFlags({
  seconds: { type: "string", default: "180" },
  processes: { type: "string", default: "2" },
  users: { type: "string", default: "16" },
  faults: { type: "string", default: "" },
  apart: { type: "string", default: "2000" },
  /** An empty database of a PostgreSQL that runs already; absent: the soak starts one. */
  "database-url": { type: "string" },
  seed: { type: "string", default: randomBytes(4).toString("hex") }
})
const seconds = Number(options.seconds)
const processes = Number(options.processes)
const { seed } = options

const only = options.faults.split(",").filter((word) => word !== "")
const apartMillis = Number(options.apart)

/** A run of this many seconds has time for faults that take long. */
const LONG_SECONDS = 120
const isLong = seconds >= LONG_SECONDS
/** The share of the time with all faults; after it, only faults that a process survives. */
const FIRST_ACT = 0.6
const WARM_UP = 1 / 12

const perform = async (surroundings: Surroundings): Promise<Evidence> => {
  const { providers } = surroundings
  const databaseUrl = options["database-url"]
  const { queries, postgres, proxies, urlAt, ports } =
    databaseUrl === undefined
      ? await startOwnStore(processes, surroundings)
      : await joinStore(databaseUrl, processes, surroundings)
  const session = await beginSession(
    {
      seed,
      processes,
      users: Number(options.users),
      apartMillis,
      store: queries,
      databaseUrl: (index) => {
        const proxy = proxies[index]
        if (proxy === undefined) throw new Error(`process ${index} has no way to the store`)
        return urlAt(proxy)
      },
      storePorts: ports
    },
    surroundings
  )
  const target: Target = {
    ...session,
    servers: proxies.flatMap((store, index) => {
      const server = session.servers[index]
      return server === undefined ? [] : [{ ...server, store }]
    }),
    postgres,
    providers: providers.proxies,
    providerTimeoutMillis: PROVIDER_TIMEOUT_MILLIS,
    hangFlooded: providers.hangFlooded
  }
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
  const warm = await session.rest()
  log("from here on, only faults that a process survives")
  session.load.resume()
  const second = {
    severity: "survivable",
    only,
    isLong,
    until: now() + seconds * (1 - FIRST_ACT) * 1000,
    random: randomOf(seed, "faults", 2)
  } as const
  const struck = struckAtFirst + (await strikeUntil(target, second, log))
  log(`${struck} faults`)
  return session.finish(warm)
}

runProgram({
  name: "peyk-soak",
  seed,
  settings: `${seconds} s, lease ${leaseFor(apartMillis)} ms`,
  perform
})
