import { PgConnection } from "@effect/sql-pg"
import { Predicate } from "effect"
import { Socket } from "node:net"
import type { WatchedPool } from "./PoolWatch.ts"

const isConnection = (value: unknown): value is PgConnection.PgConnection =>
  Predicate.hasProperty(value, PgConnection.TypeId)

/** A reserved connection is a view of the shared one, which the driver does not declare. */
const sharedOf = (connection: PgConnection.PgConnection): PgConnection.PgConnection =>
  Predicate.hasProperty(connection, "base") && isConnection(connection.base) ? connection.base : connection

/** It does not declare this either; a test checks both with the installed version. */
const socketOf = (shared: PgConnection.PgConnection): Socket => {
  const session = Predicate.hasProperty(shared, "session") ? shared.session : undefined
  const socket = Predicate.hasProperty(session, "socket") ? session.socket : undefined
  if (socket instanceof Socket) return socket
  throw new Error("this version of the driver does not show the socket of a connection")
}

/** Finds the socket that a connection's statements use, and notes once that the connection is open. */
export const makeSockets = ({ established }: WatchedPool) => {
  const sockets = new WeakMap<PgConnection.PgConnection, Socket>()
  return (connection: PgConnection.PgConnection): Socket => {
    const shared = sharedOf(connection)
    const known = sockets.get(shared)
    if (known !== undefined) return known
    const socket = socketOf(shared)
    sockets.set(shared, socket)
    established(socket)
    return socket
  }
}
