import { type Cause, Option, SchemaIssue } from "effect"
import { HttpApiError } from "effect/http-api"

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

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1({
  // Its value can be a secret in the wrong place.
  leafHook: (issue) => (issue._tag === "UnexpectedKey" ? "unknown field" : SchemaIssue.defaultLeafHook(issue))
})

/** `body.channels[0].wait` */
const formatPath = (root: string, path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>): string =>
  path.reduce<string>((text, segment) => {
    const key = typeof segment === "object" ? segment.key : segment
    return typeof key === "number" ? `${text}[${key}]` : `${text}.${String(key)}`
  }, root)

/** The mistakes that a schema found in the part of a request that is called `root`. */
export const issuesIn = (issue: SchemaIssue.Issue, root: string) =>
  formatIssues(issue)
    .issues.slice(0, MAX_ISSUES)
    .map(({ path, message }) => ({ path: formatPath(root, path ?? []), message }))
