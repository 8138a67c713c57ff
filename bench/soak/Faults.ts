/** Faults injected into the running system, one after the other, in an order that the seed decides. */
import { setTimeout as pause } from "node:timers/promises"
import type { Client } from "./Client.ts"
import type { Disturbances } from "./Disturbances.ts"
import type { Postgres } from "./Postgres.ts"
import type { Flood } from "./Flood.ts"
import type { Hush, Proxy } from "./Proxy.ts"
import type { Random } from "./Random.ts"
import type { Server } from "./Servers.ts"
import { connectionFaults, storeFaults } from "./StoreFaults.ts"
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

export interface Fault<Victim = Target> {
  readonly name: string
  /** Gives in a few words what was done. */
  readonly strike: (target: Victim, random: Random) => Promise<string>
  /** Takes so long that a short run leaves it out, unless it is asked for. */
  readonly isLong?: true
}

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

const hushProviders =
  (how: Hush): Fault["strike"] =>
  async ({ providers, disturbances, providerTimeoutMillis }) => {
    const end = disturbances.begin("far end", null)
    const hushed = providers.map(({ hush }) => hush(how)).reduce((sum, each) => sum + each, 0)
    await pause(2 * providerTimeoutMillis)
    end()
    return `${hushed} of them`
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
  ...connectionFaults,
  { name: "connections to providers silent", strike: hushProviders("silent") },
  { name: "connections to providers half open", strike: hushProviders("half open") },
  flood,
  unread
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
  ...(target.postgres === null ? [] : bindTo({ ...target, postgres: target.postgres }, storeFaults)),
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
