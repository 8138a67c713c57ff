import { Effect, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import { DEFAULT_CODE_TEXT } from "../../../domain/message/Template.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { creating, formAction, onceFormAction } from "../forms/ActionForms.ts"
import { CHANGED, noFieldErrors } from "../forms/FieldErrors.ts"
import { versionField } from "../forms/Fields.ts"
import { answerPage, seeOther } from "../frame/Answers.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import { change, page, pathId, type View } from "../frame/SignedRoutes.ts"
import { type Shown, templateEditor, orStored, typedTemplate, emptyForm } from "./TemplateForm.ts"
import { NEW_TEMPLATE_PATH, showTemplates, TEMPLATES_PATH } from "./TemplatesPage.ts"
import { stateBadge } from "../parts/Badge.ts"
import { postButton } from "../parts/Confirm.ts"
import { withNotice } from "../parts/Notice.ts"
import { facts } from "../parts/Panels.ts"
import { foreign } from "../parts/Text.ts"
import { changeTemplate, createTemplate } from "../../../services/message/TemplateActions.ts"
import { type TemplateRecord, TemplateRecords } from "../../../services/message/Templates.ts"

const switchButton = (view: View, { id, active }: TemplateRecord) => {
  const { say } = view.locale
  return postButton(view, {
    action: `${TEMPLATES_PATH}/${id}/${active ? "disable" : "enable"}`,
    label: active ? say("Switch off", "خاموش کردن") : say("Switch on", "روشن کردن")
  })
}

/** What somebody else has saved meanwhile. */
const savedPanel = ({ name, body }: TemplateRecord, { locale: { say } }: View): Html =>
  html`<section class="panel" aria-labelledby="saved-title">
    <div class="panel-head"><h2 id="saved-title">${say("Saved now", "اکنون ذخیره است")}</h2></div>
    <div class="panel-body">
      ${facts([
        [say("Name", "نام"), foreign(name)],
        [say("Text", "متن"), html`<p class="message-text" dir="auto">${body}</p>`]
      ])}
    </div>
  </section>`

const existingPage = Effect.fnUntraced(function* (view: View, id: number, shown: Shown) {
  const { say } = view.locale
  const template = yield* (yield* TemplateRecords).find(view.actor.customerId, id)
  const value = orStored(shown)
  const made: Page = {
    title: template.name,
    name: "templates",
    lead: html`<a href="${TEMPLATES_PATH}">${say("Templates", "قالب‌ها")}</a> / ${say("template", "قالب")}
      ${view.locale.number(id)} ${stateBadge(template.active ? "active" : "inactive", view.locale)}`,
    actions: view.actor.scope === "full" ? switchButton(view, template) : null,
    content: html`${shown.errors.has(CHANGED) && savedPanel(template, view)}
    ${templateEditor(view, {
      action: `${TEMPLATES_PATH}/${id}`,
      name: value.name(template.name),
      body: value.body(template.body),
      version: versionField(template.version, shown.typed, shown.errors),
      typed: value.sample,
      errors: shown.errors
    })}`
  }
  return made
})

const newPage = (view: View, shown: Shown): Page => {
  const { say } = view.locale
  const value = orStored(shown)
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
    page(NEW_TEMPLATE_PATH, (view) => showNew(view, emptyForm)),
    change(NEW_TEMPLATE_PATH, orPreview(showNew, submitNew)),
    page(TEMPLATE_PATH, (view) => showExisting(view, emptyForm)),
    change(TEMPLATE_PATH, orPreview(showExisting, submitExisting)),
    change(`${TEMPLATE_PATH}/enable`, switchTo(true)),
    change(`${TEMPLATE_PATH}/disable`, switchTo(false))
  ]
} as const satisfies ConsolePages
