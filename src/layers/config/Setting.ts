import { Config, Option, Redacted, Schema, SchemaTransformation } from "effect"

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

export const text = (name: string, byDefault: string, description: string): Setting<string> => ({
  name,
  byDefault,
  description,
  config: Config.withDefault(Config.NonEmptyString(name), byDefault)
})

/** Absent and empty are the same. */
export const optionalSecret = (
  name: string,
  byDefault: string,
  description: string
): Setting<Option.Option<Redacted.Redacted>> => ({
  name,
  byDefault,
  description,
  config: Config.map(
    Config.option(Config.Redacted(name)),
    Option.filter((secret) => Redacted.value(secret) !== "")
  )
})

export const optionalFlag = (
  name: string,
  byDefault: string,
  description: string
): Setting<Option.Option<boolean>> => ({
  name,
  byDefault,
  description,
  config: Config.option(Config.Boolean(name))
})

export const flag = (name: string, byDefault: boolean, description: string): Setting<boolean> => ({
  name,
  byDefault: String(byDefault),
  description,
  config: Config.withDefault(Config.Boolean(name), byDefault)
})
