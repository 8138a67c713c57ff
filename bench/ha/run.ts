/**
 * The soak against a cluster that fails over: three PostgreSQL under Patroni behind HAProxy (`npm run ha`), or against
 * one whose nodes fail: a coordinator and two workers of Citus (`npm run ha -- --citus`). What has to be installed, the
 * faults and the figures: bench/README.md.
 */
import { randomBytes } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import { readFlags } from "../Flags.ts"
import type { Evidence } from "../soak/Evidence.ts"
import { log, runProgram, type Surroundings } from "../soak/Program.ts"
import { beginSession, leaseFor } from "../soak/Session.ts"
import { startCitus, whyNoCitus } from "./CitusCluster.ts"
import { citusFaults, type CitusRecovery, killPrimaryOfWorker, strikeAndServe } from "./CitusFaults.ts"
import { startCluster } from "./Cluster.ts"
import { faults } from "./Faults.ts"
import { BIN_DIRECTORY, whyNoCluster } from "./Packages.ts"
import { type Recovery, strikeAndRecover, watchPrimary } from "./Recovery.ts"

const options = readFlags({
  /** How processes reach the primary: through HAProxy, or with all members in their `DATABASE_URL`. */
  through: { type: "string", default: "haproxy" },
  citus: { type: "boolean", default: false },
  /** With --citus: the second worker is three PostgreSQL under Patroni, and its primary is killed. */
  patroni: { type: "boolean", default: false },
  /** With --citus: the programs of a PostgreSQL that has it. */
  bin: { type: "string", default: BIN_DIRECTORY },
  processes: { type: "string", default: "2" },
  users: { type: "string", default: "8" },
  faults: { type: "string", default: "" },
  apart: { type: "string", default: "2000" },
  seed: { type: "string", default: randomBytes(4).toString("hex") }
})
const { seed, through } = options
const only = options.faults.split(",").filter((word) => word !== "")
const isChosen = ({ name }: { readonly name: string }) =>
  only.length === 0 || only.some((word) => name.includes(word))
const chosen = faults.filter(isChosen)
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

const tableOfCitus = (recoveries: ReadonlyArray<CitusRecovery>) =>
  [
    "| Fault | customers away | longest without a send of the others, s | all served again, s | all had sent after that, s |",
    "| --- | --- | --- | --- | --- |",
    ...recoveries.map(
      ({ name, away, others, served, sent }) =>
        `| ${[name, away, others === null ? "–" : inSeconds(others), inSeconds(served), inSeconds(sent)].join(" | ")} |`
    )
  ].join("\n")

const performOnCitus = async (surroundings: Surroundings): Promise<Evidence> => {
  const { directory, onEnd } = surroundings
  const cluster = await startCitus(options.bin, directory, onEnd, options.patroni)
  log("the cluster is there")
  const session = await beginSession(
    {
      seed,
      processes: Number(options.processes),
      users: Number(options.users),
      apartMillis,
      store: cluster.store,
      databaseUrl: () => cluster.url,
      storePorts: [cluster.coordinator.port]
    },
    surroundings
  )
  await pause(WARM_UP_MILLIS)
  const warm = await session.rest()
  session.load.resume()
  const recoveries: Array<CitusRecovery> = []
  const chosenOnCitus = options.patroni ? [killPrimaryOfWorker] : citusFaults.filter(isChosen)
  for (const fault of chosenOnCitus) {
    await pause(BETWEEN_MILLIS)
    const recovery = await strikeAndServe(fault, cluster, session)
    recoveries.push(recovery)
    log(`${fault.name}: all served again after ${inSeconds(recovery.served)} s`)
  }
  await pause(BETWEEN_MILLIS)
  const evidence = await session.finish(warm)
  process.stdout.write(`\n${tableOfCitus(recoveries)}\n`)
  process.stdout.write(`the longest wait for a 503: ${inSeconds(session.journal.longestRefusal)} s\n`)
  return evidence
}

const why =
  (options.citus ? whyNoCitus(options.bin) : null) ??
  (options.patroni || !options.citus ? whyNoCluster() : null)
if (why === null) {
  runProgram({
    name: "peyk-ha",
    seed,
    settings: `${options.citus ? "on Citus" : `through ${through}`}, lease ${leaseFor(apartMillis)} ms`,
    perform: options.citus ? performOnCitus : perform
  })
} else process.stdout.write(`left out: ${why}\n`)
