import { Cause, Effect, Exit, type Scope } from "effect"
import type { NetConnectOpts, Socket } from "node:net"
import {
  close,
  type Connection,
  hasHeard,
  isSameEnd,
  newConnection,
  openSocket,
  type Watch
} from "./ConnectionState.ts"

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
        Effect.sync(() => void (connection.held += 1)),
        () => Effect.sync(() => void (connection.held -= 1))
      )

export const makePool = (
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
      for (const { isOpen, held, statements } of own.values()) {
        if (isOpen && held === 0 && statements.size < statementsPerConnection) return true
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
