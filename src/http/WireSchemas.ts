import { Schema, SchemaTransformation } from "effect"

/** An optional field; `null` counts as absent. */
export const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

export const PositiveInt = Schema.Int.check(Schema.isGreaterThan(0))

/** Hexadecimal digits mean the same in either case, but what is derived from an id's text differs. */
export const ResourceId = Schema.String.check(Schema.isUUID()).pipe(
  Schema.decode(SchemaTransformation.toLowerCase())
)
