import type { Cause } from "effect"
import { close, isIdle, isSilent, overdueSince, type Probe, type Watch } from "./ConnectionState.ts"
import { makePool } from "./PoolWatch.ts"

export const TICK_MILLIS = 500

/** PostgreSQL responds to a probe on an idle connection at once; a busy machine gets this long. */
const PROBE_TICKS = 4

/** Reads how much each socket has received: data in the tick of a statement is noticed in the next one. */
const listen = ({ connections, now }: Watch) => {
  for (const connection of connections.values()) {
    const { bytesRead } = connection.socket
    if (bytesRead === connection.bytesHeard) continue
    connection.bytesHeard = bytesRead
    connection.heardAt = now
    connection.probedAt = undefined
  }
}

/** For idle connections that have been silent since. */
const beginProbes = ({ connections, now }: Watch, since: number): ReadonlyArray<Probe> =>
  [...connections.values()].flatMap((connection) => {
    const { probe, probedAt, heardAt } = connection
    if (probe === undefined || probedAt !== undefined || heardAt > since + 1 || !isIdle(connection)) return []
    connection.probedAt = now
    return [probe]
  })

/** Returns when the first statement on a closed connection began. */
const closeOverdue = (watch: Watch): number | undefined => {
  let first: number | undefined
  for (const connection of watch.connections.values()) {
    const since = overdueSince(connection, watch.now)
    if (since === undefined || !isSilent(connection, watch.now)) continue
    close(watch, connection)
    first = Math.min(first ?? since, since)
  }
  return first
}

/**
 * Finds and closes connections that fell silent: the far end is gone without a FIN or RST, or does not respond.
 * An idle connection looks the same as a silent one, but probably shares its path with one that is silent. So idle ones
 * are probed when one has fallen silent, and closed if nothing arrives.
 *
 * Time is counted in ticks of this process, so a process that was paused does not blame its connections.
 * A statement costs an entry in a list; sockets are checked once a tick.
 */
export const makeSilentConnections = () => {
  const watch: Watch = { connections: new Map(), now: 0, closed: 0 }
  return {
    /** `failed` is called with the error of its statements. */
    pool: (patienceMillis: number, failed: (cause: Cause.Cause<unknown>) => void = () => {}) =>
      makePool(watch, Math.ceil(patienceMillis / TICK_MILLIS), failed),
    /** Returns how many connections were closed, and the probes to run. */
    tick: (): { readonly closed: number; readonly probes: ReadonlyArray<Probe> } => {
      const before = watch.closed
      watch.now += 1
      listen(watch)
      for (const connection of watch.connections.values()) {
        const { probedAt } = connection
        if (probedAt !== undefined && watch.now - probedAt >= PROBE_TICKS) close(watch, connection)
      }
      const since = closeOverdue(watch)
      return { closed: watch.closed - before, probes: since === undefined ? [] : beginProbes(watch, since) }
    },
    closed: () => watch.closed
  }
}
