import { Array as Arr, type Cause, Effect, Option, Result, Schema, SchemaAST, SchemaIssue } from "effect"
import { HttpApiError } from "effect/http-api"
import { ValidationError } from "../../domain/Errors.ts"

/** Limits the list of mistakes, so that a body full of them does not get a response many times its size. */
export const MAX_ISSUES = 100

/** The schema error of a failed request, if any. */
export const schemaErrorIn = (
  cause: Cause.Cause<unknown>
): Option.Option<HttpApiError.HttpApiSchemaError> => {
  for (const reason of cause.reasons) {
    const error = reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : undefined
    if (HttpApiError.HttpApiSchemaError.is(error)) return Option.some(error)
  }
  return Option.none()
}

/** Says what was expected without the names of our schemas: callers do not know them. */
const expectedOf = (ast: SchemaAST.AST): string => {
  if (SchemaAST.isObjects(ast)) return "Expected object"
  if (!SchemaAST.isUnion(ast)) return SchemaIssue.defaultLeafHook(new SchemaIssue.InvalidType(ast, undefined))
  const members = ast.types.map((member) => expectedOf(member).replace("Expected ", ""))
  return `Expected ${[...new Set(members)].join(" | ")}`
}

/** Effect's own texts for lengths, in plain words. */
const plainLength = (text: string): string =>
  text
    .replace(/^Expected a value with a length of at least 1$/, "must not be empty")
    .replace(/^Expected a value with a length of/, "Expected a length of")

const leafText = (issue: SchemaIssue.Leaf): string => {
  if (issue._tag === "MissingKey") return "is required"
  // Its value can be a secret in the wrong place.
  if (issue._tag === "UnexpectedKey") return "unknown field"
  return issue._tag === "InvalidType" ? expectedOf(issue.ast) : SchemaIssue.defaultLeafHook(issue)
}

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: leafText })

/** Reports a value that fits no member of a union as one of the wrong type: the formatter calls no hook for unions. */
const withoutUnions = (issue: SchemaIssue.Issue): SchemaIssue.Issue => {
  switch (issue._tag) {
    case "Pointer":
      return new SchemaIssue.Pointer(issue.path, withoutUnions(issue.issue))
    case "Encoding":
      return withoutUnions(issue.issue)
    case "Composite":
    case "AnyOf":
      return Arr.isReadonlyArrayNonEmpty(issue.issues)
        ? new SchemaIssue.Composite(issue.ast, Arr.map(issue.issues, withoutUnions), undefined)
        : new SchemaIssue.InvalidType(issue.ast, undefined)
    default:
      return issue
  }
}

/** `body.channels[0].wait` */
const formatPath = (root: string, path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>): string =>
  path.reduce<string>((text, segment) => {
    const key = typeof segment === "object" ? segment.key : segment
    return typeof key === "number" ? `${text}[${key}]` : `${text}.${String(key)}`
  }, root)

/** The mistakes that a schema found in the part of a request that is called `root`. */
export const issuesIn = (issue: SchemaIssue.Issue, root: string) =>
  formatIssues(withoutUnions(issue))
    .issues.slice(0, MAX_ISSUES)
    .map(({ path, message }) => ({ path: formatPath(root, path ?? []), message: plainLength(message) }))

/** The input of an action, decoded by its schema: from a form's fields, or a command's flags. */
export const decodeInput = <S extends Schema.Decoder<unknown>>(
  input: S,
  given: unknown
): Effect.Effect<S["Type"], ValidationError> =>
  Effect.fromResult(
    Result.mapError(
      Schema.decodeUnknownResult(input, { errors: "all" })(given),
      ({ issue }) => new ValidationError({ details: { errors: issuesIn(issue, "body") } })
    )
  )
