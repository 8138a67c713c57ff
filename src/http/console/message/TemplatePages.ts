import { Effect, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import { isIdPosition } from "../../../domain/Paging.ts"
import { placeholders, templateProblem } from "../../../domain/message/Template.ts"
import { DEFAULT_CODE_TEXT } from "../../../domain/verification/CodeText.ts"
import { shown } from "../../../domain/text/VisibleText.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { pathOf } from "../Navigation.ts"
import { creating, formAction, onceFormAction } from "../forms/ActionForms.ts"
import {
  CHANGED,
  errorSummary,
  type FieldErrors,
  inputField,
  noFieldErrors,
  textAreaField,
  versionField
} from "../forms/FormFields.ts"
import { csrfField, onceField } from "../forms/Forms.ts"
import { pageResponse, seeOther } from "../frame/Responses.ts"
import { icon } from "../frame/Document.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import { change, page, pathId, type View } from "../frame/SignedRoutes.ts"
import { badge, stateBadge } from "../parts/Badge.ts"
import { postButton } from "../parts/Confirm.ts"
import { type Column, emptyState, pager, pageRequest, table } from "../parts/Lists.ts"
import { withNotice } from "../parts/Notice.ts"
import { facts } from "../parts/Panels.ts"
import { directionOf, isolated, ltr, mono } from "../parts/Text.ts"
import { sampleName, sampleOf, templatePreview } from "./TemplatePreview.ts"
import { changeTemplate, createTemplate } from "../../../services/message/TemplateActions.ts"
import { type TemplateRecord, TemplateRecords } from "../../../services/message/Templates.ts"

const TEMPLATES_PATH = pathOf("templates")
const NEW_TEMPLATE_PATH = `${TEMPLATES_PATH}/new` as const

const columns = ({ locale }: View): ReadonlyArray<Column<TemplateRecord>> => {
  const { say, number, time } = locale
  return [
    {
      header: say("Name", "نام"),
      kind: "title",
      cell: ({ id, name, body }) =>
        html`<a href="${TEMPLATES_PATH}/${id}">${isolated(name)}</a>
          <span class="sub clip" dir="${directionOf(body)}">${shown(body)}</span>`
    },
    { header: say("Id", "شناسه"), cell: ({ id }) => mono(String(id)) },
    {
      header: say("Placeholders", "متغیرها"),
      cell: ({ body }) => {
        const names = placeholders(body)
        return names.length === 0 ? html`<span class="muted">–</span>` : mono(names.join(", "))
      }
    },
    {
      header: say("Characters", "نویسه"),
      kind: "number",
      cell: ({ body }) => number(Array.from(body).length)
    },
    {
      header: say("Status", "وضعیت"),
      cell: ({ active, body }) =>
        active && templateProblem(body) !== null
          ? badge("bad", say("Not usable", "قابل استفاده نیست"))
          : stateBadge(active ? "active" : "inactive", locale)
    },
    { header: say("Created", "زمان ایجاد"), cell: ({ createdAt }) => time(createdAt) }
  ]
}

/** The customer's texts. */
const showTemplates = Effect.fnUntraced(function* (view: View) {
  const { actor, locale } = view
  const { say } = locale
  const templates = yield* TemplateRecords
  const { items, next } = yield* templates.list(actor.customerId, yield* pageRequest(view, isIdPosition))
  const create = { href: NEW_TEMPLATE_PATH, label: say("New template", "قالب جدید") }
  const mayWrite = actor.scope === "full"
  const title = say("Templates", "قالب‌ها")
  return {
    title,
    name: "templates",
    lead: say(
      "Your texts for codes on messengers and for messages.",
      "متن‌های شما برای کد در پیام‌رسان‌ها و برای پیام."
    ),
    actions: mayWrite
      ? html`<a class="button primary" href="${create.href}">${icon("plus")}${create.label}</a>`
      : null,
    content: html`<div class="panel">
      ${
        items.length === 0
          ? emptyState(
              say("No templates yet", "هنوز قالبی ندارید"),
              say(
                "Until you create one, codes on messengers use Peyk's default text.",
                "تا وقتی قالبی نسازید، کد در پیام‌رسان‌ها با متن پیش‌فرض پیک ارسال می‌شود."
              ),
              mayWrite ? create : null
            )
          : table(title, columns(view), items)
      }
      ${pager(view, next)}
    </div>`
  } as const
})

interface Shown {
  /** Null: nothing was typed yet. */
  readonly submitted: URLSearchParams | null
  readonly errors: FieldErrors
}

const emptyForm: Shown = { submitted: null, errors: noFieldErrors }

/** A textarea sends lines with CR LF; templates have LF. */
const bodyIn = (submitted: URLSearchParams): string => (submitted.get("body") ?? "").replaceAll("\r\n", "\n")

const orStored = ({ submitted }: Shown) => ({
  name: (stored: string) => submitted?.get("name") ?? stored,
  body: (stored: string) => (submitted === null ? stored : bodyIn(submitted)),
  sample: (name: string) => submitted?.get(name) ?? null
})

/** The typed fields of a template, as the input of its actions has them. */
const submittedTemplate = (submitted: URLSearchParams) => ({
  name: (submitted.get("name") ?? "").trim(),
  body: bodyIn(submitted)
})

interface TemplateDraft {
  readonly action: string
  readonly name: string
  readonly body: string
  /** The field with the version of the template to change; null: a new template. */
  readonly version: Html | null
  readonly submitted: (name: string) => string | null
  readonly errors: FieldErrors
}

const sampleInputs = ({ body, submitted }: TemplateDraft, { locale: { say } }: View): Html | null => {
  const names = placeholders(body)
  if (names.length === 0) return null
  return html`<fieldset class="fields">
    <legend>${say("Sample values", "مقدارهای نمونه")}</legend>
    ${names.map(
      (name) =>
        html`<label class="field">
          <span>${ltr(`{{${name}}}`)}</span>
          <input
            name="${sampleName(name)}"
            value="${sampleOf(name, submitted)}"
            dir="auto"
            autocomplete="off"
          />
        </label>`
    )}
  </fieldset>`
}

/** The form of a template, next to its preview. */
const templateEditor = (view: View, draft: TemplateDraft): Html => {
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
            "A text for codes must contain {{code}} and may contain {{minutes}}, and no other placeholder.",
            "متن کد باید {{code}} داشته باشد، می‌تواند {{minutes}} هم داشته باشد و متغیر دیگری نداشته باشد."
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
    ${templatePreview(body, draft.submitted, view.locale)}
  </div>`
}

const switchButton = (view: View, { id, active }: TemplateRecord) => {
  const { say } = view.locale
  return postButton(view, {
    action: `${TEMPLATES_PATH}/${id}/${active ? "disable" : "enable"}`,
    label: active ? say("Disable", "غیرفعال کردن") : say("Enable", "فعال کردن")
  })
}

/** What somebody else has saved meanwhile. */
const savedPanel = ({ name, body }: TemplateRecord, { locale: { say } }: View): Html =>
  html`<section class="panel" aria-labelledby="saved-title">
    <div class="panel-head"><h2 id="saved-title">${say("Saved value", "مقدار ذخیره‌شده")}</h2></div>
    <div class="panel-body">
      ${facts([
        [say("Name", "نام"), isolated(name)],
        [say("Text", "متن"), html`<p class="message-text" dir="auto">${body}</p>`]
      ])}
    </div>
  </section>`

const existingPage = Effect.fnUntraced(function* (view: View, id: number, shown: Shown) {
  const { say } = view.locale
  const template = yield* (yield* TemplateRecords).find(view.actor.customerId, id)
  const value = orStored(shown)
  return {
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
      version: versionField(template.version, shown.submitted, shown.errors),
      submitted: value.sample,
      errors: shown.errors
    })}`
  } satisfies Page
})

