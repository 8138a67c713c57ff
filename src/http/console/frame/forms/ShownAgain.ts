import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { CHANGED, CONFLICT, type FieldErrors, fieldErrorsOf } from "../../parts/fields/FieldErrors.ts"
import { answerPage } from "../Answers.ts"
import type { Page, Signed } from "../Layout.ts"
import type { Locale } from "../Locale.ts"
import { type ConsoleError, refusalOf } from "../Refusals.ts"

/** The errors of a form: of its fields, or why it cannot be saved as things are now. None: the form is not to blame. */
export const formErrorsOf = (error: ConsoleError, locale: Locale): FieldErrors => {
  if (error._tag === "precondition_failed") {
    const changed = locale.say(
      "Somebody has changed it meanwhile. What you typed is kept: look at what is saved now, then save again.",
      "در این میان کسی آن را تغییر داده است. آنچه نوشته‌اید مانده است: ببینید اکنون چه ذخیره است و دوباره ذخیره کنید."
    )
    return new Map([[CHANGED, changed]])
  }
  if (error._tag !== "conflict") return fieldErrorsOf(error, locale)
  const { text, reasons } = refusalOf(error, locale)
  return new Map([[CONFLICT, reasons[0] ?? text]])
}

/** Shows a form again if it was refused as it is. Any other error is answered as everywhere. */
export const showAgain =
  <R>(view: Signed, show: (errors: FieldErrors) => Effect.Effect<Page, ConsoleError, R>) =>
  (error: ConsoleError): Effect.Effect<HttpServerResponse.HttpServerResponse, ConsoleError, R> => {
    const errors = formErrorsOf(error, view.locale)
    if (errors.size === 0) return Effect.fail(error)
    const { status, headers } = refusalOf(error, view.locale)
    return Effect.map(show(errors), (page) => answerPage(view, page, { status, headers }))
  }
