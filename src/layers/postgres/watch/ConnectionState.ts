import { connect, type NetConnectOpts, type Socket } from "node:net"
import { LinkedSet } from "../../../services/concurrency/LinkedSet.ts"

const KEEP_ALIVE_MILLIS = 10_000

interface Statement {
  readonly begunAt: number
}

export interface Connection {
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
  held: number
  bytesHeard: number
  heardAt: number
  /** When another connection fell silent; while nothing has arrived since. */
  suspectedAt: number | undefined
}

/** All connections of a process. */
export interface Watch {
  readonly connections: Map<Socket, Connection>
  now: number
  closed: number
  /** A connection fell silent, and nothing was heard on any since. */
  isSilent: boolean
  /** When a connection was last about to be closed as silent, or none was free in time. */
  troubledAt: number | undefined
}

/** With TLS the driver knows the socket above the one that was opened for it. Both have the same local end. */
export const isSameEnd = (one: Socket, other: Socket) =>
  one.localPort !== undefined && one.localPort === other.localPort && one.localAddress === other.localAddress

/** Whether something has arrived that the next tick will notice. */
export const hasHeard = ({ connections }: Watch): boolean =>
  [...connections.values()].some(({ socket, bytesHeard }) => socket.bytesRead !== bytesHeard)

export const isSilent = ({ heardAt, patience }: Connection, now: number) => now - heardAt >= patience

/** Whether its oldest statement, and it itself, will be overdue in so many ticks. */
export const isNearlyOverdue = (
  { statements, heardAt, patience }: Connection,
  now: number,
  ticks: number
): boolean => {
  const [oldest] = statements
  return oldest !== undefined && now - Math.max(oldest.begunAt, heardAt) >= patience - ticks
}

/** When the oldest statement began that should have a response by now. Forgets interrupted ones of that age. */
export const overdueSince = (
  { statements, interrupted, patience }: Connection,
  now: number
): number | undefined => {
  const [oldest] = statements
  let since = oldest !== undefined && now - oldest.begunAt >= patience ? oldest.begunAt : undefined
  for (const begunAt of interrupted) {
    if (now - begunAt < patience) continue
    interrupted.delete(begunAt)
    since ??= begunAt
  }
  return since
}

export const isIdle = ({ isOpen, statements, interrupted, held }: Connection) =>
  isOpen && held === 0 && statements.size === 0 && interrupted.size === 0

/** Whether someone would notice if it were closed. */
export const isBusy = ({ statements, interrupted, held }: Connection) =>
  held > 0 || statements.size > 0 || interrupted.size > 0

export const openSocket = (options: NetConnectOpts): Socket => {
  const socket = connect({
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MILLIS,
    ...options
  })
  // With TLS the driver listens to the socket above this one.
  return socket.on("error", () => {})
}

export const newConnection = (socket: Socket, patience: number, now: number): Connection => ({
  socket,
  patience,
  statements: new LinkedSet(),
  interrupted: new Set(),
  isOpen: false,
  openedAt: now,
  held: 0,
  bytesHeard: 0,
  heardAt: now,
  suspectedAt: undefined
})

export const close = (watch: Watch, connection: Connection) => {
  const { socket } = connection
  if (!watch.connections.delete(socket)) return
  connection.isOpen = false
  socket.destroy(new Error("PostgreSQL has fallen silent on this connection"))
  watch.closed += 1
  watch.troubledAt = watch.now
}
