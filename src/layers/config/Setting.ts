import { Config, Schema, SchemaTransformation } from "effect"

/** One setting of the environment; `byDefault` is its default as the documentation shows it. */
export interface Setting<A> {
  readonly name: string
  readonly byDefault: string
  readonly description: string
  readonly config: Config.Config<A>
}

/** Digits only: a blank setting is no 0, and `1e3` and `0x10` are mistakes. Blanks around the number are allowed. */
export const IntegerText = Schema.String.check(
  Schema.makeFilter((text) => /^\s*[+-]?\d+\s*$/.test(text) || "a whole number is expected")
).pipe(Schema.decodeTo(Schema.Int, SchemaTransformation.numberFromString))

export const integer = (
  name: string,
  byDefault: number,
  range: { readonly minimum: number; readonly maximum: number },
  description: string
): Setting<number> => ({
  name,
  byDefault: String(byDefault),
  description,
  config: Config.withDefault(Config.schema(IntegerText.check(Schema.isBetween(range)), name), byDefault)
})
