import { Effect } from "effect"
import { DEFAULT_CODE_TEXT } from "../../../../../domain/message/CodeText.ts"
import { type TemplateRecord, TemplateRecords } from "../../../../../services/message/TemplateRecords.ts"
import { html, type Html } from "../../../frame/Html.ts"
import type { Page } from "../../../frame/Layout.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { stateBadge } from "../../../parts/Badge.ts"
import { postButton } from "../../../parts/Confirm.ts"
import { facts } from "../../../parts/Facts.ts"
import { CHANGED } from "../../../parts/fields/FieldErrors.ts"
import { versionField } from "../../../parts/fields/VersionField.ts"
import { foreign } from "../../../parts/Text.ts"
import { type Shown, templateEditor, typedOr } from "./TemplateForm.ts"
import { NEW_TEMPLATE_PATH, TEMPLATES_PATH } from "./TemplatesPage.ts"

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

export const existingPage = Effect.fnUntraced(function* (view: View, id: number, shown: Shown) {
  const { say } = view.locale
  const template = yield* (yield* TemplateRecords).find(view.actor.customerId, id)
  const value = typedOr(shown)
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
