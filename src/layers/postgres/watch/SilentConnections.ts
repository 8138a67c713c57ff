import type { Cause } from "effect"
import {
  close,
  type Connection,
  isBusy,
  isIdle,
  isNearlyOverdue,
  isSilent,
  overdueSince,
  type Watch
} from "./ConnectionState.ts"
import { makePool } from "./PoolWatch.ts"

export const TICK_MILLIS = 500

/** A connection that was heard this recently is not suspected. */
const RECENT_TICKS = 4
/** PostgreSQL responds to a statement at once; a busy machine gets this long. */
const LAST_CHANCE_TICKS = 4

/** PostgreSQL itself has ended a statement by then. */
const TROUBLE_TICKS = 2

/** Reads how much each socket has received: data in the tick of a statement is noticed in the next one. */
const listen = (watch: Watch) => {
  const { connections, now } = watch
  for (const connection of connections.values()) {
    const { bytesRead } = connection.socket
    if (bytesRead === connection.bytesHeard) continue
    connection.bytesHeard = bytesRead
    connection.heardAt = now
    connection.suspectedAt = undefined
    watch.isSilent = false
  }
}

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

const isRecent = ({ heardAt }: Connection, now: number) => now - heardAt < RECENT_TICKS

/**
 * A statement that began at `since` has no response. Idle connections look the same as silent ones, and opening one
 * costs little. A busy one gets a last chance, unless older ones still speak: then only that one is silent.
 */
const suspectOthers = (watch: Watch, since: number) => {
  const { now } = watch
  const others = [...watch.connections.values()]
  const othersSpeak = others.some((other) => other.openedAt <= since && isRecent(other, now))
  watch.isSilent = !others.some((other) => isRecent(other, now))
  for (const other of others) {
    if (isRecent(other, now)) continue
    if (isIdle(other)) close(watch, other)
    else if (isBusy(other) && !othersSpeak) other.suspectedAt ??= now
  }
}

/**
 * Finds and closes connections that fell silent: the far end is gone without a FIN or RST, or does not respond. When
 * one has, the others probably have too, because they share its path. Each would cost its statements a wait of their
 * own, so they are suspected at once.
 *
 * Time is counted in ticks of this process, so a process that was paused does not blame its connections.
 * A statement costs an entry in a list; sockets are checked once a tick.
 */
export const makeSilentConnections = () => {
  const watch: Watch = { connections: new Map(), now: 0, closed: 0, isSilent: false, troubledAt: undefined }
  return {
    /** `failed` is called with the error of its statements. */
    pool: (patienceMillis: number, failed: (cause: Cause.Cause<unknown>) => void = () => {}) =>
      makePool(watch, Math.ceil(patienceMillis / TICK_MILLIS), failed),
    /** Returns how many connections were closed. */
    tick: (): number => {
      const before = watch.closed
      watch.now += 1
      listen(watch)
      for (const connection of watch.connections.values()) {
        const { suspectedAt } = connection
        if (isNearlyOverdue(connection, watch.now, TROUBLE_TICKS)) watch.troubledAt = watch.now
        if (suspectedAt !== undefined && watch.now - suspectedAt >= LAST_CHANCE_TICKS)
          close(watch, connection)
      }
      const since = closeOverdue(watch)
      if (since !== undefined) suspectOthers(watch, since)
      return watch.closed - before
    },
    closed: () => watch.closed,
    /** Whether a statement had no response, or no connection, within this time. */
    isTroubled: (withinMillis: number): boolean =>
      watch.troubledAt !== undefined && (watch.now - watch.troubledAt - 1) * TICK_MILLIS < withinMillis
  }
}
