import { Effect, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import { changeTemplate, createTemplate } from "../../../../../services/message/TemplateActions.ts"
import type { ConsolePages } from "../../../ConsolePages.ts"
import { answerPage, seeOther } from "../../../frame/Answers.ts"
import { creating, formAction, onceFormAction } from "../../../frame/forms/ActionForms.ts"
import type { Page } from "../../../frame/Layout.ts"
import { pathId } from "../../../frame/PathIds.ts"
import { change, page, type View } from "../../../frame/SignedRoutes.ts"
import { noFieldErrors } from "../../../parts/fields/FieldErrors.ts"
import { withNotice } from "../../../parts/Notice.ts"
import { type Shown, typedTemplate, untouched } from "./TemplateForm.ts"
import { existingPage, newPage } from "./TemplatePage.ts"
import { NEW_TEMPLATE_PATH, showTemplates, TEMPLATES_PATH } from "./TemplatesPage.ts"

const TEMPLATE_PATH = `${TEMPLATES_PATH}/:id` as const

type Response = HttpServerResponse.HttpServerResponse

/** The form's second button shows the page again, with the preview of what was typed. */
const orPreview =
  <E1, R1, E2, R2>(
    show: (view: View, shown: Shown) => Effect.Effect<Page, E1, R1>,
    save: (view: View, typed: URLSearchParams) => Effect.Effect<Response, E2, R2>
  ) =>
  (view: View, typed: URLSearchParams): Effect.Effect<Response, E1 | E2, R1 | R2> =>
    typed.get("do") === "preview"
      ? Effect.map(show(view, { typed, errors: noFieldErrors }), (shown) => answerPage(view, shown))
      : save(view, typed)

const showNew = (view: View, shown: Shown) => Effect.succeed(newPage(view, shown))

const showExisting = (view: View, shown: Shown) =>
  Effect.flatMap(pathId, (id) => existingPage(view, id, shown))

const submitNew = onceFormAction(createTemplate, {
  target: creating,
  input: typedTemplate,
  shown: Schema.Int,
  show: ({ id }) => id,
  done: (_, id) => seeOther(withNotice(`${TEMPLATES_PATH}/${id}`, "created")),
  again: (view, typed, errors) => showNew(view, { typed, errors })
})

const submitExisting = formAction(changeTemplate, {
  target: pathId,
  input: typedTemplate,
  done: (_, { id }) => seeOther(withNotice(`${TEMPLATES_PATH}/${id}`, "saved")),
  again: (view, typed, errors) => showExisting(view, { typed, errors })
})

const switchTo = (active: boolean) =>
  formAction(changeTemplate, {
    target: pathId,
    input: () => ({ active }),
    done: (_, { id }) => seeOther(withNotice(`${TEMPLATES_PATH}/${id}`, active ? "enabled" : "disabled"))
  })

/** The customer's texts: a list, one at a time with its preview, and a new one. */
export const templatePages = {
  name: "templates",
  routes: [
    page(TEMPLATES_PATH, showTemplates),
    page(NEW_TEMPLATE_PATH, (view) => showNew(view, untouched)),
    change(NEW_TEMPLATE_PATH, orPreview(showNew, submitNew)),
    page(TEMPLATE_PATH, (view) => showExisting(view, untouched)),
    change(TEMPLATE_PATH, orPreview(showExisting, submitExisting)),
    change(`${TEMPLATE_PATH}/enable`, switchTo(true)),
    change(`${TEMPLATE_PATH}/disable`, switchTo(false))
  ]
} as const satisfies ConsolePages
