import { Effect } from "effect"
import { auditEntriesOf } from "../../../../../services/resources/ManagementWrites.ts"
import { type TemplateChange, TemplateRecords } from "../../../../../services/resources/TemplateRecords.ts"
import { answerPage, seeOther } from "../../../frame/Answers.ts"
import { writeAs } from "../../../frame/forms/Writes.ts"
import { pathId } from "../../../frame/PathIds.ts"
import { type ConsoleError, refusalOf } from "../../../frame/Refusals.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { type FieldErrors, noFieldErrors } from "../../../parts/fields/FieldErrors.ts"
import { withNotice } from "../../../parts/Notice.ts"
import { existingPage } from "./TemplatePage.ts"
import { TEMPLATES_PATH } from "./TemplatesPage.ts"
import { isPreview, readTemplate, refusedFields } from "./TypedTemplate.ts"

const entry = auditEntriesOf("template")

const update = Effect.fnUntraced(function* (
  view: View,
  id: number,
  changed: TemplateChange,
  version: number | null
) {
  const templates = yield* TemplateRecords
  const details = { ...changed, ...(changed.body === undefined ? {} : { body: "replaced" }) }
  return yield* writeAs(
    view,
    "template.update",
    Effect.as(templates.update(view.actor.customerId, id, changed, version), {
      result: null,
      audit: entry("update", id, details)
    })
  )
})

const saveExisting = Effect.fnUntraced(function* (view: View, id: number, typed: URLSearchParams) {
  const version = Number(typed.get("version") ?? "")
  yield* update(
    view,
    id,
    yield* readTemplate(typed),
    Number.isSafeInteger(version) && version > 0 ? version : null
  )
  return seeOther(withNotice(`${TEMPLATES_PATH}/${id}`, "saved"))
})

export const submitExisting = Effect.fnUntraced(function* (view: View, typed: URLSearchParams) {
  const id = yield* pathId
  const show = (errors: FieldErrors) => existingPage(view, id, { typed, errors })
  if (isPreview(typed)) return answerPage(view, yield* show(noFieldErrors))
  return yield* saveExisting(view, id, typed).pipe(
    Effect.catch((error: ConsoleError) => {
      const errors = refusedFields(error, view)
      if (errors === null) return Effect.fail(error)
      return Effect.map(show(errors), (shown) => answerPage(view, shown, refusalOf(error, view.locale)))
    })
  )
})

export const switchTo = (active: boolean) => (view: View) =>
  Effect.flatMap(pathId, (id) =>
    Effect.as(
      update(view, id, { active }, null),
      seeOther(withNotice(`${TEMPLATES_PATH}/${id}`, active ? "enabled" : "disabled"))
    )
  )
