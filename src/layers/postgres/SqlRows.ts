import { PgTypes } from "@effect/sql-pg"
import { DateTime, Effect, Option, Result, Schema, SchemaTransformation } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import { NotFound, PreconditionFailed } from "../../domain/Errors.ts"
import { HOUR_MILLIS, Instant, MINUTE_MILLIS } from "../../domain/Instant.ts"
import type { KeyMode } from "../../domain/customer/Customer.ts"

/** A timestamptz column as an instant. */
export const InstantColumn = Schema.Date.pipe(
  Schema.decodeTo(
    Instant,
    SchemaTransformation.transform({
      decode: (date) => date.getTime(),
      encode: (instant) => DateTime.toDateUtc(DateTime.makeUnsafe(instant))
    })
  )
)

/** A bigint column of rials: small enough to be exact as a number. */
export const RialsColumn = Schema.BigInt.pipe(
  Schema.decodeTo(
    Schema.Int,
    SchemaTransformation.transform({ decode: (rials) => Number(rials), encode: (rials) => BigInt(rials) })
  )
)

/** A part of a statement, which must select its `commit`: the commit is not awaited. */
export const NOT_AWAITED = `quick as materialized (select set_config('synchronous_commit', 'off', true) as commit)`

/** Sends a statement as it is. */
export const sentAlone = (
  sql: SqlClient.SqlClient,
  text: string,
  parameters: ReadonlyArray<PgTypes.Parameter | Date>
): Effect.Effect<ReadonlyArray<object>, SqlError.SqlError> => sql.unsafe(text, parameters)

/** An instant as a timestamptz parameter. */
export const timestamp = (instant: number) => DateTime.toDateUtc(DateTime.makeUnsafe(instant))

export const nullableTimestamp = (instant: number | null) => (instant === null ? null : timestamp(instant))

/**
 * For reads in the order of ids, of a customer's live codes `v`. With a plain comparison, the planner may use
 * the index by phone, or take so few rows to be live that it reads and sorts all of them for the first.
 */
export const isLive = "case v.mode when 'live' then true else false end"

/** A statement's result, decoded as a whole: another form is a defect; PostgreSQL's errors are passed on. */
export const decodedAs = <S extends Schema.Decoder<unknown>>(rows: S) => {
  const decode = Schema.decodeUnknownEffect(rows)
  return <E>(statement: Effect.Effect<ReadonlyArray<unknown>, E>): Effect.Effect<S["Type"], E> =>
    Effect.flatMap(statement, (found) => Effect.orDie(decode(found)))
}

/**
 * Rows decoded through a schema. No caller can handle the possible failures (the store is unreachable, the schema is
 * not ours), so they are defects.
 */
export const rowsOf = <S extends Schema.Decoder<unknown>>(row: S) => {
  const decoded = decodedAs(Schema.Array(row))
  return <E>(statement: Effect.Effect<ReadonlyArray<unknown>, E>): Effect.Effect<ReadonlyArray<S["Type"]>> =>
    Effect.orDie(decoded(statement))
}

export const first = <A>(rows: Effect.Effect<ReadonlyArray<A>>): Effect.Effect<Option.Option<A>> =>
  Effect.map(rows, ([row]) => Option.fromUndefinedOr(row))

/**
 * Why an update by version changed nothing: there is no such row, or it has another version.
 *
 * @param current the row as it is
 */
export const notUpdated = (
  current: { readonly version: number } | undefined
): Effect.Effect<never, NotFound | PreconditionFailed> =>
  current === undefined
    ? Effect.fail(new NotFound())
    : Effect.fail(new PreconditionFailed({ details: { version: current.version } }))

const OwnerRow = Schema.Struct({ customerId: Schema.Int })

/** Finds the customer of a row by the row's id. */
export const ownerIn = (sql: SqlClient.SqlClient, table: "api_keys" | "personal_tokens" | "templates") => {
  const ownerRows = rowsOf(OwnerRow)
  return Effect.fnUntraced(function* (id: number) {
    const [row] = yield* ownerRows(
      sql`select customer_id as "customerId" from ${sql(table)} where id = ${id}`
    )
    return row === undefined ? yield* new NotFound() : row.customerId
  })
}

/** Locks the customer's row until the transaction ends: changes of its set-up wait for each other. */
export const lockCustomer = (sql: SqlClient.SqlClient, customerId: number) =>
  Effect.orDie(sql`select from customers where id = ${customerId} for update`)

/** The times in the row of a key or a token. */
export const secretTimes = {
  createdAt: InstantColumn,
  expiresAt: Schema.NullOr(InstantColumn),
  revokedAt: Schema.NullOr(InstantColumn),
  lastUsedAt: Schema.NullOr(InstantColumn)
}

/** A race is lost this often in a row only under far too much load. Then the client has to come again. */
const MAX_RACES = 20

/** Nothing was kept, and the next try may settle it. */
export const isRace = (error: unknown): boolean =>
  SqlError.isSqlError(error) &&
  (error.reason._tag === "SerializationError" || error.reason._tag === "DeadlockError")

/** Repeats a statement that lost a race, which only another try can settle. */
export const retryRaces = <A, E>(statement: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.retry(statement, { while: isRace, times: MAX_RACES })

/** One column of a batch: an array over all its requests. */
export interface BatchColumn<Row> {
  readonly name: string
  readonly type: keyof typeof PgTypes.OID
  readonly of: (row: Row, index: number) => unknown
  /** The type that the statement gets. Where the rows are changed, Citus refuses to cast them. */
  readonly cast?: "jsonb" | "int[]"
}

/** A parameter: PostgreSQL would expect a thousand rows from a series, and choose a plan that reads whole indexes. */
const UNITS = [
  ["hour", HOUR_MILLIS],
  ["minute", MINUTE_MILLIS],
  ["millisecond", 1]
] as const

/** A length of time as a literal of SQL, in its largest unit. */
export const intervalText = (millis: number): string => {
  const [unit, length] = UNITS.find(([, length]) => millis % length === 0) ?? ["millisecond", 1]
  const count = millis / length
  return `interval '${count} ${unit}${count === 1 ? "" : "s"}'`
}

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
