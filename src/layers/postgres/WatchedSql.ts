import { PgClient, PgConnection, PgPool } from "@effect/sql-pg"
import { Effect, Fiber, Predicate, Redacted, Stream } from "effect"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"
import { type NetConnectOpts, Socket } from "node:net"
import type { WatchedPool } from "./ConnectionWatch.ts"
import { isPooled } from "./Hosts.ts"
import type { StoreAddress } from "./Primary.ts"
import { sessionSettings } from "./StoreSettings.ts"

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
const makeSockets = ({ established }: WatchedPool) => {
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

const DEFAULT_PORT = 5432

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

/** A pooler refuses settings that it does not know, and gives sessions to others. */
const withSession = (config: StoreAddress): StoreAddress =>
  isPooled(config)
    ? config
    : { ...config, startupParameters: { ...sessionSettings, ...config.startupParameters } }

/** The driver reads the URL for each connection that it opens: with several hosts it is the primary's at that time. */
const poolConfig = (address: StoreAddress, { open }: WatchedPool): PgPool.Config => {
  const config = withSession(address)
  const { primary } = config
  if (primary === undefined) return { ...config, stream: () => open(addressOf(config)) }
  const stream = () => {
    const socket = open(addressOf({ ...config, url: primary.url() }))
    primary.opened(socket)
    return socket
  }
  return Object.defineProperty({ ...config, stream }, "url", { get: primary.url, enumerable: true })
}

type Connection = SqlConnection.Connection

const connectionError = (message: string, operation: string) =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({ cause: new Error(message), message, operation })
  })

interface Borrowing {
  readonly pool: PgPool.PgPool
  readonly watched: WatchedPool
  readonly perConnection: number
  readonly inTime: ReturnType<typeof timeLimit>
  readonly watch: (connection: PgConnection.PgConnection) => Connection
}

/** While PostgreSQL is silent, a request that has waited for one statement does not wait as long for the next. */
const SILENT_MILLIS = 400

const always = () => true

/**
 * While PostgreSQL is silent, the limit is short until there is a connection. PostgreSQL may respond again meanwhile, to
 * others or on a connection that is being opened: then the usual limit counts.
 *
 * The driver cancels a statement that is interrupted over a connection of its own, and waits five seconds for that. If
 * PostgreSQL is silent, the time-out would come that much later, so the end of the work is not awaited.
 */
const timeLimit =
  (patienceMillis: number, { isSilent, lapsed }: WatchedPool) =>
  <A, E, R>(work: Effect.Effect<A, E, R>, isWaiting: () => boolean = always) => {
    const lapse = Effect.suspend(() => {
      lapsed()
      return Effect.fail(connectionError("no connection to PostgreSQL was free in time", "acquire"))
    })
    const within = <E2>(working: Fiber.Fiber<A, E>, duration: number, orElse: () => Effect.Effect<A, E2>) =>
      Effect.timeoutOrElse(Fiber.join(working), { duration, orElse })
    const briefMillis = Math.min(patienceMillis, SILENT_MILLIS)
    return Effect.acquireUseRelease(
      Effect.forkDetach(work, { startImmediately: true }),
      (working) =>
        isSilent()
          ? within(working, briefMillis, () =>
              isWaiting() && isSilent() ? lapse : within(working, patienceMillis - briefMillis, () => lapse)
            )
          : within(working, patienceMillis, () => lapse),
      (working) => Effect.sync(() => working.interruptUnsafe())
    )
  }

const makeBorrower = ({ pool, watched, perConnection, inTime, watch }: Borrowing): SqlConnection.Borrower => {
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
        }),
        () => isWaiting
      ),
      () => void stopWaiting()
    )
  }
  // A limit costs a timer, so only a statement that has to wait gets one.
  return (use) =>
    Effect.suspend(() =>
      waiting === 0 && watched.hasRoom(perConnection)
        ? pool.use((connection) => use(watch(connection)))
        : waitAndUse(use)
    )
}

/**
 * A pool as the driver makes it, with two limits that the driver lacks: a silent connection is closed
 * (`ConnectionWatch`), and the wait for a free connection ends after `patienceMillis`.
 */
export const makeWatchedSql = Effect.fnUntraced(function* (
  config: StoreAddress,
  watched: WatchedPool,
  patienceMillis: number
) {
  const pool = yield* PgPool.make(poolConfig(config, watched))
  const perConnection = config.multiplex === true ? (config.multiplexConcurrency ?? 1) : 1
  const inTime = timeLimit(patienceMillis, watched)
  const socketFor = makeSockets(watched)
  const watch = (connection: PgConnection.PgConnection) =>
    watchedConnection(connection, socketFor(connection), watched)
  const borrower = makeBorrower({ pool, watched, perConnection, inTime, watch })
  const checkedOut = (connection: PgConnection.PgConnection) =>
    Effect.as(watched.hold(socketFor(connection)), connection)
  // The driver's own wait for the statements of others cannot be interrupted: it ends with the connection.
  const reserve = Effect.flatMap(Effect.flatMap(pool.get, checkedOut), (connection) =>
    watched.during(socketFor(connection), connection.pin)
  )
  const connections: Connections = {
    acquirer: inTime(Effect.map(Effect.flatMap(pool.get, checkedOut), watch)),
    borrower,
    transactionAcquirer: inTime(Effect.map(reserve, watch))
  }
  return {
    sql: yield* clientOver(connections),
    connections,
    listen: (channel: string) => Effect.flatMap(inTime(reserve), (connection) => connection.listen(channel))
  }
})

type Execute = Connection["execute"]

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
