import { Result, Schema, SchemaIssue, SchemaTransformation } from "effect"
import { pasted, withoutFormat } from "../../domain/text/PastedText.ts"
import { InvalidSettings } from "../../services/provider/ProviderAdapter.ts"

/** Reports what was expected, never the given value: it can be a credential. */
const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    if (issue._tag === "MissingKey") return "is missing"
    if (issue._tag === "UnexpectedKey") return "is not a setting of this provider"
    return SchemaIssue.defaultLeafHook(withoutInput(issue))
  },
  checkHook: (issue) => SchemaIssue.defaultCheckHook(issue) ?? "is not allowed"
})

const withoutInput = <Issue extends SchemaIssue.Leaf>(issue: Issue): Issue => {
  const copy = Object.assign(Object.create(Object.getPrototypeOf(issue)), issue)
  Reflect.deleteProperty(copy, "input")
  return copy
}

const pathOf = (path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> = []): string =>
  path.map((segment) => String(typeof segment === "object" ? segment.key : segment)).join(".")

/** Reads an account's settings and reports all mistakes at once. */
export const readSettings = <S extends Schema.Decoder<unknown>>(
  schema: S,
  settings: unknown
): Result.Result<S["Type"], InvalidSettings> =>
  Result.mapError(
    Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })(settings),
    ({ issue }) =>
      new InvalidSettings({
        message: formatIssues(issue)
          .issues.map(({ path, message }) => [pathOf(path), message].filter((part) => part !== "").join(" "))
          .join("; ")
      })
  )

/** A credential as a provider issues it: printable, without spaces. Its page can add invisible characters to a copy. */
export const Credential = Schema.String.pipe(
  Schema.decode(SchemaTransformation.transform({ decode: withoutFormat, encode: (text) => text })),
  Schema.check(
    Schema.isPattern(/^[\x21-\x7e]{1,500}$/, {
      message: "must be 1 to 500 printable ASCII characters without spaces"
    })
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
  .annotate({ message: "must be a positive whole number" })
  .check(Schema.makeFilter((value) => isPositiveInteger(value) || "must be a positive whole number"))
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
