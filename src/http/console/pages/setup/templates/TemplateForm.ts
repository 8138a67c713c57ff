import { placeholders } from "../../../../../domain/message/Template.ts"
import { csrfField, onceField } from "../../../frame/forms/Forms.ts"
import { html, type Html } from "../../../frame/Html.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { errorSummary } from "../../../parts/fields/ErrorSummary.ts"
import { type FieldErrors, noFieldErrors } from "../../../parts/fields/FieldErrors.ts"
import { inputField, textAreaField } from "../../../parts/fields/Fields.ts"
import { ltr } from "../../../parts/Text.ts"
import { sampleName, sampleOf, templatePreview } from "./TemplatePreview.ts"

export interface Shown {
  /** Null: nothing was typed yet. */
  readonly typed: URLSearchParams | null
  readonly errors: FieldErrors
}

export const untouched: Shown = { typed: null, errors: noFieldErrors }

/** A textarea sends lines with CR LF; templates have LF. */
const bodyIn = (typed: URLSearchParams): string => (typed.get("body") ?? "").replaceAll("\r\n", "\n")

export const typedOr = ({ typed }: Shown) => ({
  name: (stored: string) => typed?.get("name") ?? stored,
  body: (stored: string) => (typed === null ? stored : bodyIn(typed)),
  sample: (name: string) => typed?.get(name) ?? null
})

/** The typed fields of a template, as the input of its actions has them. */
export const typedTemplate = (typed: URLSearchParams) => ({
  name: (typed.get("name") ?? "").trim(),
  body: bodyIn(typed)
})

export interface TemplateDraft {
  readonly action: string
  readonly name: string
  readonly body: string
  /** The field with the version of the template to change; null: a new template. */
  readonly version: Html | null
  readonly typed: (name: string) => string | null
  readonly errors: FieldErrors
}

const sampleInputs = ({ body, typed }: TemplateDraft, { locale: { say } }: View): Html | null => {
  const names = placeholders(body)
  if (names.length === 0) return null
  return html`<fieldset class="fields">
    <legend>${say("Samples for the preview", "نمونه‌ها برای پیش‌نمایش")}</legend>
    ${names.map(
      (name) =>
        html`<label class="field">
          <span>${ltr(`{{${name}}}`)}</span>
          <input name="${sampleName(name)}" value="${sampleOf(name, typed)}" dir="auto" autocomplete="off" />
        </label>`
    )}
  </fieldset>`
}

/** The form of a template, next to its preview. */
export const templateEditor = (view: View, draft: TemplateDraft): Html => {
  const { say } = view.locale
  const { action, name, body, version, errors } = draft
  return html`<div class="columns even">
    ${
      view.actor.scope === "full" &&
      html`<form
        class="panel panel-body fields"
        method="post"
        action="${action}"
        data-preview="template-preview samples"
      >
        ${csrfField(view.csrf)}${onceField()} ${version} ${errorSummary(errors, view.locale)}
        ${inputField({ name: "name", label: say("Name", "نام"), value: name, isRequired: true, errors })}
        ${textAreaField({
          name: "body",
          label: say("Text", "متن"),
          hint: say(
            "A text for codes contains {{code}}, may contain {{minutes}}, and nothing else.",
            "متن کد {{code}} دارد، می‌تواند {{minutes}} داشته باشد، و جز آن هیچ."
          ),
          rows: 7,
          value: body,
          isRequired: true,
          errors
        })}
        <div id="samples">${sampleInputs(draft, view)}</div>
        <div class="actions">
          <button class="button primary" name="do" value="save">${say("Save", "ذخیره")}</button>
          <button class="button" name="do" value="preview" formnovalidate>
            ${say("Preview", "پیش‌نمایش")}
          </button>
        </div>
      </form>`
    }
    ${templatePreview(body, draft.typed, view.locale)}
  </div>`
}
