import { type PgClient, PgConnection } from "@effect/sql-pg"
import { Context, Effect, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { pooled } from "../hosts/Pooler.ts"
import { decodedAs } from "../SqlRows.ts"

/**
 * Whether the store is a Citus cluster with distributed tables. Citus refuses some statements there, and Peyk then uses
 * others, which would cost a single PostgreSQL time.
 */
export const IsDistributed = Context.Reference<boolean>(
  "peyk/layers/postgres/citus/Distribution/IsDistributed",
  { defaultValue: () => false }
)

const Answer = Schema.Tuple([Schema.Struct({ holds: Schema.Boolean })])

const HAS_CITUS = "select exists (select from pg_extension where extname = 'citus') as holds"
const HAS_DISTRIBUTED_TABLES =
  "select exists (select from pg_dist_partition where logicalrelid = to_regclass('timers')) as holds"

/** The second question can only be asked where Citus is. */
export const isDistributed = (place: PgClient.PgPoolConfig): Effect.Effect<boolean, SqlError.SqlError> =>
  Effect.gen(function* () {
    const connection = yield* PgConnection.make({ ...place, ...pooled, applicationName: "peyk" })
    const ask = (question: string) =>
      Effect.map(
        decodedAs(Answer)(Effect.map(connection.query(question), ({ rows }) => rows)),
        ([{ holds }]) => holds
      )
    return (yield* ask(HAS_CITUS)) && (yield* ask(HAS_DISTRIBUTED_TABLES))
  }).pipe(Effect.scoped)
