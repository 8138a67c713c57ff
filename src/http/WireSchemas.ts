import { Option, Predicate, Schema, SchemaTransformation } from "effect"
import { formatInstant, Instant } from "../domain/Instant.ts"
import { parseDateTime } from "../domain/message/Schedule.ts"

/** An optional field; `null` counts as absent. */
export const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

export const PositiveInt = Schema.Int.check(Schema.isGreaterThan(0))

/** Hexadecimal digits mean the same in either case, but values derived from an id's text differ. */
export const ResourceId = Schema.String.check(Schema.isUUID()).pipe(
  Schema.decode(SchemaTransformation.toLowerCase())
)

/** A time in a request; without an offset it is Tehran's. */
export const DateTimeText = Schema.String.check(
  Schema.makeFilter((text: string) => Option.isSome(parseDateTime(text)) || "Expected an ISO 8601 date-time")
).pipe(
  Schema.decodeTo(
    Instant,
    SchemaTransformation.transform({
      decode: (text: string) => Option.getOrThrow(parseDateTime(text)),
      encode: formatInstant
    })
  )
)

const isJsonObject = (value: unknown): value is object => Predicate.isObject(value) && !Array.isArray(value)

/** A JSON object that is accepted unread: it is not copied, and none of its keys has a meaning here. */
export const jsonObject = (check: (given: object) => Schema.FilterOutput = () => true) =>
  Schema.declare(isJsonObject, { expected: "object", toCodecJson: () => undefined }).check(
    Schema.makeFilter(check, { toJsonSchema: () => ({ type: "object" }) })
  )
