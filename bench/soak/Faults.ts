/** Faults injected into the running system, one after the other, in an order that the seed decides. */
import { setTimeout as pause } from "node:timers/promises"
import type { Client } from "./Client.ts"
import type { Disturbances } from "./Disturbances.ts"
import type { Postgres } from "./Postgres.ts"
import type { Flood } from "./Flood.ts"
import type { Hush, Proxy } from "./Proxy.ts"
import type { Random } from "./Random.ts"
import type { Server } from "./Servers.ts"
import { now } from "./Time.ts"
import { openUnreadClients, readFigures } from "./UnreadClients.ts"

export interface Target {
  /** Each with the proxy between it and PostgreSQL. */
  readonly servers: ReadonlyArray<Server & { readonly store: Proxy }>
  /** Null: it is not the soak's to restart. */
  readonly postgres: Postgres | null
  readonly client: Client
  /** Between the processes and the providers. */
  readonly providers: ReadonlyArray<Proxy>
  readonly providerTimeoutMillis: number
  readonly hangFlooded: (hangs: boolean) => void
  readonly flood: Flood
  readonly disturbances: Disturbances
  readonly leaseMillis: number
  /** Failures of the faults themselves, such as a process that did not stop in order. */
  readonly problems: Array<string>
  /** How long each orderly stop took. */
  readonly stopMillis: Array<number>
}

interface Fault<Victim = Target> {
  readonly name: string
  /** Gives in a few words what was done. */
  readonly strike: (target: Victim, random: Random) => Promise<string>
  /** Takes so long that a short run leaves it out, unless it is asked for. */
  readonly isLong?: true
}

/** With a PostgreSQL that the soak has started. */
interface OwnStoreTarget extends Target {
  readonly postgres: Postgres
}
type StoreFault = Fault<OwnStoreTarget>

/** Longer than a lease, so that others take over what it was doing. */
const freezeMillis = ({ leaseMillis }: Target, random: Random) => leaseMillis + random.between(500, 2500)

const kill: Fault = {
  name: "kill -9",
  strike: async ({ servers }, random) => {
    const server = random.pick(servers)
    await server.killFor(random.between(0, 2500))
    return `server ${server.index}`
  }
}

const killAll: Fault = {
  name: "kill -9 of all",
  strike: async ({ servers }, random) => {
    const away = random.between(0, 1500)
    await Promise.all(servers.map((server) => server.killFor(away)))
    return `for ${away} ms`
  }
}

const freeze: Fault = {
  name: "stop and continue",
  strike: async (target, random) => {
    const server = random.pick(target.servers)
    const millis = freezeMillis(target, random)
    await server.freezeFor(millis)
    return `server ${server.index} for ${millis} ms`
  }
}

/** Its statements are under way when it stops: what it does next, it does under leases that have run out. */
const freezeWhileSlow: Fault = {
  name: "slow statements, then stop and continue",
  strike: async (target, random) => {
    const server = random.pick(target.servers)
    const millis = freezeMillis(target, random)
    const end = target.disturbances.begin("silence", server.index)
    server.store.delay(random.between(100, 300))
    await pause(1000)
    await server.freezeFor(millis)
    server.store.delay(0)
    await pause(1000)
    end()
    return `server ${server.index} for ${millis} ms`
  }
}

const freezeAndKill: Fault = {
  name: "stop one, kill -9 another",
  strike: async (target, random) => {
    const [first, second] = random.shuffled(target.servers)
    const millis = freezeMillis(target, random)
    const away = random.between(0, 1500)
    await Promise.all([first?.freezeFor(millis), second?.killFor(away)])
    return `servers ${first?.index} for ${millis} ms, ${second?.index}`
  }
}

const roll: Fault = {
  name: "rolling restart",
  strike: async (target) => {
    const { servers, problems } = target
    const lines: Array<string> = []
    for (const server of servers) {
      const { problem, stopMillis, startMillis } = await server.roll()
      if (problem !== null) problems.push(problem)
      target.stopMillis.push(stopMillis)
      lines.push(
        `server ${server.index} stopped in ${stopMillis.toFixed(0)} ms, started in ${startMillis.toFixed(0)} ms`
      )
    }
    return lines.join("; ")
  }
}

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

