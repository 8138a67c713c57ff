import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"
import type { KeyMode } from "../../domain/Customer.ts"

/** One column of a batch: of all its requests, as an array. */
export interface BatchColumn<Row> {
  readonly name: string
  readonly type: keyof typeof PgTypes.OID
  readonly of: (row: Row) => unknown
}

/**
 * The rows of a batch as SQL: something to select from, with the columns' names and `nth`, from 1 on; and the parameters,
 * one array for each column, which come first in the statement.
 */
export const batchSource = <Row>(columns: ReadonlyArray<BatchColumn<Row>>) => ({
  rows: `unnest(${columns.map((_, index) => `$${index + 1}`).join(", ")}) with ordinality
    as r (${columns.map(({ name }) => name).join(", ")}, nth)`,
  parameters: (rows: ReadonlyArray<Row>): ReadonlyArray<PgTypes.Parameter> =>
    columns.map(({ type, of }) => Result.getOrThrow(PgTypes.array(rows.map(of), PgTypes.OID[type])))
})

/**
 * Which of the rows `v` are asked for, and of our mode. As an expression: indexes over one mode are for searches, and a
 * planner that knows nothing of the table yet would read all of a customer's rows through them.
 */
export const isVerification = (mode: KeyMode): string =>
  `v.customer_id = r.customer_id and v.id = r.id and v.mode || '' = '${mode}'`

/**
 * The rows, with constants as if they were columns. Compared with an indexed column as they are, they would let a planner
 * that takes a table for empty read all of it by that index, once for each row of the batch.
 */
export const withConstants = (rows: string, constants: Readonly<Record<string, string>>): string => {
  const columns = Object.entries(constants).map(([name, value]) => `${value} as ${name}`)
  return `r as materialized (select r.*, ${columns.join(", ")} from ${rows})`
}

/** An int[] in a column of texts: arrays of different lengths do not make one array. */
export const intArrayText = (values: ReadonlyArray<number>): string => `{${values.join(",")}}`
