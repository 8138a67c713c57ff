import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { IsDistributed } from "./Distribution.ts"

/** Keeps the numbers of customers apart from other advisory locks. */
const LOCKS_OF_TURNS = 27

/** Runs a statement that changes sends and wallets of these customers; they are asked for only where turns are taken. */
type WithCustomerLock = <A, E>(
  sql: SqlClient.SqlClient,
  customerIds: () => ReadonlyArray<number>,
  statement: Effect.Effect<A, E>
) => Effect.Effect<A, E | SqlError.SqlError>

const lockingCustomers: WithCustomerLock = (sql, customerIds, statement) =>
  sql.withTransaction(
    Effect.andThen(
      sql`select count(pg_advisory_xact_lock(${LOCKS_OF_TURNS}, customer_id)) from (
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
