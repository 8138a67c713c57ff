import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { type FieldErrors, fieldErrorsOf } from "../../parts/Fields.ts"
import { answerPage } from "../Answers.ts"
import type { Page, Signed } from "../Layout.ts"
import { type ConsoleError, refusalOf } from "../Refusals.ts"

/** Shows a form again if its fields were refused. Any other error is answered as everywhere. */
export const showAgain =
  <R>(view: Signed, show: (errors: FieldErrors) => Effect.Effect<Page, ConsoleError, R>) =>
  (error: ConsoleError): Effect.Effect<HttpServerResponse.HttpServerResponse, ConsoleError, R> => {
    const errors = fieldErrorsOf(error, view.locale)
    if (errors.size === 0) return Effect.fail(error)
    const { status, headers } = refusalOf(error, view.locale)
    return Effect.map(show(errors), (page) => answerPage(view, page, { status, headers }))
  }
