/** What is done to the system while it works: one thing after the other, in an order that the seed decides. */
import { setTimeout as pause } from "node:timers/promises"
import type { Client } from "./Client.ts"
import type { Disturbances } from "./Disturbances.ts"
import type { Postgres } from "./Postgres.ts"
import type { Random } from "./Random.ts"
import type { Server } from "./Servers.ts"
import { now } from "./Time.ts"

export interface Target {
  readonly servers: ReadonlyArray<Server>
  readonly postgres: Postgres
  readonly client: Client
  readonly disturbances: Disturbances
  readonly leaseMillis: number
  /** What went wrong with the faults themselves: a process that did not stop in order, say. */
  readonly problems: Array<string>
  /** How long each orderly stop took. */
  readonly stopMillis: Array<number>
}

interface Fault {
  readonly name: string
  /** Gives in a few words what was done. */
  readonly strike: (target: Target, random: Random) => Promise<string>
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
    const told: Array<string> = []
    for (const server of servers) {
      const { problem, stopMillis, startMillis } = await server.roll()
      if (problem !== null) problems.push(problem)
      target.stopMillis.push(stopMillis)
      told.push(
        `server ${server.index} stopped in ${stopMillis.toFixed(0)} ms, started in ${startMillis.toFixed(0)} ms`
      )
    }
    return told.join("; ")
  }
}

const restartStore =
  (mode: "fast" | "immediate"): Fault["strike"] =>
  async ({ postgres, disturbances }) => {
    const end = disturbances.begin("store", null)
    const from = now()
    await postgres.restart(mode)
    end()
    return `away for ${Math.round(now() - from)} ms`
  }

const cutStore: Fault = {
  name: "connections to PostgreSQL terminated",
  strike: async ({ postgres, disturbances }, random) => {
    const end = disturbances.begin("cut", null)
    const cut = await postgres.cutConnections(random.pick([0.3, 0.7, 1]))
    end()
    return `${cut} of them`
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

/** What a process lives through. */
const survivable: ReadonlyArray<Fault> = [
  freeze,
  { name: "PostgreSQL restarted, fast", strike: restartStore("fast") },
  { name: "PostgreSQL restarted, immediate", strike: restartStore("immediate") },
  cutStore,
  cutClients
]
const deadly: ReadonlyArray<Fault> = [kill, roll, kill, freezeAndKill, roll, killAll]

export type Severity = "any" | "survivable"

/** Until then, each kind once before any comes again; what was done is told. */
export const strikeUntil = async (
  target: Target,
  {
    severity,
    until,
    random
  }: { readonly severity: Severity; readonly until: number; readonly random: Random },
  tell: (text: string) => void
) => {
  const kinds = severity === "any" ? [...survivable, ...deadly] : survivable
  let struck = 0
  let next: ReadonlyArray<Fault> = []
  while (now() < until) {
    if (next.length === 0) next = random.shuffled(kinds)
    const [fault, ...rest] = next
    next = rest
    if (fault === undefined) continue
    tell(`${fault.name}: ${await fault.strike(target, random)}`)
    struck += 1
    await pause(Math.min(random.between(300, 2000), Math.max(0, until - now())))
  }
  return struck
}
