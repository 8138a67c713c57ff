import { Predicate, Schema, SchemaTransformation } from "effect"

/** An optional field; `null` counts as absent. */
export const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

export const PositiveInt = Schema.Int.check(Schema.isGreaterThan(0))

/** Hexadecimal digits mean the same in either case, but values derived from an id's text differ. */
export const ResourceId = Schema.String.check(Schema.isUUID()).pipe(
  Schema.decode(SchemaTransformation.toLowerCase())
)

const isJsonObject = (value: unknown): value is object => Predicate.isObject(value) && !Array.isArray(value)

/** A JSON object that is accepted unread: it is not copied, and none of its keys has a meaning here. */
export const jsonObject = (check: (given: object) => Schema.FilterOutput = () => true) =>
  Schema.declare(isJsonObject, { expected: "object", toCodecJson: () => undefined }).check(
    Schema.makeFilter(check, { toJsonSchema: () => ({ type: "object" }) })
  )
