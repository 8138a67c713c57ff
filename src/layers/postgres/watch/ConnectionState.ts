import type { Effect } from "effect"
import { connect, type NetConnectOpts, type Socket } from "node:net"
import { LinkedSet } from "../../../services/concurrency/LinkedSet.ts"

const KEEP_ALIVE_MILLIS = 10_000

/** Makes PostgreSQL send something; its content does not matter. */
export type Probe = Effect.Effect<unknown, unknown>

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
  /** Set once a statement can run on it. */
  probe: Probe | undefined
  /** Leases that may keep others from it: of transactions, listeners and streams. */
  held: number
  bytesHeard: number
  heardAt: number
  /** While nothing has arrived since. */
  probedAt: number | undefined
}

/** All connections of a process. */
export interface Watch {
  readonly connections: Map<Socket, Connection>
  now: number
  closed: number
}

/** With TLS the driver knows the socket above the one that was opened for it. Both have the same local end. */
export const isSameEnd = (one: Socket, other: Socket) =>
  one.localPort !== undefined && one.localPort === other.localPort && one.localAddress === other.localAddress

export const isSilent = ({ heardAt, patience }: Connection, now: number) => now - heardAt >= patience

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

export const isIdle = ({ statements, interrupted }: Connection) =>
  statements.size === 0 && interrupted.size === 0

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
  probe: undefined,
  held: 0,
  bytesHeard: 0,
  heardAt: now,
  probedAt: undefined
})

export const close = (watch: Watch, { socket }: Connection) => {
  if (!watch.connections.delete(socket)) return
  socket.destroy(new Error("PostgreSQL has fallen silent on this connection"))
  watch.closed += 1
}
