import { Config, Schema } from "effect"

/** One setting of the environment; `byDefault` is its default as the documentation shows it. */
export interface Setting<A> {
  readonly name: string
  readonly byDefault: string
  readonly description: string
  readonly config: Config.Config<A>
}

export const integer = (
  name: string,
  byDefault: number,
  range: { readonly minimum: number; readonly maximum: number },
  description: string
): Setting<number> => ({
  name,
  byDefault: String(byDefault),
  description,
  config: Config.withDefault(
    Config.schema(Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween(range)), name),
    byDefault
  )
})
