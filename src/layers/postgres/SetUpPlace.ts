import { Context, Effect } from "effect"
import type { SqlClient, SqlConnection } from "effect/sql"
import { CurrentPlace } from "./CellsSql.ts"

/**
 * Whether the set-up is on another machine than customers' rows. A statement is then about one of both: to join them
 * would cost several steps.
 */
export const SetUpIsApart = Context.Reference<boolean>("peyk/layers/postgres/SetUpPlace/SetUpIsApart", {
  defaultValue: () => false
})

/** Whether the fiber's statements are about customers' rows alone: then they can go straight to the rows' own machine. */
export const RowsAlone = Context.Reference<boolean>("peyk/layers/postgres/SetUpPlace/RowsAlone", {
  defaultValue: () => false
})

/** Work about customers' rows alone. */
export const alone = Effect.provideService(RowsAlone, true)

/** Connections to the rows' own machine: what statements need of the set-up is not there. */
const ofRows = new WeakSet<SqlConnection.Connection>()

export const noteConnection = (connection: SqlConnection.Connection) => ofRows.add(connection)

/** Next to a transaction: in the store's own schema, and stored at once. */
const outside = <R>(sql: SqlClient.SqlClient, context: Context.Context<R>): Context.Context<R> =>
  Context.add(Context.omit(sql.transactionService)(context), CurrentPlace, {
    cell: null
  }) as Context.Context<R>

/** Work where the set-up is, which is stored at once, next to an open transaction. */
export const besides = <A, E, R>(sql: SqlClient.SqlClient, work: Effect.Effect<A, E, R>) =>
  Effect.updateContext(work, (context: Context.Context<R>) => outside(sql, context))

/** Reads of the set-up for a batch: where it is, next to a transaction on the rows' own machine. */
export const inStore = <A, E, R>(
  sql: SqlClient.SqlClient,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.updateContext(work, (context: Context.Context<R>) => {
    const open = Context.getOrUndefined(context, sql.transactionService)
    return open !== undefined && !ofRows.has(open[0]) ? context : outside(sql, context)
  })

/** Whether the fiber works where the set-up is. */
export const isInStore = Effect.map(CurrentPlace, ({ cell, now }) => cell === null && now === undefined)

/** Of each client, whether the fiber's statements go to the rows' own machine now. */
const atRows = new WeakMap<SqlClient.SqlClient, Effect.Effect<boolean>>()

export const noteClient = (sql: SqlClient.SqlClient, isAtRows: Effect.Effect<boolean>) =>
  void atRows.set(sql, isAtRows)

/** Whether the fiber's statements go straight to the rows' own machine now: it plans them as one PostgreSQL does. */
export const isAtRows = (sql: SqlClient.SqlClient): Effect.Effect<boolean> =>
  atRows.get(sql) ?? Effect.succeed(false)
