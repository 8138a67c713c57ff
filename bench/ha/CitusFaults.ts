/** The faults of a Citus cluster, and how long sends did not work in each, for whom. */
import { setTimeout as pause } from "node:timers/promises"
import type { Accepted } from "../soak/Journal.ts"
import type { Session } from "../soak/Session.ts"
import { now } from "../soak/Time.ts"
import { type CitusCluster, type CitusWorker, LOOPBACK } from "./CitusCluster.ts"
import { until } from "./Programs.ts"
import { ALLOWED_MILLIS } from "./Recovery.ts"

interface Struck {
  /** The worker that nobody reaches; null: the coordinator. */
  readonly worker: CitusWorker | null
  readonly mend: () => Promise<void>
}

export interface CitusFault {
  readonly name: string
  readonly strike: (cluster: CitusCluster) => Promise<Struck>
}

/** Longer than a statement and a request may take. */
const AWAY_MILLIS = 12_000
const PATIENCE_MILLIS = 60_000
/** The longest time without a send of customers whose cells are on other nodes. */
const OTHERS_MILLIS = 5000

const workerOf = ({ workers }: CitusCluster, index: number): CitusWorker => {
  const worker = workers[index]
  if (worker === undefined) throw new Error(`there is no worker ${index}`)
  return worker
}

const killWorker = (index: number): CitusFault => ({
  name: `kill -9 of the ${index === 0 ? "first" : "second"} worker`,
  strike: async (cluster) => {
    const worker = workerOf(cluster, index)
    await worker.kill()
    return { worker, mend: worker.start }
  }
})

const killCoordinator: CitusFault = {
  name: "kill -9 of the coordinator",
  strike: async ({ coordinator }) => {
    await coordinator.kill()
    return { worker: null, mend: coordinator.start }
  }
}

/** Connections are silent meanwhile, and then break off: nobody answers what was lost. */
const cutNetwork: CitusFault = {
  name: "the network cut between the coordinator and a worker",
  strike: async (cluster) => {
    const worker = workerOf(cluster, 0)
    const { proxy, port } = worker
    proxy.sever(true)
    const mend = async () => {
      proxy.sever(false)
      proxy.retarget({ host: LOOPBACK, port })
    }
    return { worker, mend }
  }
}

export const citusFaults: ReadonlyArray<CitusFault> = [
  killWorker(1),
  cutNetwork,
  killCoordinator,
  killWorker(0)
]

export interface CitusRecovery {
  readonly name: string
  /** The customers whose cells were not reached. */
  readonly away: number
  /** The longest time without a send of all others; null: there are none. */
  readonly others: number | null
  /** From the end of the fault until each process had accepted a send of each customer that was away. */
  readonly first: number
}

const longestGap = (sends: ReadonlyArray<Accepted>, from: number, to: number): number => {
  const times = sends.map(({ at }) => at).filter((at) => at >= from && at <= to)
  const edges = [from, ...times.toSorted((a, b) => a - b), to]
  return Math.max(...edges.slice(1).map((at, index) => at - (edges[index] ?? at)))
}

/** When the last of the processes had accepted a send of each of these keys; infinite: not yet. */
const allServedAt = ({ servers, journal }: Session, keys: ReadonlyArray<string>, since: number): number =>
  Math.max(
    since,
    ...servers.flatMap(({ index }) =>
      keys.map(
        (key) =>
          journal.accepted.find((each) => each.server === index && each.key === key && each.at >= since)
            ?.at ?? Number.POSITIVE_INFINITY
      )
    )
  )

/** Strikes, and waits until all customers can send again. */
export const strikeAndServe = async (
  fault: CitusFault,
  cluster: CitusCluster,
  session: Session
): Promise<CitusRecovery> => {
  const { customers, disturbances, journal, problems } = session
  const placed = await Promise.all(
    cluster.workers.map(async (worker) => ({ worker, ids: await cluster.customersOn(worker) }))
  )
  const struckAt = now()
  const end = disturbances.begin("store", null)
  const { worker, mend } = await fault.strike(cluster)
  await pause(AWAY_MILLIS)
  const ids = placed.flatMap((each) => (worker === null || each.worker === worker ? each.ids : []))
  const away = customers.filter(({ id }) => ids.includes(id)).map(({ key }) => key)
  const sendsOfOthers = journal.accepted.filter(({ key }) => !away.includes(key))
  const others = away.length === customers.length ? null : longestGap(sendsOfOthers, struckAt, now())
  await mend()
  const mendedAt = now()
  await until("a send of each customer in each process", PATIENCE_MILLIS, async () =>
    Number.isFinite(allServedAt(session, away, mendedAt))
  )
  end()
  const first = allServedAt(session, away, mendedAt) - mendedAt
  if (first > ALLOWED_MILLIS) problems.push(`${fault.name}: the last first send took ${Math.round(first)} ms`)
  if (others !== null && others > OTHERS_MILLIS) {
    problems.push(`${fault.name}: no other customer could send for ${Math.round(others)} ms`)
  }
  return { name: fault.name, away: away.length, others, first }
}
