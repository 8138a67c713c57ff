import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Exit, Ref, Schedule, Schema, Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlClient, SqlError } from "effect/sql"
import { decodedAs } from "../SqlRows.ts"
import { directoryError, errorCode } from "./EmbeddedPostgresError.ts"
import { passwordIn } from "./EmbeddedPostgresPassword.ts"
import { socketPathIn } from "./EmbeddedPostgresDirectory.ts"
import { findPostmaster, removeStaleLocks, stopPostmaster } from "./EmbeddedPostgresPostmaster.ts"
import { type Cluster, NotYet, startServer } from "./EmbeddedPostgresServer.ts"

/**
 * Every process that uses the server holds a shared advisory lock, which PostgreSQL releases if the process dies.
 * A process that gets it exclusively is therefore alone, and keeps newcomers out while it stops the server.
 */
const presenceKey = "1885698411"

interface Presence {
  readonly sql: SqlClient.SqlClient
  readonly close: Effect.Effect<void>
}

const openSession = Effect.fnUntraced(function* (directory: string) {
  const password = yield* passwordIn(directory)
  const scope = yield* Scope.make()
  const close = Scope.close(scope, Exit.void)
  const sql = yield* PgClient.makeClient({
    path: socketPathIn(directory),
    username: "postgres",
    password,
    database: "postgres",
    applicationName: "peyk presence"
  }).pipe(
    Scope.provide(scope),
    Effect.provide(Reactivity.layer),
    Effect.onError(() => close)
  )
  return { sql, close } satisfies Presence
})

const lockRows = decodedAs(Schema.Tuple([Schema.Struct({ done: Schema.Boolean })]))

const callLock = (sql: SqlClient.SqlClient, name: string) =>
  Effect.map(lockRows(sql.unsafe(`select ${name}(${presenceKey}) as done`)), ([{ done }]) => done)

const attach = Effect.fnUntraced(function* (directory: string) {
  const presence = yield* openSession(directory)
  const isWelcome = yield* callLock(presence.sql, "pg_try_advisory_lock_shared").pipe(
    Effect.onError(() => presence.close)
  )
  if (isWelcome) return presence
  yield* presence.close
  return yield* new NotYet({ reason: "another process is stopping the server" })
})

const startUnlessHeld = Effect.fnUntraced(function* (cluster: Cluster) {
  yield* removeStaleLocks(cluster.directory)
  const holder = findPostmaster(cluster.directory)
  if (holder !== undefined) {
    return yield* new NotYet({ reason: `process ${holder.pid} has the directory, but does not answer` })
  }
  yield* startServer(cluster)
})

const isNobodyListening = ({ reason }: SqlError.SqlError) =>
  reason._tag === "ConnectionError" && ["ENOENT", "ECONNREFUSED"].includes(errorCode(reason.cause) ?? "")

const toNotYet = ({ message, reason }: SqlError.SqlError) =>
  new NotYet({ reason: reason.cause instanceof Error ? `${message}: ${reason.cause.message}` : message })

const joinOnce = (cluster: Cluster) =>
  attach(cluster.directory).pipe(
    Effect.catchIf(
      (error) => error._tag === "SqlError" && isNobodyListening(error),
      () => Effect.andThen(startUnlessHeld(cluster), attach(cluster.directory))
    ),
    Effect.catchTag("SqlError", (error) => Effect.fail(toNotYet(error)))
  )

const patienceMillis = { server: 120_000, process: 15_000 }

/** A server that recovers, or writes everything out before it stops, gets more time than a mere race. */
const isWorthWaiting = (directory: string, since: number) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const status = findPostmaster(directory)?.status ?? ""
    const isBusy = status === "starting" || status === "stopping"
    return now - since < (isBusy ? patienceMillis.server : patienceMillis.process)
  })

const pauses = Schedule.min([Schedule.exponential("10 millis", 1.5), Schedule.spaced("200 millis")])

const join = Effect.fnUntraced(function* (cluster: Cluster) {
  const since = yield* Clock.currentTimeMillis
  return yield* joinOnce(cluster).pipe(
    Effect.retry({
      schedule: pauses,
      while: (error) =>
        error._tag === "NotYet" ? isWorthWaiting(cluster.directory, since) : Effect.succeed(false)
    }),
    Effect.catchTag("NotYet", ({ reason }) =>
      Effect.fail(directoryError(cluster.directory, `has a PostgreSQL that cannot be used: ${reason}`))
    )
  )
})

const stopIfAlone = Effect.fnUntraced(function* (directory: string, sql: SqlClient.SqlClient) {
  if (yield* callLock(sql, "pg_try_advisory_lock")) yield* stopPostmaster(directory)
})

const leave = (directory: string, presence: Presence) =>
  Effect.andThen(
    callLock(presence.sql, "pg_advisory_unlock_shared"),
    stopIfAlone(directory, presence.sql)
  ).pipe(
    // our session may have died since, in a crash that the server survived
    Effect.catchTag("SqlError", () =>
      Effect.flatMap(openSession(directory), (visit) =>
        Effect.ensuring(stopIfAlone(directory, visit.sql), visit.close)
      )
    ),
    Effect.ignore,
    Effect.ensuring(presence.close)
  )

/** If a crash ended our session, or the server with it, returns before others can think that we have left. */
const watch = (cluster: Cluster, current: Ref.Ref<Presence>) =>
  Effect.sleep("2 seconds").pipe(
    Effect.andThen(Ref.get(current)),
    Effect.flatMap(({ sql }) => sql.unsafe("select 1")),
    Effect.catchTag("SqlError", () => rejoin(cluster, current)),
    Effect.catchTag("EmbeddedPostgresError", ({ message }) => Effect.logError(message)),
    Effect.forever
  )

const rejoin = (cluster: Cluster, current: Ref.Ref<Presence>) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const presence = yield* restore(join(cluster))
      const lost = yield* Ref.getAndSet(current, presence)
      yield* lost.close
    })
  )

/** Joins the processes that use the cluster's server, and starts it if there is none, until the scope closes. */
export const joinServer = Effect.fnUntraced(function* (cluster: Cluster) {
  const current = yield* Effect.acquireRelease(
    Effect.flatMap(join(cluster), (presence) => Ref.make<Presence>(presence)),
    (current) => Effect.flatMap(Ref.get(current), (presence) => leave(cluster.directory, presence)),
    { interruptible: true }
  )
  yield* Effect.forkScoped(watch(cluster, current))
  return (yield* Ref.get(current)).sql
})
