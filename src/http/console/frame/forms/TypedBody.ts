import { Effect, Result, Schema } from "effect"
import { ValidationError } from "../../../../domain/Errors.ts"
import { plainNumber } from "../../../../domain/text/Digits.ts"
import { pasted } from "../../../../domain/text/PastedText.ts"
import { issuesIn } from "../../../errors/SchemaErrors.ts"

/** The fields of a form, decoded by the schema that the management API uses for the same change. */
export const readTyped = <S extends Schema.Decoder<unknown>>(
  body: S,
  typed: unknown
): Effect.Effect<S["Type"], ValidationError> =>
  Effect.fromResult(
    Result.mapError(
      Schema.decodeUnknownResult(body, { errors: "all" })(typed),
      ({ issue }) => new ValidationError({ details: { errors: issuesIn(issue, "body") } })
    )
  )

/** A number that was typed, in any digits; what is none stays text, so that its schema says what it expected. */
export const typedNumber = (text: string | null): unknown => {
  const trimmed = plainNumber(pasted(text ?? ""))
  if (trimmed === "") return null
  return /^-?\d{1,15}$/.test(trimmed) ? Number(trimmed) : trimmed
}
