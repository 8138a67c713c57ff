import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { rowsOf } from "../SqlRows.ts"

/** With this table, rows of one customer are on one worker. */
const FIRST = "verifications"

/**
 * By `customer_id`, so that a send changes rows of one worker. All other tables stay on the coordinator: a change of
 * set-up commits there together with its entry in the audit log.
 */
const BY_CUSTOMER = [
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
    const known = yield* rowsOf(NameRow)(sql`select logicalrelid::text as name from pg_dist_partition`)
    const isMissing = (table: string) => known.every(({ name }) => name !== table)
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
