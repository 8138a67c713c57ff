import { Effect } from "effect"
import type { Meaning } from "./AnswerTable.ts"
import { AccountProblem } from "../../../services/provider/ProviderAdapter.ts"

/** The problem that a check of an account found. Only an answer that blames the set-up is definite. */
export const problemOf = (message: string, meaning: Meaning | undefined): AccountProblem =>
  new AccountProblem({ message, isDefinite: meaning === "configuration" })

/** A number, or its text; NaN if it is neither. */
export const numberOf = (value: unknown): number =>
  typeof value === "number" || (typeof value === "string" && value.trim() !== "") ? Number(value) : NaN

/** The number in the first of these fields that has one; NaN without one. */
export const creditIn =
  (...fields: ReadonlyArray<string>) =>
  (data: unknown): number =>
    fields.map((field) => numberOf(Object(data)[field])).find(Number.isFinite) ?? NaN

/** The result of a check that found nothing to mention. */
export const NO_WARNING = ""

/**
 * A warning if the account's lines lack this one. Only a warning: a line that several accounts share may be missing
 * from the list.
 */
export const warnOfLine = Effect.fnUntraced(function* (
  line: string | undefined,
  lines: Effect.Effect<ReadonlyArray<string>, AccountProblem>
) {
  if (line === undefined) return NO_WARNING
  const known = yield* lines
  return known.length === 0 || known.includes(line)
    ? NO_WARNING
    : `line ${line} is not among the account's: ${known.join(", ")}`
})

/** The answer about a template, whose problem names it: a provider can say just “Not found”. */
export const askAbout = <A>(
  template: string,
  answer: Effect.Effect<A, AccountProblem>
): Effect.Effect<A, AccountProblem> =>
  Effect.mapError(
    answer,
    ({ message, isDefinite }) => new AccountProblem({ message: `${template}: ${message}`, isDefinite })
  )

/** Fails if the template does not have the variable that is to take the code. */
export const requireVariable = (
  template: string,
  variable: string,
  names: ReadonlyArray<string>
): Effect.Effect<void, AccountProblem> =>
  names.includes(variable)
    ? Effect.void
    : Effect.fail(
        new AccountProblem({
          message: `${template} has no variable ${variable}; it has: ${names.join(", ") || "none"}`,
          isDefinite: true
        })
      )
