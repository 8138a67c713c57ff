import { DateTime, Effect, Option, Schema, SchemaTransformation } from "effect"
import type { SqlClient } from "effect/sql"
import { NotFound, PreconditionFailed } from "../../domain/Errors.ts"
import { Instant } from "../../domain/Instant.ts"

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
