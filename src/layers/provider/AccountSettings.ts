import { Result, Schema, SchemaTransformation } from "effect"
import { problem } from "../../domain/Problem.ts"
import { check, problemsIn, refusing, type SchemaReporting } from "../../domain/SchemaProblems.ts"
import { pasted, withoutFormat } from "../../domain/text/PastedText.ts"
import { InvalidSettings } from "../../services/provider/ProviderAdapter.ts"

const REPORTING: SchemaReporting = {
  missing: problem("setting_missing"),
  unknown: problem("setting_unknown"),
  check: problem("setting_not_allowed")
}

/** Reads an account's settings and reports all mistakes at once. */
export const readSettings = <S extends Schema.Decoder<unknown>>(
  schema: S,
  settings: unknown
): Result.Result<S["Type"], InvalidSettings> =>
  Result.mapError(
    Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })(settings),
    ({ issue }) =>
      new InvalidSettings({
        problems: problemsIn(issue, REPORTING).map(({ path, problem: found }) => ({
          setting: path.length === 0 ? null : path.map(String).join("."),
          problem: found
        }))
      })
  )

/** A credential as a provider issues it: printable, without spaces. Its page can add invisible characters to a copy. */
export const Credential = Schema.String.pipe(
  Schema.decode(SchemaTransformation.transform({ decode: withoutFormat, encode: (text) => text })),
  Schema.check(
    Schema.isPattern(
      /^[\x21-\x7e]{1,500}$/,
      refusing(problem("setting_not_printable", { minimum: 1, maximum: 500 }))
    )
  )
)

export const ReceivesUpdates = {
  receives_updates: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "No if another program of yours gets the bot's updates; yes by default."
  })
}

const digitsOf = (value: number | string): string => pasted(String(value))

const isPositiveInteger = (value: number | string): boolean =>
  /^[1-9]\d{0,15}$/.test(digitsOf(value)) && Number.isSafeInteger(Number(digitsOf(value)))

/** A number of the provider, or its digits. */
export const ProviderNumber = Schema.Union([Schema.Finite, Schema.String])
  .annotate(refusing(problem("setting_not_number")))
  .check(check(isPositiveInteger, problem("setting_not_number")))
  .pipe(
    Schema.decodeTo(
      Schema.Int,
      SchemaTransformation.transform<number, number | string>({
        decode: (value) => Number(digitsOf(value)),
        encode: (value) => value
      })
    )
  )

/** Calls with the same key share connections. */
export const originOf = (url: string): string => new URL(url).origin
