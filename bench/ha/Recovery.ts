/**
 * How long sends did not work in a fault: from when commits can succeed, until each process has accepted one. Commits
 * wait for a standby, so a new primary alone is not enough.
 */
import { setTimeout as pause } from "node:timers/promises"
import type { Session } from "../soak/Session.ts"
import { now } from "../soak/Time.ts"
import type { Cluster } from "./Cluster.ts"
import type { Fault } from "./Faults.ts"
import type { Role } from "./Member.ts"
import { until } from "./Programs.ts"

const LOOK_EVERY_MILLIS = 200
const PATIENCE_MILLIS = 60_000
/** The longest time to the first success after the cluster could take it again. */
export const ALLOWED_MILLIS = 10_000

interface Change {
  readonly at: number
  readonly primary: string
  readonly standby: string
}

/** Who is the primary, and which standby its commits wait for, as it changes; an empty name: nobody. */
export const watchPrimary = ({ members }: Cluster) => {
  const changes: Array<Change> = []
  const state = { isStopped: false }
  const watching = (async () => {
    while (!state.isStopped) {
      const roles = await Promise.all(members.map((member) => member.role()))
      const named = (role: Role) =>
        members.flatMap(({ name }, index) => (roles[index] === role ? [name] : [])).join()
      const [primary, standby] = [named("primary"), named("synchronous standby")]
      const last = changes.at(-1)
      if (last?.primary !== primary || last.standby !== standby) changes.push({ at: now(), primary, standby })
      await pause(LOOK_EVERY_MILLIS)
    }
  })()
  return {
    /** The first change since then after which a standby follows a primary: another one than this, if it is given. */
    followedSince: (instant: number, not = "") =>
      changes.find(
        ({ at, primary, standby }) => at > instant && primary !== "" && primary !== not && standby !== ""
      ),
    stop: async () => {
      state.isStopped = true
      await watching
    }
  }
}
export type PrimaryWatch = ReturnType<typeof watchPrimary>

export interface Recovery {
  readonly name: string
  /** Until the cluster could take sends again, in milliseconds. */
  readonly able: number
  /** From then until the last of the processes accepted its first send. */
  readonly first: number
  /** The longest time in which no process accepted a send. */
  readonly without: number
  readonly whole: number
}

const firstSuccess = ({ servers, journal }: Session, since: number): number =>
  Math.max(
    ...servers.map(
      ({ index }) =>
        journal.accepted.find(({ server, at }) => server === index && at >= since)?.at ??
        Number.POSITIVE_INFINITY
    )
  )

const longestGap = ({ journal }: Session, from: number, to: number): number => {
  const times = journal.accepted.map(({ at }) => at).filter((at) => at >= from && at <= to)
  const edges = [from, ...times.toSorted((a, b) => a - b), to]
  return Math.max(...edges.slice(1).map((at, index) => at - (edges[index] ?? at)))
}

const ableAt = async (
  fault: Fault,
  cluster: Cluster,
  watch: PrimaryWatch,
  struckAt: number,
  struck: string
) => {
  if (fault.endsWith === "nothing") return struckAt
  if (fault.endsWith === "a standby") {
    await until("a synchronous standby", PATIENCE_MILLIS, async () =>
      (await Promise.all(cluster.members.map((member) => member.role()))).includes("synchronous standby")
    )
    return now()
  }
  // Until its lock runs out, members still name a primary that nobody reaches.
  const not = fault.endsWith === "another primary" ? struck : ""
  await until(
    "a standby of the new primary",
    PATIENCE_MILLIS,
    async () => watch.followedSince(struckAt, not) !== undefined
  )
  return watch.followedSince(struckAt, not)?.at ?? now()
}

/** Strikes, and waits until sends work and the cluster is whole again. */
export const strikeAndRecover = async (
  fault: Fault,
  cluster: Cluster,
  session: Session,
  watch: PrimaryWatch
): Promise<Recovery & { readonly done: string }> => {
  const { disturbances, problems } = session
  const struckAt = now()
  const end = disturbances.begin("store", null)
  const done = await fault.strike(cluster)
  const able = await ableAt(fault, cluster, watch, struckAt, done)
  await until("a send in each process", PATIENCE_MILLIS, async () =>
    Number.isFinite(firstSuccess(session, able))
  )
  const succeeded = firstSuccess(session, able)
  await cluster.whole()
  end()
  const first = succeeded - able
  if (fault.endsWith !== "nothing" && first > ALLOWED_MILLIS) {
    problems.push(`${fault.name}: the first send worked ${Math.round(first)} ms after a standby followed`)
  }
  return {
    name: fault.name,
    able: able - struckAt,
    first,
    without: longestGap(session, struckAt, succeeded),
    whole: now() - struckAt,
    done
  }
}