const hushProviders =
  (how: Hush): Fault["strike"] =>
  async ({ providers, disturbances, providerTimeoutMillis }) => {
    const end = disturbances.begin("far end", null)
    const hushed = providers.map(({ hush }) => hush(how)).reduce((sum, each) => sum + each, 0)
    await pause(2 * providerTimeoutMillis)
    end()
    return `${hushed} of them`
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

const cutClients: Fault = {
  name: "connections of clients cut",
  strike: async ({ client }, random) => {
    let cut = 0
    for (let nth = 0; nth < 10; nth += 1) {
      cut += client.cut(random, 0.4)
      await pause(random.between(10, 200))
    }
    return `${cut} requests`
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

const FLOOD_MESSAGES = 400
/** Calls then wait for the provider, and messages for their calls. */
const HANG_MILLIS = 6000

const flood: Fault = {
  name: "one customer floods a hanging provider",
  strike: async ({ flood: send, hangFlooded, disturbances }) => {
    const end = disturbances.begin("flood", null)
    const from = now()
    hangFlooded(true)
    const answers = await send(FLOOD_MESSAGES)
    const answeredIn = now() - from
    await pause(HANG_MILLIS)
    hangFlooded(false)
    end()
    return `messages answered in ${Math.round(answeredIn)} ms: ${answers}`
  }
}

const UNREAD_CLIENTS = 200
const UNREAD_MILLIS = 4000

const unread: Fault = {
  name: "clients that do not read",
  strike: async ({ servers, disturbances, problems }, random) => {
    const { index, url, port } = random.pick(servers)
    const before = await readFigures(url)
    const end = disturbances.begin("unread", index)
    const close = await openUnreadClients(port, UNREAD_CLIENTS)
    await pause(UNREAD_MILLIS)
    const after = await readFigures(url)
    close()
    end()
    const refused = after.refused - before.refused
    if (refused > 0) {
      problems.push(`server ${index} refused ${refused} requests of others while clients did not read`)
    }
    const megabytes = (after.unsent / 1e6).toFixed(1)
    return `${UNREAD_CLIENTS} at server ${index}, ${megabytes} MB unread, ${refused} requests refused`
  }
}

/** Faults that a process survives. */
const survivable: ReadonlyArray<Fault> = [
  freeze,
  freezeWhileSlow,
  cutClients,
  { name: "connections to PostgreSQL silent", strike: hushStore("silent") },
  { name: "connections to PostgreSQL half open", strike: hushStore("half open") },
  hangPooler,
  delayStore,
  { name: "connections to providers silent", strike: hushProviders("silent") },
  { name: "connections to providers half open", strike: hushProviders("half open") },
  flood,
  unread
]
/** The same, of PostgreSQL itself. */
const ofStore: ReadonlyArray<StoreFault> = [
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
const deadly: ReadonlyArray<Fault> = [kill, roll, kill, freezeAndKill, roll, killAll]

export type Severity = "any" | "survivable"

interface Plan {
  readonly severity: Severity
  /** Words of the names of faults; none: all of them. */
  readonly only: ReadonlyArray<string>
  /** Whether there is time for faults that take long. */
  readonly isLong: boolean
  readonly until: number
  readonly random: Random
}

type BoundFault = Pick<Fault, "name" | "isLong"> & { readonly strike: (random: Random) => Promise<string> }

const bindTo = <Victim>(target: Victim, faults: ReadonlyArray<Fault<Victim>>): ReadonlyArray<BoundFault> =>
  faults.map((fault) => ({ ...fault, strike: (random) => fault.strike(target, random) }))

const faultsOf = (target: Target, severity: Severity): ReadonlyArray<BoundFault> => [
  ...bindTo(target, survivable),
  ...(target.postgres === null ? [] : bindTo({ ...target, postgres: target.postgres }, ofStore)),
  ...(severity === "any" ? bindTo(target, deadly) : [])
]

/** Until then, each kind once before any comes again; each is logged. */
export const strikeUntil = async (
  target: Target,
  { severity, only, isLong, until, random }: Plan,
  log: (text: string) => void
) => {
  const kinds = faultsOf(target, severity).filter((fault) =>
    only.length === 0 ? isLong || fault.isLong === undefined : only.some((word) => fault.name.includes(word))
  )
  let struck = 0
  let next: ReadonlyArray<BoundFault> = []
  while (now() < until) {
    if (next.length === 0) next = random.shuffled(kinds)
    const [fault, ...rest] = next
    next = rest
    if (fault === undefined) continue
    log(`${fault.name}: ${await fault.strike(random)}`)
    struck += 1
    await pause(Math.min(random.between(300, 2000), Math.max(0, until - now())))
  }
  return struck
}
