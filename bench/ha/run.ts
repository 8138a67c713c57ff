/**
 * The soak against a cluster that fails over: three PostgreSQL under Patroni behind HAProxy. `npm run ha`.
 * What has to be installed, the faults and the figures: bench/README.md.
 */
import { randomBytes } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import { readFlags } from "../Flags.ts"
import type { Evidence } from "../soak/Evidence.ts"
import { log, runProgram, type Surroundings } from "../soak/Program.ts"
import { beginSession, leaseFor } from "../soak/Session.ts"
import { startCluster } from "./Cluster.ts"
import { faults } from "./Faults.ts"
import { whyNoCluster } from "./Packages.ts"
import { type Recovery, strikeAndRecover, watchPrimary } from "./Recovery.ts"

const options = readFlags({
  /** How processes reach the primary: through HAProxy, or with all members in their `DATABASE_URL`. */
  through: { type: "string", default: "haproxy" },
  processes: { type: "string", default: "2" },
  users: { type: "string", default: "8" },
  faults: { type: "string", default: "" },
  apart: { type: "string", default: "2000" },
  seed: { type: "string", default: randomBytes(4).toString("hex") }
})
const { seed, through } = options
const only = options.faults.split(",").filter((word) => word !== "")
const chosen = faults.filter(({ name }) => only.length === 0 || only.some((word) => name.includes(word)))
const apartMillis = Number(options.apart)
const WARM_UP_MILLIS = 8000
const BETWEEN_MILLIS = 3000

const inSeconds = (millis: number) => (millis / 1000).toFixed(1)

const table = (recoveries: ReadonlyArray<Recovery>) =>
  [
    "| Fault | able again, s | first send after that, s | longest without a send, s | cluster whole, s |",
    "| --- | --- | --- | --- | --- |",
    ...recoveries.map(
      ({ name, able, first, without, whole }) =>
        `| ${[name, ...[able, first, without, whole].map(inSeconds)].join(" | ")} |`
    )
  ].join("\n")

const perform = async (surroundings: Surroundings): Promise<Evidence> => {
  const { directory, onEnd } = surroundings
  const cluster = await startCluster(directory, onEnd)
  log("the cluster is whole")
  const memberPorts = cluster.members.map(({ port }) => port)
  const ports = through === "hosts" ? memberPorts : [cluster.haproxyPort]
  const url = cluster.urlOf(...ports)
  const databaseUrl = through === "hosts" ? `${url}?target_session_attrs=read-write` : url
  const session = await beginSession(
    {
      seed,
      processes: Number(options.processes),
      users: Number(options.users),
      apartMillis,
      store: cluster.store,
      databaseUrl: () => databaseUrl,
      storePorts: ports
    },
    surroundings
  )
  const watch = watchPrimary(cluster)
  onEnd(watch.stop)
  await pause(WARM_UP_MILLIS)
  const warm = await session.rest()
  session.load.resume()
  const recoveries: Array<Recovery> = []
  for (const fault of chosen) {
    await pause(BETWEEN_MILLIS)
    const { done, ...recovery } = await strikeAndRecover(fault, cluster, session, watch)
    recoveries.push(recovery)
    log(
      `${fault.name}: ${done}; able again after ${inSeconds(recovery.able)} s, first send ${inSeconds(recovery.first)} s later`
    )
  }
  await pause(BETWEEN_MILLIS)
  const evidence = await session.finish(warm)
  process.stdout.write(`\n${table(recoveries)}\n`)
  process.stdout.write(`the longest wait for a 503: ${inSeconds(session.journal.longestRefusal)} s\n`)
  return evidence
}

const why = whyNoCluster()
if (why === null) {
  runProgram({
    name: "peyk-ha",
    seed,
    settings: `through ${through}, lease ${leaseFor(apartMillis)} ms`,
    perform
  })
} else process.stdout.write(`left out: ${why}\n`)
