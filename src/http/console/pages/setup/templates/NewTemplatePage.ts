import { Effect, Schema } from "effect"
import { DEFAULT_CODE_TEXT } from "../../../../../domain/message/CodeText.ts"
import { auditEntriesOf } from "../../../../../services/resources/ManagementWrites.ts"
import { TemplateRecords } from "../../../../../services/resources/TemplateRecords.ts"
import { answerPage, seeOther } from "../../../frame/Answers.ts"
import { writeOnce } from "../../../frame/forms/Writes.ts"
import { html } from "../../../frame/Html.ts"
import type { Page } from "../../../frame/Layout.ts"
import { type ConsoleError, refusalOf } from "../../../frame/Refusals.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { noFieldErrors } from "../../../parts/fields/FieldErrors.ts"
import { withNotice } from "../../../parts/Notice.ts"
import { templateEditor } from "./TemplateForm.ts"
import { NEW_TEMPLATE_PATH, TEMPLATES_PATH } from "./TemplatesPage.ts"
import { isPreview, readTemplate, refusedFields, type Shown, typedOr } from "./TypedTemplate.ts"

const entry = auditEntriesOf("template")

export const newPage = (view: View, shown: Shown): Page => {
  const { say } = view.locale
  const value = typedOr(shown)
  return {
    title: say("New template", "قالب تازه"),
    name: "templates",
    lead: html`<a href="${TEMPLATES_PATH}">${say("Templates", "قالب‌ها")}</a>`,
    content: templateEditor(view, {
      action: NEW_TEMPLATE_PATH,
      name: value.name(""),
      body: value.body(DEFAULT_CODE_TEXT),
      version: null,
      typed: value.sample,
      errors: shown.errors
    })
  }
}

const create = Effect.fnUntraced(function* (view: View, typed: URLSearchParams) {
  const template = yield* readTemplate(typed)
  const templates = yield* TemplateRecords
  const id = yield* writeOnce(
    view,
    "template.create",
    Schema.Int,
    Effect.map(templates.create(view.actor.customerId, template), ({ id }) => ({
      result: id,
      audit: entry("create", id, { name: template.name })
    }))
  )
  return seeOther(withNotice(`${TEMPLATES_PATH}/${id}`, "created"))
})

export const submitNew = (view: View, typed: URLSearchParams) =>
  isPreview(typed)
    ? Effect.succeed(answerPage(view, newPage(view, { typed, errors: noFieldErrors })))
    : create(view, typed).pipe(
        Effect.catch((error: ConsoleError) => {
          const errors = refusedFields(error, view)
          if (errors === null) return Effect.fail(error)
          return Effect.succeed(
            answerPage(view, newPage(view, { typed, errors }), refusalOf(error, view.locale))
          )
        })
      )
