/** Faults of PostgreSQL, and of the connections to it. */
import { setTimeout as pause } from "node:timers/promises"
import type { Fault, Target } from "./Faults.ts"
import type { Postgres } from "./Postgres.ts"
import type { Hush } from "./Proxy.ts"
import { now } from "./Time.ts"

/** With a PostgreSQL that the soak has started. */
interface OwnStoreTarget extends Target {
  readonly postgres: Postgres
}
type StoreFault = Fault<OwnStoreTarget>

/** From when new connections work, which they always do here. */
const WELL_AGAIN_MILLIS = 15_000

/** A fault of the store lasts until every process is ready again, which must be soon after it was mended. */
const untilWell = async ({ servers, problems }: Target, after: string): Promise<void> => {
  const areWell = await Promise.all(servers.map((server) => server.untilReady(WELL_AGAIN_MILLIS)))
  if (areWell.includes(false)) {
    problems.push(`a server was not ready ${WELL_AGAIN_MILLIS} ms after ${after}`)
  }
}

const restartStore =
  (mode: "fast" | "immediate"): StoreFault["strike"] =>
  async (target) => {
    const end = target.disturbances.begin("store", null)
    const from = now()
    await target.postgres.restart(mode)
    const backAt = now()
    await untilWell(target, `PostgreSQL was restarted (${mode})`)
    end()
    return `away for ${Math.round(backAt - from)} ms, all ready ${Math.round(now() - backAt)} ms later`
  }

const cutStore: StoreFault = {
  name: "connections to PostgreSQL terminated",
  strike: async (target, random) => {
    const end = target.disturbances.begin("cut", null)
    const cut = await target.postgres.cutConnections(random.pick([0.3, 0.7, 1]))
    await untilWell(target, "its connections were terminated")
    end()
    return `${cut} of them`
  }
}

/** Then it has given up every connection that says nothing. */
const GIVEN_UP_MILLIS = 20_000

const hushStore =
  (how: Hush): Fault["strike"] =>
  async ({ servers, disturbances, problems }, random) => {
    const server = random.pick(servers)
    const end = disturbances.begin("silence", server.index)
    const from = now()
    const hushed = server.store.hush(how)
    await pause(1000)
    const isWell = await server.untilReady(WELL_AGAIN_MILLIS)
    if (!isWell) problems.push(`server ${server.index} was not ready ${WELL_AGAIN_MILLIS} ms after a silence`)
    while (server.store.hushed() > 0 && now() < from + GIVEN_UP_MILLIS) await pause(100)
    end()
    return `${hushed} of server ${server.index}, ${server.store.hushed()} left after ${Math.round(now() - from)} ms`
  }

/** All connections of all processes fall silent at once, and new ones as well, until the pooler works again. */
const hangPooler: Fault = {
  name: "the pooler in front of PostgreSQL hangs",
  strike: async (target, random) => {
    const { servers, disturbances } = target
    const end = disturbances.begin("store", null)
    const millis = random.between(500, 4000)
    for (const { store } of servers) store.sever(true)
    await pause(millis)
    for (const { store } of servers) store.sever(false)
    const mendedAt = now()
    await untilWell(target, "a pooler that hung worked again")
    const readyAfter = now() - mendedAt
    const silent = () => servers.reduce((sum, { store }) => sum + store.hushed(), 0)
    while (silent() > 0 && now() < mendedAt + GIVEN_UP_MILLIS) await pause(100)
    end()
    return `for ${millis} ms, all ready ${Math.round(readyAfter)} ms later, ${silent()} connections left after ${Math.round(now() - mendedAt)} ms`
  }
}

const delayStore: Fault = {
  name: "connections to PostgreSQL slow",
  strike: async ({ servers, disturbances }, random) => {
    const server = random.pick(servers)
    const millis = random.between(20, 150)
    const end = disturbances.begin("silence", server.index)
    server.store.delay(millis)
    await pause(random.between(1500, 3000))
    server.store.delay(0)
    await pause(2 * millis)
    end()
    return `of server ${server.index}, by ${millis} ms each way`
  }
}

/** The store is there, and cannot do what it is asked for; then it can again. */
const storeTrouble =
  (
    begin: (postgres: Postgres) => Promise<void>,
    finish: (postgres: Postgres) => Promise<void>
  ): StoreFault["strike"] =>
  async (target, random) => {
    const end = target.disturbances.begin("store", null)
    const millis = random.between(1000, 3000)
    await begin(target.postgres)
    await pause(millis)
    await finish(target.postgres)
    await untilWell(target, "PostgreSQL could work again")
    end()
    return `for ${millis} ms`
  }

const lockTable: StoreFault = {
  name: "a table locked",
  strike: async (target, random) => {
    const end = target.disturbances.begin("store", null)
    const table = random.pick(["timers", "verifications", "messages", "wallets"])
    const millis = random.between(1000, 3000)
    await target.postgres.lockTable(table, millis)
    await untilWell(target, "a table was locked")
    end()
    return `${table} for ${millis} ms`
  }
}

/** Processes meet a store that is gone, then one that takes no writes, then one that has all that was committed. */
const promoteStandby: StoreFault = {
  name: "a standby promoted",
  isLong: true,
  strike: async (target) => {
    const { servers, postgres, disturbances } = target
    let end = () => {}
    const done = await postgres.promoteStandby((path) => {
      end = disturbances.begin("store", null)
      for (const { store } of servers) store.retarget({ path })
    })
    await untilWell(target, "a standby was promoted")
    end()
    return done
  }
}

/** Faults of what is between a process and PostgreSQL. */
export const connectionFaults: ReadonlyArray<Fault> = [
  { name: "connections to PostgreSQL silent", strike: hushStore("silent") },
  { name: "connections to PostgreSQL half open", strike: hushStore("half open") },
  hangPooler,
  delayStore
]

/** Faults of PostgreSQL itself, which a process survives. */
export const storeFaults: ReadonlyArray<StoreFault> = [
  { name: "PostgreSQL restarted, fast", strike: restartStore("fast") },
  { name: "PostgreSQL restarted, immediate", strike: restartStore("immediate") },
  cutStore,
  {
    name: "the disk full",
    strike: storeTrouble(
      ({ fillDisk }) => fillDisk(true),
      ({ fillDisk }) => fillDisk(false)
    )
  },
  {
    name: "PostgreSQL read-only",
    strike: storeTrouble(
      ({ setReadOnly }) => setReadOnly(true),
      ({ setReadOnly }) => setReadOnly(false)
    )
  },
  lockTable,
  promoteStandby
]
