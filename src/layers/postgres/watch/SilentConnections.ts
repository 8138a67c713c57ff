import { Cause, Effect, Exit, type Scope } from "effect"
import { connect, type NetConnectOpts, type Socket } from "node:net"
import { LinkedSet } from "../../../services/concurrency/LinkedSet.ts"

export const TICK_MILLIS = 500
const KEEP_ALIVE_MILLIS = 10_000
/** PostgreSQL responds to a probe on an idle connection at once; a busy machine gets this long. */
const PROBE_TICKS = 4

/** Makes PostgreSQL send something; its content does not matter. */
export type Probe = Effect.Effect<unknown, unknown>

interface Statement {
  readonly begunAt: number
}

interface Connection {
  readonly socket: Socket
  readonly patience: number
  /** Statements that a fiber waits for, the oldest first. */
  readonly statements: LinkedSet<Statement>
  /**
   * When interrupted statements began: the driver still waits for their responses, as do the statements behind them.
   */
  readonly interrupted: Set<number>
  /** Set once a statement can run on it. */
  probe: Probe | undefined
  /** Leases that may keep others from it: of transactions, listeners and streams. */
  held: number
  bytesHeard: number
  heardAt: number
  /** While nothing has arrived since. */
  probedAt: number | undefined
}

/** The connections of one pool. A connection's silence is noticed while a statement waits on it. */
export interface WatchedPool {
  /** For the driver: a socket of this pool. */
  readonly open: (options: NetConnectOpts) => Socket
  /** How the connection over this socket is probed. */
  readonly probeWith: (socket: Socket, probe: Probe) => void
  /** `socket`: of the connection that the statement runs on. */
  readonly during: <A, E, R>(socket: Socket, statement: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** While the scope is open, the connection over this socket may be kept from others. */
  readonly hold: (socket: Socket) => Effect.Effect<void, never, Scope.Scope>
  /** Whether an open connection can take a statement at once, if each carries at most this many. */
  readonly hasRoom: (statementsPerConnection: number) => boolean
  readonly closeAll: () => void
}

/** With TLS the driver knows the socket above the one that was opened for it. Both have the same local end. */
const isSameEnd = (one: Socket, other: Socket) =>
  one.localPort !== undefined && one.localPort === other.localPort && one.localAddress === other.localAddress

const isSilent = ({ heardAt, patience }: Connection, now: number) => now - heardAt >= patience

/** When the oldest statement began that should have a response by now. Forgets interrupted ones of that age. */
const overdueSince = ({ statements, interrupted, patience }: Connection, now: number): number | undefined => {
  const [oldest] = statements
  let since = oldest !== undefined && now - oldest.begunAt >= patience ? oldest.begunAt : undefined
  for (const begunAt of interrupted) {
    if (now - begunAt < patience) continue
    interrupted.delete(begunAt)
    since ??= begunAt
  }
  return since
}

const isIdle = ({ statements, interrupted }: Connection) => statements.size === 0 && interrupted.size === 0

const openSocket = (options: NetConnectOpts): Socket => {
  const socket = connect({
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MILLIS,
    ...options
  })
  // With TLS the driver listens to the socket above this one.
  return socket.on("error", () => {})
}

const newConnection = (socket: Socket, patience: number, now: number): Connection => ({
  socket,
  patience,
  statements: new LinkedSet(),
  interrupted: new Set(),
  probe: undefined,
  held: 0,
  bytesHeard: 0,
  heardAt: now,
  probedAt: undefined
})

/** All connections of a process. */
interface Watch {
  readonly connections: Map<Socket, Connection>
  now: number
  closed: number
}

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

const close = (watch: Watch, { socket }: Connection) => {
  if (!watch.connections.delete(socket)) return
  socket.destroy(new Error("PostgreSQL has fallen silent on this connection"))
  watch.closed += 1
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

const makePool = (
  watch: Watch,
  patience: number,
  failed: (cause: Cause.Cause<unknown>) => void
): WatchedPool => {
  const own = new Map<Socket, Connection>()
  const connectionOf = (socket: Socket): Connection | undefined =>
    own.get(socket) ?? [...own.values()].find((connection) => isSameEnd(connection.socket, socket))
  const begin = (connection: Connection | undefined) => {
    const begunAt = watch.now
    const link = connection?.statements.add({ begunAt })
    return (exit: Exit.Exit<unknown, unknown>) => {
      if (connection !== undefined && link !== undefined) connection.statements.remove(link)
      if (Exit.isSuccess(exit)) return
      if (Cause.hasInterrupts(exit.cause)) connection?.interrupted.add(begunAt)
      else failed(exit.cause)
    }
  }
  return {
    open: (options) => {
      const socket = openSocket(options)
      const connection = newConnection(socket, patience, watch.now)
      watch.connections.set(socket, connection)
      own.set(socket, connection)
      socket.once("close", () => {
        watch.connections.delete(socket)
        own.delete(socket)
      })
      return socket
    },
    probeWith: (socket, probe) => {
      const connection = connectionOf(socket)
      if (connection !== undefined) connection.probe = probe
    },
    during: (socket, statement) =>
      Effect.suspend(() => {
        const end = begin(connectionOf(socket))
        return Effect.onExitPrimitive(statement, (exit) => {
          end(exit)
          return undefined
        })
      }),
    hold: (socket) =>
      Effect.suspend(() => {
        const connection = connectionOf(socket)
        if (connection === undefined) return Effect.void
        return Effect.acquireRelease(
          Effect.sync(() => void (connection.held += 1)),
          () => Effect.sync(() => void (connection.held -= 1))
        )
      }),
    // A connection that is still opening may never open, so it has no room.
    hasRoom: (statementsPerConnection) => {
      for (const { probe, held, statements } of own.values()) {
        if (probe !== undefined && held === 0 && statements.size < statementsPerConnection) return true
      }
      return false
    },
    closeAll: () => {
      for (const connection of own.values()) close(watch, connection)
    }
  }
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
