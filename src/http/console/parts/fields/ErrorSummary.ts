import { type FieldsPart, type FormField, type Html, html } from "../../frame/Html.ts"
import type { Locale } from "../../frame/Locale.ts"
import { CHANGED, CONFLICT, type FieldErrors } from "./FieldErrors.ts"

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
