import { PgClient, PgConnection, PgPool } from "@effect/sql-pg"
import { type Duration, Effect, Predicate, Redacted, Stream } from "effect"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"
import { type NetConnectOpts, Socket } from "node:net"
import type { StorePlace } from "../hosts/Primary.ts"
import type { WatchedPool } from "./SilentConnections.ts"

const DEFAULT_PORT = 5432

type Connection = SqlConnection.Connection
type Execute = Connection["execute"]

/** The address to which the driver itself would connect. */
const addressOf = (config: PgClient.PgPoolConfig): NetConnectOpts => {
  if (config.path !== undefined) return { path: config.path }
  const {
    hostname,
    port: ownPort,
    searchParams
  } = new URL(config.url === undefined ? "postgres:///" : Redacted.value(config.url))
  const named = decodeURIComponent(hostname.replace(/^\[(.*)\]$/, "$1"))
  const host = config.host ?? searchParams.get("host") ?? (named === "" ? "localhost" : named)
  const port = config.port ?? Number(searchParams.get("port") ?? (ownPort === "" ? DEFAULT_PORT : ownPort))
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
}

const connectionError = (message: string, operation: string) =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({ cause: new Error(message), message, operation })
  })

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

const probeOf = (connection: PgConnection.PgConnection) => connection.query("select 1", [], false)

/** Finds the socket that a connection's statements use, and sets once how the connection is probed. */
const makeSockets = ({ probeWith }: WatchedPool) => {
  const sockets = new WeakMap<PgConnection.PgConnection, Socket>()
  return (connection: PgConnection.PgConnection): Socket => {
    const shared = sharedOf(connection)
    const known = sockets.get(shared)
    if (known !== undefined) return known
    const socket = socketOf(shared)
    sockets.set(shared, socket)
    probeWith(socket, probeOf(shared))
    return socket
  }
}

/** A connection on which no statement waits forever for a response. */
const watchedConnection = (
  connection: PgConnection.PgConnection,
  socket: Socket,
  pool: WatchedPool
): Connection => {
  const during = <A, E, R>(statement: Effect.Effect<A, E, R>) => pool.during(socket, statement)
  const rows = (sql: string, params: ReadonlyArray<unknown>, prepare: boolean) =>
    Effect.map(during(connection.query(sql, params, prepare)), (result) => result.rows)
  const execute =
    (prepare: boolean): Execute =>
    (sql, params, transform) =>
      transform === undefined
        ? rows(sql, params, prepare)
        : Effect.map(rows(sql, params, prepare), (found) => transform(found))
  return {
    execute: execute(true),
    executeUnprepared: execute(false),
    executeRaw: (sql, params) => during(connection.query(sql, params)),
    executeValues: (sql, params) => during(connection.queryValues(sql, params)),
    executeValuesUnprepared: (sql, params) => during(connection.queryValues(sql, params, false)),
    executeStream: (sql, params, transform) => {
      const stream = connection.stream(sql, params)
      return transform === undefined
        ? stream
        : Stream.mapArray(stream, (found) => transform(found) as typeof found)
    }
  }
}

const isRolledBack = (result: unknown): boolean =>
  typeof result === "object" && result !== null && "command" in result && result.command === "ROLLBACK"

/** PostgreSQL responds to the COMMIT of a failed transaction with ROLLBACK. */
const commit = (connection: Connection) =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) =>
    isRolledBack(result)
      ? Effect.fail(
          new SqlError.SqlError({
            reason: new SqlError.UnknownError({ cause: result, message: "COMMIT has rolled back" })
          })
        )
      : Effect.void
  )

/** Where a client gets its connections. */
export interface Connections {
  readonly acquirer: SqlConnection.Acquirer
  readonly borrower: SqlConnection.Borrower
  readonly transactionAcquirer: SqlConnection.Acquirer
}

export const clientOver = (connections: Connections) =>
  SqlClient.make({
    ...connections,
    compiler: PgClient.makeCompiler(),
    driver: "pg",
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "postgresql"]]
  })

/** The driver reads the URL for each connection that it opens: with several hosts it is the primary's at that time. */
const poolConfig = (config: StorePlace, { open }: WatchedPool): PgPool.Config => {
  const { primary } = config
  if (primary === undefined) return { ...config, stream: () => open(addressOf(config)) }
  const stream = () => {
    const socket = open(addressOf({ ...config, url: primary.url() }))
    primary.opened(socket)
    return socket
  }
  return Object.defineProperty({ ...config, stream }, "url", { get: primary.url, enumerable: true })
}

/**
 * A pool as the driver makes it, with two limits that the driver lacks: a silent connection is closed
 * (`ConnectionWatch`), and the wait for a free connection ends after `patience`.
 */
export const makeWatchedSql = Effect.fnUntraced(function* (
  config: StorePlace,
  watched: WatchedPool,
  patience: Duration.Input
) {
  const pool = yield* PgPool.make(poolConfig(config, watched))
  const perConnection = config.multiplex === true ? (config.multiplexConcurrency ?? 1) : 1
  const inTime = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.timeoutOrElse(work, {
      duration: patience,
      orElse: () => Effect.fail(connectionError("no connection to PostgreSQL was free in time", "acquire"))
    })
  const socketFor = makeSockets(watched)
  const watch = (connection: PgConnection.PgConnection) =>
    watchedConnection(connection, socketFor(connection), watched)
  /** Borrowers that wait for a connection: those that come later wait behind them. */
  let waiting = 0
  const waitAndUse = <A, E, R>(use: (connection: Connection) => Effect.Effect<A, E, R>) => {
    let isWaiting = true
    const stopWaiting = () => {
      if (isWaiting) waiting -= 1
      isWaiting = false
    }
    waiting += 1
    return Effect.onExitPrimitive(
      inTime(
        pool.use((connection) => {
          stopWaiting()
          return use(watch(connection))
        })
      ),
      () => void stopWaiting()
    )
  }
  // A limit costs a timer, so only a statement that has to wait gets one.
  const borrower: SqlConnection.Borrower = (use) =>
    Effect.suspend(() =>
      waiting === 0 && watched.hasRoom(perConnection)
        ? pool.use((connection) => use(watch(connection)))
        : waitAndUse(use)
    )
  const held = (connection: PgConnection.PgConnection) =>
    Effect.as(watched.hold(socketFor(connection)), connection)
  // The driver's own wait for the statements of others cannot be interrupted: it ends with the connection.
  const reserve = Effect.flatMap(Effect.flatMap(pool.get, held), (connection) =>
    watched.during(socketFor(connection), connection.pin)
  )
  const connections: Connections = {
    acquirer: inTime(Effect.map(Effect.flatMap(pool.get, held), watch)),
    borrower,
    transactionAcquirer: inTime(Effect.map(reserve, watch))
  }
  return {
    sql: yield* clientOver(connections),
    connections,
    listen: (channel: string) =>
      Effect.flatMap(inTime(reserve), (connection) => {
        // The shared connection takes no statement while this one listens.
        watched.probeWith(socketFor(connection), probeOf(connection))
        return connection.listen(channel)
      })
  }
})
