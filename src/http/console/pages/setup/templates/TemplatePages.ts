import { Effect, Schema } from "effect"
import { DEFAULT_CODE_TEXT } from "../../../../../domain/message/CodeText.ts"
import { auditEntriesOf } from "../../../../../services/resources/ManagementWrites.ts"
import {
  type TemplateChange,
  type TemplateRecord,
  TemplateRecords
} from "../../../../../services/resources/TemplateRecords.ts"
import { NewTemplate } from "../../../../manage/setup/TemplatesApi.ts"
import type { ConsolePages } from "../../../ConsolePages.ts"
import { answerPage, seeOther } from "../../../frame/Answers.ts"
import { formErrorsOf } from "../../../frame/forms/ShownAgain.ts"
import { writeAs, writeOnce } from "../../../frame/forms/Writes.ts"
import { html, type Html } from "../../../frame/Html.ts"
import type { Page } from "../../../frame/Layout.ts"
import { pathId } from "../../../frame/PathIds.ts"
import { type ConsoleError, refusalOf } from "../../../frame/Refusals.ts"
import { change, page, type View } from "../../../frame/SignedRoutes.ts"
import { readTyped } from "../../../frame/forms/TypedBody.ts"
import { stateBadge } from "../../../parts/Badge.ts"
import { postButton } from "../../../parts/Confirm.ts"
import { facts } from "../../../parts/Facts.ts"
import { CHANGED, type FieldErrors, noFieldErrors } from "../../../parts/fields/FieldErrors.ts"
import { versionField } from "../../../parts/fields/VersionField.ts"
import { withNotice } from "../../../parts/Notice.ts"
import { foreign } from "../../../parts/Text.ts"
import { templateEditor } from "./TemplateForm.ts"
import { NEW_TEMPLATE_PATH, showTemplates, TEMPLATES_PATH } from "./TemplatesPage.ts"

const TEMPLATE_PATH = `${TEMPLATES_PATH}/:id` as const

interface Shown {
  /** Null: nothing was typed yet. */
  readonly typed: URLSearchParams | null
  readonly errors: FieldErrors
}

const untouched: Shown = { typed: null, errors: noFieldErrors }

/** A textarea sends lines with CR LF; templates have LF. */
const bodyIn = (typed: URLSearchParams): string => (typed.get("body") ?? "").replaceAll("\r\n", "\n")

const typedOr = ({ typed }: Shown) => ({
  name: (stored: string) => typed?.get("name") ?? stored,
  body: (stored: string) => (typed === null ? stored : bodyIn(typed)),
  sample: (name: string) => typed?.get(name) ?? null
})

const newPage = (view: View, shown: Shown): Page => {
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

const entry = auditEntriesOf("template")

const readTemplate = (typed: URLSearchParams) =>
  readTyped(NewTemplate, { name: (typed.get("name") ?? "").trim(), body: bodyIn(typed) })

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

const isPreview = (typed: URLSearchParams): boolean => typed.get("do") === "preview"

const refusedFields = (error: ConsoleError, { locale }: View): FieldErrors | null => {
  const errors = formErrorsOf(error, locale)
  return errors.size === 0 ? null : errors
}

const submitNew = (view: View, typed: URLSearchParams) =>
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

const submitExisting = Effect.fnUntraced(function* (view: View, typed: URLSearchParams) {
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

const switchTo = (active: boolean) => (view: View) =>
  Effect.flatMap(pathId, (id) =>
    Effect.as(
      update(view, id, { active }, null),
      seeOther(withNotice(`${TEMPLATES_PATH}/${id}`, active ? "enabled" : "disabled"))
    )
  )

/** The customer's texts: a list, one at a time with its preview, and a new one. */
export const templatePages = {
  name: "templates",
  routes: [
    page(TEMPLATES_PATH, showTemplates),
    page(NEW_TEMPLATE_PATH, (view) => Effect.succeed(newPage(view, untouched))),
    change(NEW_TEMPLATE_PATH, submitNew),
    page(TEMPLATE_PATH, (view) => Effect.flatMap(pathId, (id) => existingPage(view, id, untouched))),
    change(TEMPLATE_PATH, submitExisting),
    change(`${TEMPLATE_PATH}/enable`, switchTo(true)),
    change(`${TEMPLATE_PATH}/disable`, switchTo(false))
  ]
} as const satisfies ConsolePages
