import { Schema, SchemaGetter } from "effect"
import { Flag } from "effect/cli"

interface Bounds {
  readonly minimum: number
  readonly maximum: number
}

const isWholeIn = (text: string, { minimum, maximum }: Bounds): boolean =>
  /^\d+$/.test(text) && Number(text) >= minimum && Number(text) <= maximum

const numberOrDefault = (bounds: Bounds) =>
  Schema.String.check(
    Schema.makeFilter(
      (text) =>
        text === "default" ||
        isWholeIn(text, bounds) ||
        `a whole number from ${bounds.minimum} to ${bounds.maximum}, or default, is expected`
    )
  ).pipe(
    Schema.decodeTo(Schema.NullOr(Schema.Int), {
      decode: SchemaGetter.transform((text: string) => (text === "default" ? null : Number(text))),
      encode: SchemaGetter.transform((number: number | null) =>
        number === null ? "default" : String(number)
      )
    })
  )

/** A whole number; null for the word `default`, which restores what Peyk chooses. */
export const defaultableFlag = (
  name: string,
  description: string,
  bounds: Bounds
): Flag.Flag<number | null> =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.withSchema(numberOrDefault(bounds)))
