import { PgTypes } from "@effect/sql-pg"
import { Effect, Exit, Result } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import type { BatchColumn } from "../SqlRows.ts"

/**
 * Statements about customers' rows alone, where the set-up is on another machine of a Citus cluster. Citus sends a
 * statement to the rows' machine whole if it is about tables there alone. It never does so with an `insert` inside a
 * `with`: its parts become steps, whose rows pass through the coordinator. So a batch is a transaction of statements that
 * are sent together, and one commit of one machine.
 *
 * What Citus needs of an `insert … select` (13.2):
 * - its source reads a table there: `here`, of one row, or one that is joined anyway;
 * - everything in it is immutable. A stable function, such as a time plus an interval, a cast of text to an array, or
 *   `jsonb_build_object`, makes Citus write the statement again, with a condition that has no column.
 */
export interface RowStatement<Row> {
  readonly text: string
  readonly parameters: (rows: ReadonlyArray<Row>) => ReadonlyArray<PgTypes.Parameter>
}

const PLACE: BatchColumn<unknown> = { name: "nth", type: "int4", of: (_, index) => index + 1 }

/**
 * A statement about the rows of a batch, which are unnested with those of the columns that it names.
 *
 * @param text of the rows, to select from, as `r`
 */
export const rowStatement = <Row>(
  columns: ReadonlyArray<BatchColumn<Row>>,
  text: (rows: string) => string
): RowStatement<Row> => {
  const bare = text("")
  const used = [...columns, PLACE].filter(({ name }) => new RegExp(`\\b${name}\\b`).test(bare))
  const arrays = used.map(({ type }, index) => `$${index + 1}::${type}[]`).join(", ")
  const names = used.map(({ name }) => name).join(", ")
  return {
    text: text(`unnest(${arrays}) r (${names})`),
    parameters: (rows) =>
      used.map(({ type, of }) => Result.getOrThrow(PgTypes.array(rows.map(of), PgTypes.OID[type])))
  }
}

/** An int[] of a column that `intArrayText` wrote. A cast of the whole text would not be immutable. */
export const intArrayIn = (column: string): string => `string_to_array(btrim(${column}, '{}'), ',')::int[]`

/** One statement of a transaction, ready to be sent. */
export type Sent = (sql: SqlClient.SqlClient) => Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>

export const sent =
  <Row>({ text, parameters }: RowStatement<Row>, rows: ReadonlyArray<Row>): Sent =>
  (sql) =>
    sql.unsafe(text, parameters(rows))

/**
 * Sends statements of an open transaction together; results in their order. All are awaited, also after a failure: the
 * driver would cancel those that are interrupted, by a connection of its own.
 */
export const sendAll = (
  sql: SqlClient.SqlClient,
  statements: ReadonlyArray<Sent>
): Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError.SqlError> =>
  Effect.flatMap(
    Effect.forEach(statements, (statement) => Effect.exit(statement(sql)), { concurrency: "unbounded" }),
    // The first failure is the cause of those after it.
    (exits) =>
      Exit.asVoidAll(exits.slice(0, exits.findIndex(Exit.isFailure) + 1)).pipe(
        Exit.map(() => exits.flatMap((exit) => (Exit.isSuccess(exit) ? [exit.value] : [])))
      )
  )

/** What `raise_race()` does in one statement: nothing of the transaction is stored. */
export const raceLost = (message: string) =>
  new SqlError.SqlError({
    reason: new SqlError.SerializationError({ cause: new Error(message), message, operation: "execute" })
  })
