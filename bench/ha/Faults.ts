/** The faults of a cluster: each breaks one part, and mends it. */
import { setTimeout as pause } from "node:timers/promises"
import type { Cluster } from "./Cluster.ts"
import type { Member } from "./Member.ts"
import { until } from "./Programs.ts"

export interface Fault {
  readonly name: string
  /** Sends have to work again once a standby follows a new primary, or the old one; or they always have. */
  readonly endsWith: "a new primary" | "another primary" | "a standby" | "nothing"
  /** Returns when everything is mended, or mends itself; in words, what was done. */
  readonly strike: (cluster: Cluster) => Promise<string>
}

const NEW_PRIMARY_MILLIS = 60_000
/** Longer than Patroni's `ttl`, after which another member takes over. */
const AWAY_MILLIS = 15_000
/** How long the old primary is left alone with a new one, without a Patroni that would stop it. */
const ALONE_MILLIS = 8000

const untilOther = ({ members }: Cluster, old: Member) =>
  until("another primary", NEW_PRIMARY_MILLIS, async () => {
    const others = members.filter((member) => member !== old)
    return (await Promise.all(others.map((member) => member.isPrimary()))).includes(true)
  })

const killPostgres: Fault = {
  name: "kill -9 of the primary's PostgreSQL",
  endsWith: "a new primary",
  strike: async (cluster) => {
    const { primary } = await cluster.whole()
    const pid = primary.postmaster()
    if (pid === null) throw new Error(`${primary.name} has no PostgreSQL`)
    process.kill(pid, "SIGKILL")
    return primary.name
  }
}

/** Its PostgreSQL goes on as a primary that nobody supervises. */
const killPatroni: Fault = {
  name: "kill -9 of the primary's Patroni",
  endsWith: "a new primary",
  strike: async (cluster) => {
    const { primary } = await cluster.whole()
    await primary.patroni.signal("SIGKILL")
    await untilOther(cluster, primary)
    await pause(ALONE_MILLIS)
    primary.patroni.start()
    return `${primary.name}, whose PostgreSQL went on for ${ALONE_MILLIS} ms next to the new primary`
  }
}

const switchover: Fault = {
  name: "switchover",
  endsWith: "a new primary",
  strike: async (cluster) => {
    const { primary, synchronous } = await cluster.whole()
    const answer = await primary.post("/switchover", { leader: primary.name, candidate: synchronous.name })
    return `from ${primary.name} to ${synchronous.name}: ${answer}`
  }
}

const stopStandby: Fault = {
  name: "the synchronous standby stopped",
  endsWith: "nothing",
  strike: async (cluster) => {
    const { synchronous } = await cluster.whole()
    await synchronous.patroni.signal("SIGTERM")
    await pause(AWAY_MILLIS)
    synchronous.patroni.start()
    return `${synchronous.name} for ${AWAY_MILLIS} ms`
  }
}

/** No commit can succeed until one is back. */
const stopStandbys: Fault = {
  name: "both standbys stopped",
  endsWith: "a standby",
  strike: async (cluster) => {
    const { synchronous, other } = await cluster.whole()
    await Promise.all([synchronous, other].map(({ patroni }) => patroni.signal("SIGTERM")))
    await pause(AWAY_MILLIS)
    for (const { patroni } of [synchronous, other]) patroni.start()
    return `for ${AWAY_MILLIS} ms`
  }
}

/** The primary cannot renew its lock, and steps down. */
const stopEtcd: Fault = {
  name: "etcd stopped",
  endsWith: "a new primary",
  strike: async ({ etcd }) => {
    await etcd.signal("SIGKILL")
    await pause(AWAY_MILLIS)
    etcd.start()
    return `for ${AWAY_MILLIS} ms`
  }
}

const cutNetwork: Fault = {
  name: "the primary's network cut",
  endsWith: "another primary",
  strike: async (cluster) => {
    const { primary } = await cluster.whole()
    primary.sever(true)
    await untilOther(cluster, primary)
    await pause(ALONE_MILLIS)
    primary.sever(false)
    return primary.name
  }
}

const SWITCHOVERS = 5

export const faults: ReadonlyArray<Fault> = [
  killPostgres,
  killPatroni,
  ...Array.from({ length: SWITCHOVERS }, () => switchover),
  stopStandby,
  stopStandbys,
  stopEtcd,
  cutNetwork
]
