/** The faults of a Citus cluster, and how long sends did not work in each, for whom. */
import { setTimeout as pause } from "node:timers/promises"
import type { Customer } from "../soak/Customers.ts"
import type { Accepted } from "../soak/Journal.ts"
import type { Session } from "../soak/Session.ts"
import { now } from "../soak/Time.ts"
import { type CitusCluster, type CitusWorker, LOOPBACK } from "./CitusCluster.ts"
import { until } from "./Programs.ts"
import { ALLOWED_MILLIS } from "./Recovery.ts"

export interface CitusFault {
  readonly name: string
  /** The worker that nobody will reach; null: the coordinator. */
  readonly workerOf: (cluster: CitusCluster) => CitusWorker | null
  /** Returns what mends it. */
  readonly strike: (cluster: CitusCluster) => Promise<() => Promise<void>>
  /** All are served again before it is mended: the worker is one of three, and another one takes its place. */
  readonly healsItself?: true
}

/** Longer than a statement and a request may take. */
const AWAY_MILLIS = 12_000
const PATIENCE_MILLIS = 60_000
/** From the loss of a primary until another one has a standby: the `ttl` of its lock, and a promotion. */
const HEALING_MILLIS = 15_000
/** The longest time without a send of customers whose cells are on other nodes. */
const OTHERS_MILLIS = 5000

const workerAt = ({ workers }: CitusCluster, index: number): CitusWorker => {
  const worker = workers[index]
  if (worker === undefined) throw new Error(`there is no worker ${index}`)
  return worker
}

const killWorker = (index: number): CitusFault => ({
  name: `kill -9 of the ${index === 0 ? "first" : "second"} worker`,
  workerOf: (cluster) => workerAt(cluster, index),
  strike: async (cluster) => {
    const { kill, start } = workerAt(cluster, index)
    await kill()
    return start
  }
})

export const killPrimaryOfWorker: CitusFault = {
  ...killWorker(1),
  name: "kill -9 of the second worker's primary and its Patroni",
  healsItself: true
}

const killCoordinator: CitusFault = {
  name: "kill -9 of the coordinator",
  workerOf: () => null,
  strike: async ({ coordinator: { kill, start } }) => {
    await kill()
    return start
  }
}

/** Connections are silent meanwhile, and then break off: nobody answers what was lost. */
const cutNetwork: CitusFault = {
  name: "the network cut between the coordinator and a worker",
  workerOf: (cluster) => workerAt(cluster, 0),
  strike: async (cluster) => {
    const { proxy, port } = workerAt(cluster, 0)
    proxy.sever(true)
    return async () => {
      proxy.sever(false)
      proxy.retarget({ host: LOOPBACK, port })
    }
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
  /** From the end of the fault (or its begin, if it heals itself) until each process served each that was away. */
  readonly served: number
  /** From then until users had sent for each of them in each process: by chance, they are few. */
  readonly sent: number
}

const longestGap = (sends: ReadonlyArray<Accepted>, from: number, to: number): number => {
  const times = sends.map(({ at }) => at).filter((at) => at >= from && at <= to)
  const edges = [from, ...times.toSorted((a, b) => a - b), to]
  return Math.max(...edges.slice(1).map((at, index) => at - (edges[index] ?? at)))
}

const NOBODY = "00000000-0000-4000-8000-000000000000"

/** Until each process reads from the cell of each of these customers. */
const untilServed = ({ servers, client }: Session, keys: ReadonlyArray<string>): Promise<unknown> =>
  Promise.all(
    servers.flatMap(({ index }) =>
      keys.map((key) =>
        until("a response to each customer", PATIENCE_MILLIS, async () => {
          const call = { operation: "GET /v1/otp/{verification_id}", id: NOBODY, key } as const
          const outcome = await client.call(index, call)
          return outcome._tag === "Reply" && outcome.status === 404
        })
      )
    )
  )

/** When the last of the processes had accepted a send of each of these keys; infinite: not yet. */
const allSentAt = ({ servers, journal }: Session, keys: ReadonlyArray<string>, since: number): number =>
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

/** The customers that nobody reaches without this worker, or without the coordinator, and all others. */
const divide = async (
  { workers, customersOn }: CitusCluster,
  customers: ReadonlyArray<Customer>,
  struck: CitusWorker | null
) => {
  const ids = (await Promise.all(workers.map(customersOn))).map((own) => new Set(own))
  const isAway = ({ id }: Customer) =>
    workers.some((worker, index) => (struck === null || struck === worker) && ids[index]?.has(id))
  return { away: customers.filter(isAway), others: customers.filter((each) => !isAway(each)) }
}

/** Without some customers for a while; the longest time without a send of the others, who have users of their own. */
const whileAway = async ({ addUsers, journal }: Session, others: ReadonlyArray<Customer>) => {
  const from = now()
  const users = others.length === 0 ? null : addUsers(others)
  await pause(AWAY_MILLIS)
  const to = now()
  await users?.stop()
  const keys = new Set(others.map(({ key }) => key))
  const sends = journal.accepted.filter(({ key }) => keys.has(key))
  return users === null ? null : longestGap(sends, from, to)
}

/** Strikes, and waits until all customers can send again. */
export const strikeAndServe = async (
  fault: CitusFault,
  cluster: CitusCluster,
  session: Session
): Promise<CitusRecovery> => {
  const { customers, disturbances, problems } = session
  const struck = fault.workerOf(cluster)
  const { away, others } = await divide(cluster, customers, struck)
  const end = disturbances.begin("store", null)
  const keys = away.map(({ key }) => key)
  const servedAgain = () => untilServed(session, keys).then(now)
  const struckAt = now()
  const mend = await fault.strike(cluster)
  const healing = fault.healsItself === true ? servedAgain() : null
  const withoutOthers = await whileAway(session, others)
  const healedAt = await healing
  await mend()
  const mendedAt = healedAt === null ? now() : struckAt
  const served = (healedAt ?? (await servedAgain())) - mendedAt
  await until("a send of each customer in each process", PATIENCE_MILLIS, async () =>
    Number.isFinite(allSentAt(session, keys, mendedAt))
  )
  end()
  const problem = (text: string, millis: number) =>
    problems.push(`${fault.name}: ${text} ${Math.round(millis)} ms`)
  const allowed = ALLOWED_MILLIS + (healedAt === null ? 0 : HEALING_MILLIS)
  if (served > allowed) problem("not all were served after", served)
  if (withoutOthers !== null && withoutOthers > OTHERS_MILLIS)
    problem("no other customer could send for", withoutOthers)
  const sent = Math.max(0, allSentAt(session, keys, mendedAt) - mendedAt - served)
  return { name: fault.name, away: away.length, others: withoutOthers, served, sent }
}
