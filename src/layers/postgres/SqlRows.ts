import { DateTime, Effect, Option, Schema, SchemaTransformation } from "effect"
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

/** A bigint column of rials: within what a number holds exactly. */
export const RialsColumn = Schema.BigInt.pipe(
  Schema.decodeTo(
    Schema.Int,
    SchemaTransformation.transform({ decode: (rials) => Number(rials), encode: (rials) => BigInt(rials) })
  )
)

/** An instant as a timestamptz parameter. */
export const timestamp = (instant: number) => DateTime.toDateUtc(DateTime.makeUnsafe(instant))

export const nullableTimestamp = (instant: number | null) => (instant === null ? null : timestamp(instant))

/** What a statement returns, decoded as a whole: that it is something else is a defect; what PostgreSQL answers is passed on. */
export const decodedAs = <S extends Schema.Decoder<unknown>>(rows: S) => {
  const decode = Schema.decodeUnknownEffect(rows)
  return <E>(statement: Effect.Effect<ReadonlyArray<unknown>, E>): Effect.Effect<S["Type"], E> =>
    Effect.flatMap(statement, (found) => Effect.orDie(decode(found)))
}

/**
 * Rows decoded through a schema. What can go wrong here (the store is unreachable, the schema is not ours) is nothing a
 * caller could act on, so it is a defect.
 */
export const rowsOf = <S extends Schema.Decoder<unknown>>(row: S) => {
  const decoded = decodedAs(Schema.Array(row))
  return <E>(statement: Effect.Effect<ReadonlyArray<unknown>, E>): Effect.Effect<ReadonlyArray<S["Type"]>> =>
    Effect.orDie(decoded(statement))
}

export const first = <A>(rows: Effect.Effect<ReadonlyArray<A>>): Effect.Effect<Option.Option<A>> =>
  Effect.map(rows, ([row]) => Option.fromUndefinedOr(row))
