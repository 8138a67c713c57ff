import { Predicate, Schema, SchemaTransformation } from "effect"

/** An optional field; `null` counts as absent. */
export const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

export const PositiveInt = Schema.Int.check(Schema.isGreaterThan(0))

/** Hexadecimal digits mean the same in either case, but what is derived from an id's text differs. */
export const ResourceId = Schema.String.check(Schema.isUUID()).pipe(
  Schema.decode(SchemaTransformation.toLowerCase())
)

const isJsonObject = (value: unknown): value is object => Predicate.isObject(value) && !Array.isArray(value)

/** A JSON object that is taken as it is: neither looked into nor copied, so that none of its keys means anything here. */
export const jsonObject = (check: (given: object) => Schema.FilterOutput = () => true) =>
  Schema.declare(isJsonObject, { expected: "object", toCodecJson: () => undefined }).check(
    Schema.makeFilter(check, { toJsonSchema: () => ({ type: "object" }) })
  )
