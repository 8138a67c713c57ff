import { Cause, Context, Effect, Exit, Layer } from "effect"
import { connect, type NetConnectOpts, type Socket } from "node:net"
import { counterOf } from "../../services/metrics/MetricFamilies.ts"
import { withoutSpans } from "../../services/metrics/Spans.ts"
import { type Begun, LinkedSet } from "../../services/concurrency/LinkedSet.ts"

const TICK_MILLIS = 500
const KEEP_ALIVE_MILLIS = 10_000

interface Statement {
  readonly begunAt: number
}

interface Connection {
  readonly socket: Socket
  readonly pool: Pool
  bytesHeard: number
  heardAt: number
  isSuspect: boolean
}

interface Pool {
  readonly patience: number
  readonly statements: LinkedSet<Statement>
  /** When statements began that were interrupted: the driver still waits for their answers, as do those behind them. */
  readonly interrupted: Set<number>
}

/** The connections of one pool. Their silence is noticed while a statement waits. */
export interface WatchedPool {
  /** For the driver: a socket of this pool. */
  readonly open: (options: NetConnectOpts) => Socket
  readonly during: <A, E, R>(statement: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Whether all connections are taken, if each carries so many statements. */
  readonly isFull: (statementsPerConnection: number) => boolean
  readonly closeAll: () => void
}

/**
 * Closes connections that fell silent: the far end is gone without a FIN or RST, or lives and answers nothing.
 *
 * Time is counted in ticks of this process, so a process that was stopped for a while does not blame its connections for
 * that. A statement costs an entry in a list; sockets are looked at once a tick.
 */
export const makeWatch = () => {
  const pools: Array<Pool> = []
  const connections = new Set<Connection>()
  let now = 0
  let closed = 0

  const close = (connection: Connection) => {
    connections.delete(connection)
    connection.socket.destroy(new Error("PostgreSQL has fallen silent on this connection"))
    closed += 1
  }

  const listen = () => {
    for (const connection of connections) {
      const { bytesRead } = connection.socket
      if (bytesRead === connection.bytesHeard) continue
      connection.bytesHeard = bytesRead
      connection.heardAt = now
      connection.isSuspect = false
    }
  }

  /**
   * A silent pool makes those of other pools suspect too, if they were not heard since: they share the way there. What was
   * heard in the tick of the statement is noticed in the next one.
   */
  const suspect = (silent: Pool, since: number) => {
    for (const connection of connections) {
      if (connection.pool === silent || connection.heardAt <= since + 1) connection.isSuspect = true
    }
  }

  /** When a statement of the pool began that should have been answered by now. */
  const overdueSince = ({ statements, interrupted, patience }: Pool): number | undefined => {
    const [oldest] = statements
    let since = oldest !== undefined && now - oldest.begunAt >= patience ? oldest.begunAt : undefined
    for (const begunAt of interrupted) {
      if (now - begunAt < patience) continue
      interrupted.delete(begunAt)
      since ??= begunAt
    }
    return since
  }

  return {
    /** `failed` is called with what its statements fail with. */
    pool: (patienceMillis: number, failed: (cause: Cause.Cause<unknown>) => void = () => {}): WatchedPool => {
      const statements = new LinkedSet<Statement>()
      const interrupted = new Set<number>()
      const pool: Pool = { patience: Math.ceil(patienceMillis / TICK_MILLIS), statements, interrupted }
      pools.push(pool)
      const own = () => [...connections].filter((connection) => connection.pool === pool)
      let size = 0
      return {
        open: (options) => {
          const socket = connect({
            noDelay: true,
            keepAlive: true,
            keepAliveInitialDelay: KEEP_ALIVE_MILLIS,
            ...options
          })
          const connection: Connection = { socket, pool, bytesHeard: 0, heardAt: now, isSuspect: false }
          connections.add(connection)
          size += 1
          // Under TLS the driver listens to the socket above this one.
          socket.on("error", () => {})
          socket.once("close", () => {
            size -= 1
            connections.delete(connection)
          })
          return socket
        },
        during: (statement) =>
          Effect.suspend(() => {
            const begunAt = now
            const begun: Begun<Statement> = statements.begin({ begunAt })
            return Effect.onExitPrimitive(statement, (exit) => {
              statements.end(begun)
              if (Exit.isFailure(exit)) {
                if (Cause.hasInterrupts(exit.cause)) interrupted.add(begunAt)
                else failed(exit.cause)
              }
              return undefined
            })
          }),
        isFull: (statementsPerConnection) => statements.size >= size * statementsPerConnection,
        closeAll: () => own().forEach(close)
      }
    },
    /** Returns how many connections were closed. */
    tick: (): number => {
      now += 1
      listen()
      for (const pool of pools) {
        const since = overdueSince(pool)
        if (since !== undefined) suspect(pool, since)
      }
      const before = closed
      for (const connection of connections) {
        if (connection.isSuspect && now - connection.heardAt >= connection.pool.patience) close(connection)
      }
      return closed - before
    },
    closed: () => closed
  }
}

/** The connections of this process to PostgreSQL. */
export class ConnectionWatch extends Context.Service<
  ConnectionWatch,
  { readonly pool: ReturnType<typeof makeWatch>["pool"] }
>()("peyk/layers/postgres/ConnectionWatch") {
  static readonly layer = Layer.effect(
    ConnectionWatch,
    Effect.gen(function* () {
      const { pool, tick, closed } = makeWatch()
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
      return ConnectionWatch.of({ pool })
    })
  )
}
