import { Clock, Context, Effect, Fiber, Schema } from "effect"
import { type SqlClient, type SqlConnection, SqlError } from "effect/sql"
import type { Instant } from "../../domain/Instant.ts"
import { decodedAs } from "./SqlRows.ts"
import { isStoreUnavailable } from "./StoreAvailability.ts"
import { clientOver, type Connections } from "./WatchedSql.ts"
import { counterOf } from "../../services/system/Observability.ts"

/** After the replica was too far behind or unreachable, reads use the primary for so long without asking it. */
const REST_MILLIS = 5000
/** Between two looks at a replica that is catching up. */
const LOOK_PAUSE = "10 millis"

/** For lists, searches and reports that may come from a replica. Nothing that writes uses it. */
export class ReadSql extends Context.Service<ReadSql, SqlClient.SqlClient>()(
  "peyk/layers/postgres/Replica/ReadSql"
) {}

interface Pool {
  readonly sql: SqlClient.SqlClient
  readonly connections: Connections
}

interface ReplicaOptions {
  /** For short statements, such as the primary's position. */
  readonly sql: SqlClient.SqlClient
  /** For reports that the replica cannot serve. */
  readonly primary: Pool
  readonly replica: Pool
  readonly maxLagMillis: number
  readonly counts: { primary: number; replica: number }
}

const Position = Schema.Tuple([Schema.Struct({ position: Schema.String, system: Schema.String })])
const Reached = Schema.Tuple([Schema.Struct({ reached: Schema.Boolean })])

/** Everything whose commit was confirmed is before this position. */
const positionOf = (primary: SqlClient.SqlClient) =>
  decodedAs(Position)(primary`
    select pg_current_wal_flush_lsn()::text as position, system_identifier::text as system from pg_control_system()`)

/** False for another cluster, and for a server that is no replica. */
const hasReached = (
  replica: SqlClient.SqlClient,
  { position, system }: { readonly position: string; readonly system: string }
) =>
  decodedAs(Reached)(replica`
    select coalesce(pg_last_wal_replay_lsn() >= ${position}::pg_lsn, false)
      and pg_is_in_recovery() and system_identifier::text = ${system} as reached from pg_control_system()`)

/**
 * Whether the replica has everything that was confirmed before the question, so that those who just wrote find it,
 * whichever process took it. The replica gets `maxLagMillis` to catch up.
 */
const hasCaughtUp = ({ sql, replica, maxLagMillis }: ReplicaOptions) => {
  const look = Effect.gen(function* () {
    const [position] = yield* positionOf(sql)
    for (;;) {
      const [{ reached }] = yield* hasReached(replica.sql, position)
      if (reached) return true
      yield* Effect.sleep(LOOK_PAUSE)
    }
  })
  return Effect.acquireUseRelease(
    Effect.forkDetach(look),
    (looking) =>
      Effect.timeoutOrElse(Fiber.join(looking), {
        duration: maxLagMillis,
        orElse: () => Effect.succeed(false)
      }),
    // Not awaited: a frozen server does not respond to the cancellation of its statement either.
    (looking) => Effect.sync(() => looking.interruptUnsafe())
  ).pipe(Effect.catchCause(() => Effect.succeed(false)))
}

/** How many reads ran where. Counted only while a replica is configured, but always known to metrics. */
export const readCounts = Effect.map(Effect.context<never>(), (context) => {
  const counts = { primary: 0, replica: 0 }
  for (const place of ["primary", "replica"] as const) {
    counterOf(context, "peyk_database_reads_total", {
      description: "Lists, searches and reports by where they were read, if a replica is configured.",
      attributes: { place },
      read: () => counts[place]
    })
  }
  return counts
})

const hasReason = (error: unknown, reason: string): boolean =>
  SqlError.isSqlError(error) && error.reason._tag === reason

/** The primary would take as long for a statement that took too long. */
const isReplicaProblem = (error: unknown): boolean =>
  isStoreUnavailable(error) && !hasReason(error, "StatementTimeoutError")

/** The replica had to remove rows that the statement reads, which is no reason to leave it. */
const isConflict = (error: unknown): boolean => hasReason(error, "SerializationError")

/** A client that reads from the replica while it keeps up, and from the primary otherwise. */
export const readingClient = Effect.fnUntraced(function* (options: ReplicaOptions) {
  const clock = yield* Clock.Clock
  const { primary, replica, counts } = options
  let restsUntil: Instant = 0

  const rest = Effect.suspend(() => {
    restsUntil = clock.currentTimeMillisUnsafe() + REST_MILLIS
    return Effect.logWarning("the replica is unreachable or too far behind: reads use the primary")
  })
  const isCurrent = Effect.gen(function* () {
    if (clock.currentTimeMillisUnsafe() < restsUntil) return false
    if (yield* hasCaughtUp(options)) return true
    yield* rest
    return false
  })
  const chosen = Effect.map(isCurrent, (current) => {
    counts[current ? "replica" : "primary"] += 1
    return current ? replica.connections : primary.connections
  })
  const borrower: SqlConnection.Borrower = (use) =>
    Effect.flatMap(chosen, (connections) =>
      connections === primary.connections
        ? connections.borrower(use)
        : Effect.catchIf(connections.borrower(use), isReplicaProblem, (error) =>
            Effect.andThen(isConflict(error) ? Effect.void : rest, primary.connections.borrower(use))
          )
    )
  return yield* clientOver({
    acquirer: Effect.flatMap(chosen, ({ acquirer }) => acquirer),
    borrower,
    transactionAcquirer: primary.connections.transactionAcquirer
  })
})
