import { PgTypes } from "@effect/sql-pg"
import { Option, Result } from "effect"
import type { KeyMode } from "../../../domain/customer/Customer.ts"

/** One column of a batch: an array over all its requests. */
export interface BatchColumn<Row> {
  readonly name: string
  readonly type: keyof typeof PgTypes.OID
  readonly of: (row: Row, index: number) => unknown
  /** The type that the statement gets. Where the rows are changed, Citus refuses to cast them. */
  readonly cast?: "jsonb" | "int[]"
}

/** A parameter: PostgreSQL would expect a thousand rows from a series, and choose a plan that reads whole indexes. */
const PLACE: BatchColumn<unknown> = { name: "nth", type: "int4", of: (_, index) => index + 1 }

/**
 * The rows of a batch as SQL: something to select from, with the columns' names and `nth`, from 1 on; and the
 * parameters, one array for each column, which come first in the statement. They are unnested in the select list: as
 * functions in `from`, each column would be stored separately before the first row is read.
 */
export const batchSource = <Row>(columns: ReadonlyArray<BatchColumn<Row>>) => {
  const all = [...columns, PLACE]
  return {
    rows: `(select ${all.map(({ name, cast }, index) => `unnest($${index + 1})${cast === undefined ? "" : `::${cast}`} as ${name}`).join(", ")}) r`,
    /** The place of a further parameter. */
    next: `$${all.length + 1}`,
    parameters: (rows: ReadonlyArray<Row>): ReadonlyArray<PgTypes.Parameter> =>
      all.map(({ type, of }) => Result.getOrThrow(PgTypes.array(rows.map(of), PgTypes.OID[type])))
  }
}

/**
 * Which of the rows with this alias are requested, and in our mode. As an expression: indexes over one mode are for
 * searches, and a planner that does not know the table yet would read all of a customer's rows through them.
 */
export const isRequested = (alias: "v" | "m", mode: KeyMode): string =>
  `${alias}.customer_id = r.customer_id and ${alias}.id = r.id and ${alias}.mode || '' = '${mode}'`

/**
 * For a distributed store: by the customers of a batch, `$1`, Citus finds the shards of rows with this alias, and asks no
 * others. One PostgreSQL might read all rows of the customers.
 */
export const onShards = (alias: string, isDistributed: boolean): string =>
  isDistributed ? `and ${alias}.customer_id = any($1)` : ""

/**
 * The rows, with constants as if they were columns. If constants were compared with an indexed column, a planner that
 * assumes an empty table would read all of it by that index, once for each row of the batch.
 */
export const withConstants = (
  rows: string,
  constants: Readonly<Record<string, string>>,
  join = ""
): string => {
  const columns = Object.entries(constants).map(([name, value]) => `${value} as ${name}`)
  return `r as materialized (select r.*, ${columns.join(", ")} from ${rows} ${join})`
}

/** An int[] in a column of texts: arrays of different lengths do not make one array. */
export const intArrayText = (values: ReadonlyArray<number>): string => `{${values.join(",")}}`

/** JSON of an object that is often the same as in the previous row. */
export const jsonText = <A extends object>(): ((value: A) => string) => {
  let last: { readonly value: A; readonly text: string } | undefined
  return (value) => {
    if (last?.value !== value) last = { value, text: JSON.stringify(value) }
    return last.text
  }
}

/** The ids for one row of a batch: no transition has as many events. */
const IDS_OF_ROW = 8
const DIGITS = 3

/**
 * An id for the `place`th thing that the `row`th of a batch writes, from one that was drawn for all of it: a draw for
 * each costs microseconds. The last digits count up, so they are in the batch's order.
 */
export const batchId = (drawn: string, row: number, place: number): string =>
  drawn.slice(0, -DIGITS) + (row * IDS_OF_ROW + place).toString(16).padStart(DIGITS, "0")

/** The results, in the order of the requests: each row has the place of its request. */
export const inOrder = <Found>(
  count: number,
  rows: ReadonlyArray<readonly [nth: number, found: Found]>
): ReadonlyArray<Option.Option<Found>> => {
  const found: Array<Option.Option<Found>> = Array.from({ length: count }, () => Option.none())
  for (const [nth, row] of rows) found[nth - 1] = Option.some(row)
  return found
}

/**
 * Makes the statement of each shape once. A shape is plain data: which optional parts a batch needs. Most batches need
 * the same ones.
 */
export const statementOfShape = <Shape, Statement>(make: (shape: Shape) => Statement) => {
  const made = new Map<string, Statement>()
  return (shape: Shape): Statement => {
    const name = JSON.stringify(shape)
    const known = made.get(name)
    if (known !== undefined) return known
    const statement = make(shape)
    made.set(name, statement)
    return statement
  }
}
