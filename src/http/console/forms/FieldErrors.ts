import { fieldMessages } from "./FieldMessages.ts"
import { type FieldsPart, type FormField, type Html, html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import type { ConsoleError } from "../frame/Refusals.ts"

/** The errors of a form, by field name. */
export type FieldErrors = ReadonlyMap<string, string>

export const noFieldErrors: FieldErrors = new Map()

/** The errors of a form from what a use case refused, for people; `body.name` blames the field `name`. */
export const fieldErrorsOf = (error: ConsoleError, locale: Locale): FieldErrors => {
  if (error._tag !== "validation_error") return noFieldErrors
  const byName = Map.groupBy(error.problems ?? [], ({ path }) => path.replace(/^(?:body|query)\./, ""))
  return new Map(
    Array.from(byName, ([name, found]) => [
      name,
      fieldMessages(
        found.map(({ problem }) => problem),
        locale
      )
    ])
  )
}

/** The same where one field stands for a whole list: an error of `allowed_ips[3]` is one of `allowed_ips`. */
export const byField = (errors: FieldErrors): FieldErrors =>
  new Map([...errors].map(([name, message]) => [name.split(/[.[]/)[0] ?? name, message]))

/** The names of errors that belong to no field: somebody else's change, and what else stands in the way. */
export const CHANGED = "version"
export const CONFLICT = "conflict"

/** One line of the summary: a link to the field; only the message, if the form has no such field. */
const problem = (field: FormField | undefined, message: string): Html =>
  field === undefined
    ? html`<li><bdi>${message}</bdi></li>`
    : html`<li><a href="#${field.id}">${field.label}</a>: <bdi>${message}</bdi></li>`

/** Over the fields of a form that was refused: what is wrong, with links to the fields by their labels. */
export const errorSummary = (errors: FieldErrors, { say }: Locale): FieldsPart | null => {
  if (errors.size === 0) return null
  const heading =
    errors.has(CHANGED) || errors.has(CONFLICT)
      ? say("Nothing was saved:", "چیزی ذخیره نشد:")
      : say("Please correct this:", "لطفاً این‌ها را درست کنید:")
  return (fields) =>
    html`<div class="notice bad" role="alert">
      <p><strong>${heading}</strong></p>
      <ul>
        ${[...errors].map(([name, message]) =>
          problem(
            fields.find((field) => field.name === name),
            message
          )
        )}
      </ul>
    </div>`
}