const newPage = (view: View, shown: Shown): Page => {
  const { say } = view.locale
  const value = orStored(shown)
  return {
    title: say("New template", "قالب جدید"),
    name: "templates",
    lead: html`<a href="${TEMPLATES_PATH}">${say("Templates", "قالب‌ها")}</a>`,
    content: templateEditor(view, {
      action: NEW_TEMPLATE_PATH,
      name: value.name(""),
      body: value.body(DEFAULT_CODE_TEXT),
      version: null,
      submitted: value.sample,
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
    save: (view: View, submitted: URLSearchParams) => Effect.Effect<Response, E2, R2>
  ) =>
  (view: View, submitted: URLSearchParams): Effect.Effect<Response, E1 | E2, R1 | R2> =>
    submitted.get("do") === "preview"
      ? Effect.map(show(view, { submitted, errors: noFieldErrors }), (shown) => pageResponse(view, shown))
      : save(view, submitted)

const showNew = (view: View, shown: Shown) => Effect.succeed(newPage(view, shown))

const showExisting = (view: View, shown: Shown) =>
  Effect.flatMap(pathId, (id) => existingPage(view, id, shown))

const submitNew = onceFormAction(createTemplate, {
  target: creating,
  input: submittedTemplate,
  shown: Schema.Int,
  show: ({ id }) => id,
  done: (_, id) => seeOther(withNotice(`${TEMPLATES_PATH}/${id}`, "created")),
  again: (view, submitted, errors) => showNew(view, { submitted, errors })
})

const submitExisting = formAction(changeTemplate, {
  target: pathId,
  input: submittedTemplate,
  done: (_, { id }) => seeOther(withNotice(`${TEMPLATES_PATH}/${id}`, "saved")),
  again: (view, submitted, errors) => showExisting(view, { submitted, errors })
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
