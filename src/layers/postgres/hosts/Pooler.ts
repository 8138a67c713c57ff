import { type PgClient, PgConnection } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { SqlError } from "effect/sql"
import { decodedAs } from "../SqlRows.ts"

const PROBE_TIMEOUT = "5 seconds"

/**
 * Through a pooler that gives each transaction another session, nothing that a session keeps can be relied on.
 * Statements have no names, and no settings are sent at the start of a connection.
 */
export const pooled = { prepare: false, startupParameters: {} } as const

export const isPooled = ({ prepare }: PgClient.PgPoolConfig): boolean => prepare === false

const Backend = Schema.Tuple([Schema.Struct({ pid: Schema.Int })])

const noAnswer = () => {
  const message = "no response in time"
  const reason = new SqlError.ConnectionError({ cause: new Error(message), message, operation: "probe" })
  return Effect.fail(new SqlError.SqlError({ reason }))
}

/**
 * Whether a pooler is in between. PostgreSQL reports at the start of a connection which process serves it. A pooler
 * does not know that yet, and makes up a number. The probe sends no settings, because PgBouncer refuses those that it
 * does not know.
 */
export const hasPooler = (place: PgClient.PgPoolConfig): Effect.Effect<boolean, SqlError.SqlError> =>
  Effect.gen(function* () {
    const connection = yield* PgConnection.make({ ...place, ...pooled, applicationName: "peyk" })
    const asked = Effect.map(connection.query("select pg_backend_pid() as pid"), ({ rows }) => rows)
    const [{ pid }] = yield* decodedAs(Backend)(asked)
    return pid !== connection.processId
  }).pipe(Effect.scoped, Effect.timeoutOrElse({ duration: PROBE_TIMEOUT, orElse: noAnswer }))
