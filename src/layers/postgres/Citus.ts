import { type PgClient, PgConnection } from "@effect/sql-pg"
import { Context, Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { pooled } from "./Hosts.ts"
import { decodedAs, rowsOf } from "./SqlRows.ts"

/**
 * Whether the store is a Citus cluster with distributed tables. Citus refuses some statements there, and Peyk then uses
 * others, which would cost a single PostgreSQL time.
 */
export const IsDistributed = Context.Reference<boolean>("peyk/layers/postgres/Citus/IsDistributed", {
  defaultValue: () => false
})

const HoldsRows = Schema.Tuple([Schema.Struct({ holds: Schema.Boolean })])

const HAS_CITUS = "select exists (select from pg_extension where extname = 'citus') as holds"
const HAS_DISTRIBUTED_TABLES =
  "select exists (select from pg_dist_partition where logicalrelid = to_regclass('timers')) as holds"

/** The second query only works where Citus is. */
export const isDistributed = (address: PgClient.PgPoolConfig): Effect.Effect<boolean, SqlError.SqlError> =>
  Effect.gen(function* () {
    const connection = yield* PgConnection.make({ ...address, ...pooled, applicationName: "peyk" })
    const holds = (query: string) =>
      Effect.map(
        decodedAs(HoldsRows)(Effect.map(connection.query(query), ({ rows }) => rows)),
        ([row]) => row.holds
      )
    return (yield* holds(HAS_CITUS)) && (yield* holds(HAS_DISTRIBUTED_TABLES))
  }).pipe(Effect.scoped)

/** Keeps the numbers of customers apart from other advisory locks. */
const CUSTOMER_LOCKS = 27

/** Runs a statement that changes sends and wallets of these customers; read only where the statements of a customer exclude each other. */
type WithCustomerLock = <A, E>(
  sql: SqlClient.SqlClient,
  customerIds: () => ReadonlyArray<number>,
  statement: Effect.Effect<A, E>
) => Effect.Effect<A, E | SqlError.SqlError>

const lockingCustomers: WithCustomerLock = (sql, customerIds, statement) =>
  sql.withTransaction(
    Effect.andThen(
      sql`select count(pg_advisory_xact_lock(${CUSTOMER_LOCKS}, customer_id)) from (
        select distinct unnest(${customerIds()}::int[]) as customer_id order by 1) customers`,
      statement
    )
  )

/**
 * One PostgreSQL locks rows in the order of a statement, so that statements do not deadlock. The nodes of a distributed
 * store lock theirs in any order; there, statements of one customer take turns.
 */
export const customerLock: Effect.Effect<WithCustomerLock> = Effect.map(
  IsDistributed,
  (isDistributed): WithCustomerLock =>
    isDistributed ? lockingCustomers : (_sql, _customerIds, statement) => statement
)

/** With this table, rows of one customer are on one worker. */
const FIRST = "verifications"

/**
 * By `customer_id`, so that a send changes rows of one worker. All other tables stay on the coordinator: a change of
 * set-up commits there together with its entry in the audit log.
 */
export const BY_CUSTOMER = [
  FIRST,
  "messages",
  "timers",
  "events",
  "webhook_deliveries",
  "idempotency_keys",
  "phone_counters",
  "monthly_counters",
  "wallets",
  "ledger",
  "request_blocks"
] as const

/** A phone is counted for all customers together. */
const BY_PHONE = "platform_phone_counters"

/** On each node, because statements about distributed rows join it. */
const EVERYWHERE = "set_up_versions"

/** Only a cluster has it, so a single PostgreSQL needs no table for it. */
class NoCitus extends Schema.TaggedError<NoCitus>()("NoCitus", { message: Schema.String }) {}

const HoldsRow = Schema.Struct({ holds: Schema.Boolean })
const NameRow = Schema.Struct({ name: Schema.String })

/**
 * Distributes the tables of a migrated store with their rows, in one transaction. A table that is distributed already
 * stays as it is.
 */
const distribute = (shards: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [citus] = yield* rowsOf(HoldsRow)(
      sql`select exists (select from pg_extension where extname = 'citus') as holds`
    )
    if (citus?.holds !== true) {
      return yield* new NoCitus({
        message: "this database has no Citus: run `create extension citus` in it first"
      })
    }
    const existing = yield* rowsOf(NameRow)(sql`select logicalrelid::text as name from pg_dist_partition`)
    const isMissing = (table: string) => existing.every(({ name }) => name !== table)
    yield* sql`set local citus.shard_count = ${sql.literal(String(shards))}`
    for (const table of BY_CUSTOMER.filter(isMissing)) {
      const partner = table === FIRST ? "none" : FIRST
      yield* sql`select create_distributed_table(${table}, 'customer_id', colocate_with => ${partner})`
    }
    if (isMissing(BY_PHONE)) {
      yield* sql`select create_distributed_table(${BY_PHONE}, 'phone', colocate_with => 'none')`
    }
    if (isMissing(EVERYWHERE)) yield* sql`select create_reference_table(${EVERYWHERE})`
    const distributed = yield* rowsOf(NameRow)(
      sql`select logicalrelid::text as name from pg_dist_partition order by 1`
    )
    return distributed.map(({ name }) => name)
  })

/** In one transaction: either all tables are distributed or none. */
export const distributeTables = (shards: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(distribute(shards)))
