import { type Cause, Effect, Option, Result, Schema, type SchemaIssue } from "effect"
import { HttpApiError } from "effect/http-api"
import { ValidationError } from "../../domain/Errors.ts"
import { type FieldProblem } from "../../domain/Problem.ts"
import { problemsIn } from "../../domain/SchemaProblems.ts"

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

/** `body.channels[0].wait` */
const formatPath = (root: string, path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : `${text}.${String(key)}`),
    root
  )

/** The mistakes that a schema found in the part of a request that is called `root`. */
export const fieldProblems = (issue: SchemaIssue.Issue, root: string): ReadonlyArray<FieldProblem> =>
  problemsIn(issue)
    .slice(0, MAX_ISSUES)
    .map(({ path, problem }) => ({ path: formatPath(root, path), problem }))

/** The input of an action, decoded by its schema: from a form's fields, or a command's flags. */
export const decodeInput = <S extends Schema.Decoder<unknown>>(
  input: S,
  given: unknown
): Effect.Effect<S["Type"], ValidationError> =>
  Effect.fromResult(
    Result.mapError(
      Schema.decodeUnknownResult(input, { errors: "all" })(given),
      ({ issue }) => new ValidationError({ problems: fieldProblems(issue, "body") })
    )
  )
