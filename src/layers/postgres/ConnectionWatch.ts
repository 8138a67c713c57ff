import { Cause, Context, Effect, Exit, Layer, type Scope } from "effect"
import { connect, type NetConnectOpts, type Socket } from "node:net"
import { LinkedSet } from "../../services/concurrency/Collections.ts"
import { counterOf, withoutSpans } from "../../services/system/Observability.ts"

/** The connections of this process to PostgreSQL. */
export class ConnectionWatch extends Context.Service<
  ConnectionWatch,
  Pick<ReturnType<typeof makeSilentConnections>, "pool" | "isTroubled">
>()("peyk/layers/postgres/ConnectionWatch") {
  static readonly layer = Layer.effect(
    ConnectionWatch,
    Effect.gen(function* () {
      const { pool, tick, closed, isTroubled } = makeSilentConnections()
      counterOf(yield* Effect.context<never>(), "peyk_database_connections_given_up_total", {
        description: "Connections to PostgreSQL that this process closed because nothing was heard on them.",
        read: closed
      })
      const watch = Effect.gen(function* () {
        yield* Effect.sleep(TICK_MILLIS)
        const count = tick()
        if (count > 0)
          yield* Effect.logWarning(`PostgreSQL has fallen silent: ${count} connections are closed`)
      })
      yield* Effect.forkScoped(Effect.forever(withoutSpans(watch)))
      return ConnectionWatch.of({ pool, isTroubled })
    })
  )
}

const TICK_MILLIS = 500

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
 * Time is counted in ticks of this process, so a process that was paused does not end its connections for it.
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

/** The connections of one pool. A connection's silence is noticed while a statement waits on it. */
export interface WatchedPool {
  /** For the driver: a socket of this pool. */
  readonly open: (options: NetConnectOpts) => Socket
  /** A statement can run over this socket. */
  readonly established: (socket: Socket) => void
  /** `socket`: of the connection that the statement runs on. */
  readonly during: <A, E, R>(socket: Socket, statement: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** While the scope is open, the connection over this socket may be kept from others. */
  readonly hold: (socket: Socket) => Effect.Effect<void, never, Scope.Scope>
  /** Whether an open connection can take a statement at once, if each carries at most this many. */
  readonly hasRoom: (statementsPerConnection: number) => boolean
  /** Whether nothing was heard on any connection of this process since one fell silent. */
  readonly isSilent: () => boolean
  /** No connection was free in time. */
  readonly lapsed: () => void
  readonly closeAll: () => void
}

/** Returns how the statement ends, which has begun now. */
const begin = (
  watch: Watch,
  connection: Connection | undefined,
  failed: (cause: Cause.Cause<unknown>) => void
) => {
  const begunAt = watch.now
  const link = connection?.statements.add({ begunAt })
  return (exit: Exit.Exit<unknown, unknown>) => {
    if (connection !== undefined && link !== undefined) connection.statements.remove(link)
    if (Exit.isSuccess(exit)) return
    if (Cause.hasInterrupts(exit.cause)) connection?.interrupted.add(begunAt)
    else failed(exit.cause)
  }
}

const holding = (connection: Connection | undefined) =>
  connection === undefined
    ? Effect.void
    : Effect.acquireRelease(
        Effect.sync(() => void (connection.checkedOut += 1)),
        () => Effect.sync(() => void (connection.checkedOut -= 1))
      )

const makePool = (
  watch: Watch,
  patience: number,
  failed: (cause: Cause.Cause<unknown>) => void
): WatchedPool => {
  const own = new Map<Socket, Connection>()
  const connectionOf = (socket: Socket): Connection | undefined =>
    own.get(socket) ?? [...own.values()].find((connection) => isSameEnd(connection.socket, socket))
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
    established: (socket) => {
      const connection = connectionOf(socket)
      if (connection !== undefined) connection.isOpen = true
    },
    during: (socket, statement) =>
      Effect.suspend(() => {
        const end = begin(watch, connectionOf(socket), failed)
        return Effect.onExitPrimitive(statement, (exit) => {
          end(exit)
          return undefined
        })
      }),
    hold: (socket) => Effect.suspend(() => holding(connectionOf(socket))),
    // A connection that is still opening may never open, so it has no room.
    hasRoom: (statementsPerConnection) => {
      for (const { isOpen, checkedOut, statements } of own.values()) {
        if (isOpen && checkedOut === 0 && statements.size < statementsPerConnection) return true
      }
      return false
    },
    isSilent: () => watch.isSilent && !hasHeard(watch),
    lapsed: () => {
      watch.troubledAt = watch.now
    },
    closeAll: () => {
      for (const connection of own.values()) close(watch, connection)
    }
  }
}

const KEEP_ALIVE_MILLIS = 10_000

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
  /** Whether a statement can run on it. Until then, the driver limits how long it opens. */
  isOpen: boolean
  readonly openedAt: number
  /** Leases that may keep others from it: of transactions, listeners and streams. */
  checkedOut: number
  bytesHeard: number
  heardAt: number
  /** When another connection fell silent; while nothing has arrived since. */
  suspectedAt: number | undefined
}

/** All connections of a process. */
interface Watch {
  readonly connections: Map<Socket, Connection>
  now: number
  closed: number
  /** A connection fell silent, and nothing was heard on any since. */
  isSilent: boolean
  /** When a connection was last about to be closed as silent, or none was free in time. */
  troubledAt: number | undefined
}

/** With TLS the driver knows the socket above the one that was opened for it. Both have the same local end. */
const isSameEnd = (one: Socket, other: Socket) =>
  one.localPort !== undefined && one.localPort === other.localPort && one.localAddress === other.localAddress

/** Whether something has arrived that the next tick will notice. */
const hasHeard = ({ connections }: Watch): boolean =>
  [...connections.values()].some(({ socket, bytesHeard }) => socket.bytesRead !== bytesHeard)

const isSilent = ({ heardAt, patience }: Connection, now: number) => now - heardAt >= patience

/** Whether its oldest statement, and it itself, will be overdue in so many ticks. */
const isNearlyOverdue = (
  { statements, heardAt, patience }: Connection,
  now: number,
  ticks: number
): boolean => {
  const [oldest] = statements
  return oldest !== undefined && now - Math.max(oldest.begunAt, heardAt) >= patience - ticks
}

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

const isIdle = ({ isOpen, statements, interrupted, checkedOut }: Connection) =>
  isOpen && checkedOut === 0 && statements.size === 0 && interrupted.size === 0

/** Whether someone would notice if it were closed. */
const isBusy = ({ statements, interrupted, checkedOut }: Connection) =>
  checkedOut > 0 || statements.size > 0 || interrupted.size > 0

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
  isOpen: false,
  openedAt: now,
  checkedOut: 0,
  bytesHeard: 0,
  heardAt: now,
  suspectedAt: undefined
})

const close = (watch: Watch, connection: Connection) => {
  const { socket } = connection
  if (!watch.connections.delete(socket)) return
  connection.isOpen = false
  socket.destroy(new Error("PostgreSQL has fallen silent on this connection"))
  watch.closed += 1
  watch.troubledAt = watch.now
}
