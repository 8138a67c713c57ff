import { type Cause, Option } from "effect"
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
