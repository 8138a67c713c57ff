import { Predicate, Schema, SchemaAST, SchemaIssue } from "effect"
import { type Expected, type Problem, problem } from "./Problem.ts"
import { textOf } from "./ProblemTexts.ts"

declare module "effect/Schema" {
  namespace Annotations {
    interface Annotations {
      /** What is wrong with a value that this refuses. */
      readonly problem?: Problem
    }
  }
}

/** Annotations for a check, or a schema, that refuses a value with this problem. */
export const refusing = (refused: Problem) => ({ message: textOf(refused), problem: refused })

/** A check with its problem. */
export const check = <T>(accepts: (value: T) => boolean, refused: Problem) =>
  Schema.makeFilter(accepts, refusing(refused))

/** Bounds a list. Effect checks texts in the same way, so that its own check does not tell them apart. */
export const isMaxEntries = (maximum: number) =>
  Schema.isMaxLength(maximum, refusing(problem("too_many", { maximum })))

/** What a filter returns that finds one of several problems. */
export const refusedWith = (refused: Problem): SchemaIssue.Issue =>
  new SchemaIssue.InvalidValue(refusing(refused))

/** Refuses a part of the value. */
export const refusedAt = (path: ReadonlyArray<PropertyKey>, refused: Problem): Schema.FilterIssue => ({
  path,
  issue: refusedWith(refused)
})

const EXPECTED = "Expected "

/** What was expected, without the names of our schemas: callers do not know them. */
const expectedOf = (ast: SchemaAST.AST): ReadonlyArray<Expected> => {
  if (SchemaAST.isObjects(ast)) return [{ type: "object" }]
  if (SchemaAST.isUnion(ast)) return ast.types.flatMap(expectedOf)
  if (SchemaAST.isLiteral(ast) && typeof ast.literal === "string") return [{ value: ast.literal }]
  return [
    { type: SchemaIssue.defaultLeafHook(new SchemaIssue.InvalidType(ast, undefined)).slice(EXPECTED.length) }
  ]
}

/** Effect's own checks, by the names and values under which it keeps them. */
const problemOfCheck = ({ representation }: Schema.Annotations.Filter): Problem | null => {
  const given: unknown = representation?.payload
  const value = (name: string) => Number(Predicate.hasProperty(given, name) ? given[name] : undefined)
  switch (representation?.id) {
    case "effect/schema/isInt":
      return problem("not_integer")
    case "effect/schema/isFinite":
      return problem("not_number")
    case "effect/schema/isUUID":
      return problem("not_uuid")
    case "effect/schema/isBetween":
      return problem("out_of_range", { minimum: value("minimum"), maximum: value("maximum") })
    case "effect/schema/isGreaterThan":
      return problem("too_small", { above: value("exclusiveMinimum") })
    case "effect/schema/isMaxLength":
      return problem("too_long", { maximum: value("maxLength") })
    case "effect/schema/isMinLength":
      return value("minLength") === 1 ? problem("empty") : null
    default:
      return null
  }
}

const inEffectsWords = SchemaIssue.makeFormatterStandardSchemaV1()

/** Annotations that say themselves what is wrong. */
const statedIn = (annotations: Schema.Annotations.Annotations | undefined): Problem | null => {
  if (annotations?.problem !== undefined) return annotations.problem
  const message = annotations?.["message"]
  return typeof message === "string" ? problem("other", { text: message }) : null
}

/** How a schema's problems are reported, where it is not as in a request. */
export interface SchemaReporting {
  readonly missing: Problem
  readonly unknown: Problem
  /** For checks that do not say what is wrong. */
  readonly check?: Problem
}

const OF_REQUESTS: SchemaReporting = { missing: problem("required"), unknown: problem("unknown_field") }

const filterProblem = (issue: SchemaIssue.Filter, reporting: SchemaReporting): Problem | null => {
  const { filter, issue: inner } = issue
  const stated =
    statedIn(filter.annotations) ?? (inner._tag === "InvalidValue" ? statedIn(inner.annotations) : null)
  if (stated !== null || inner._tag !== "InvalidValue") return stated
  return (
    reporting.check ??
    problemOfCheck(filter.annotations ?? {}) ??
    problem("other", { text: inEffectsWords(issue).issues[0]?.message ?? "" })
  )
}

const leafProblem = (issue: SchemaIssue.Leaf | SchemaIssue.AnyOf, reporting: SchemaReporting): Problem => {
  switch (issue._tag) {
    case "MissingKey":
      return reporting.missing
    case "UnexpectedKey":
      // Its value can be a secret in the wrong place.
      return reporting.unknown
    case "AnyOf":
    case "InvalidType":
      return issue.ast.annotations?.problem ?? problem("unexpected_type", { expected: expectedOf(issue.ast) })
    case "InvalidValue":
      return statedIn(issue.annotations) ?? problem("other", { text: SchemaIssue.defaultLeafHook(issue) })
    default:
      return problem("other", { text: SchemaIssue.defaultLeafHook(issue) })
  }
}

/** What a schema found wrong in a value, and where. */
interface FoundProblem {
  readonly path: ReadonlyArray<PropertyKey>
  readonly problem: Problem
}

/** A filter's own problem takes the place of those that it contains. */
const problemsAt = (
  issue: SchemaIssue.Issue,
  path: ReadonlyArray<PropertyKey>,
  reporting: SchemaReporting,
  stated: Problem | null
): ReadonlyArray<FoundProblem> => {
  switch (issue._tag) {
    case "Filter":
      return problemsAt(issue.issue, path, reporting, stated ?? filterProblem(issue, reporting))
    case "Encoding":
      return problemsAt(issue.issue, path, reporting, stated)
    case "Pointer":
      return problemsAt(issue.issue, [...path, ...issue.path], reporting, stated)
    case "Composite":
      return issue.issues.flatMap((each) => problemsAt(each, path, reporting, stated))
    case "AnyOf":
      if (issue.issues.length > 0) {
        return issue.issues.flatMap((each) => problemsAt(each, path, reporting, stated))
      }
  }
  return [{ path, problem: stated ?? leafProblem(issue, reporting) }]
}

/** Everything that a schema found wrong in a value. */
export const problemsIn = (
  issue: SchemaIssue.Issue,
  reporting: SchemaReporting = OF_REQUESTS
): ReadonlyArray<FoundProblem> => problemsAt(issue, [], reporting, null)
