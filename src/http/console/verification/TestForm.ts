import { Result } from "effect"
import { checkCodeTemplate, placeholders, type Template } from "../../../domain/message/Template.ts"
import { pathOf } from "../Navigation.ts"
import { errorSummary, type FieldErrors } from "../forms/FieldErrors.ts"
import { inputField, selectField, textAreaField } from "../forms/Fields.ts"
import { csrfField, draftField, isOwnDraft, onceField } from "../forms/Forms.ts"
import { html, type Html } from "../frame/Html.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { type Choices, targetOptions } from "../routing/RoutingEditor.ts"
import { parameterName, ROUTE_LENGTH, SAMPLE_PHONE, type TestRequest } from "./TestRequest.ts"

export const TEST_PATH = pathOf("test")

const radio = (name: string, value: string, label: string, hint: string, isChecked: boolean): Html =>
  html`<label class="option">
    <input type="radio" name="${name}" value="${value}" ${isChecked && html`checked`} />
    <span><strong>${label}</strong><span class="hint">${hint}</span></span>
  </label>`

const routeSelects = (
  request: TestRequest,
  choices: Choices,
  errors: FieldErrors,
  { locale }: View
): Html => {
  const { say } = locale
  const labels = [say("Channel", "کانال"), say("Then", "سپس"), say("Then", "سپس")]
  const none =
    request.kind === "code"
      ? say("The saved order", "ترتیب ذخیره‌شده")
      : say("Choose a channel", "کانالی برگزینید")
  return html`<fieldset class="route-selects">
    <legend class="hidden">${say("Route", "مسیر")}</legend>
    ${Array.from({ length: ROUTE_LENGTH }, (_, row) =>
      selectField({
        name: "target",
        key: `target.${row}`,
        label: labels[row] ?? "",
        choices: html`<option value="">${row === 0 ? none : "–"}</option>
          ${targetOptions(request.targets[row] ?? "", choices, locale)}`,
        errors
      })
    )}
  </fieldset>`
}

const templateSelect = (
  request: TestRequest,
  templates: ReadonlyArray<Template>,
  none: string,
  errors: FieldErrors,
  { locale: { say } }: View
): Html =>
  selectField({
    name: "template",
    label: request.kind === "code" ? say("Text on messengers", "متن در پیام‌رسان‌ها") : say("Template", "قالب"),
    value: String(request.templateId ?? ""),
    choices: [["", none], ...templates.map(({ id, name }) => [String(id), name] as const)],
    errors
  })

const codeContent = (request: TestRequest, { templates }: Choices, errors: FieldErrors, view: View): Html => {
  const { say } = view.locale
  const usable = templates.filter((template) => Result.isSuccess(checkCodeTemplate(template)))
  const none = say("As the saved order or the default says", "به گفتهٔ ترتیب یا پیش‌فرض")
  return templateSelect(request, usable, none, errors, view)
}

/** A text, or a template with what is put into its placeholders. */
const messageContent = (
  request: TestRequest,
  { templates }: Choices,
  errors: FieldErrors,
  view: View
): Html => {
  const { say } = view.locale
  const usable = templates.filter(({ active }) => active)
  const chosen = usable.find(({ id }) => id === request.templateId)
  return html`${
    usable.length > 0 &&
    templateSelect(request, usable, say("None: a text of your own", "هیچ: متن خودتان"), errors, view)
  }
  ${
    chosen === undefined
      ? textAreaField({
          name: "message",
          label: say("Text", "متن"),
          value: request.message,
          rows: 3,
          isRequired: true,
          errors
        })
      : placeholders(chosen.body).map((name) =>
          inputField({
            name: parameterName(name),
            label: name,
            value: request.parameters.get(name) ?? "",
            isRequired: true,
            errors
          })
        )
  }`
}

const content = (request: TestRequest, choices: Choices, errors: FieldErrors, view: View): Html | null => {
  if (request.kind === "message") return messageContent(request, choices, errors, view)
  return request.mode === "live" ? codeContent(request, choices, errors, view) : null
}

const FILLED_IN = ["phone", "target", "template", "message"]

/** A link can fill in this form: whoever opens it is told, before they send what they did not choose. */
const linkNotice = (view: View): Html | null => {
  // the page of a result has the mode and the kind of what was sent
  const names = view.query.has("id") ? FILLED_IN : ["mode", "kind", ...FILLED_IN]
  return isOwnDraft(view) || !names.some((name) => view.query.has(name))
    ? null
    : html`<p class="notice warn" role="status">
        ${view.locale.say(
          "A link filled in this form. Check each field before you send.",
          "این فرم را یک پیوند پر کرده است. پیش از فرستادن همهٔ فیلدها را ببینید."
        )}
      </p>`
}

/** The form of a test. The example requests next to it follow what is typed. */
export const testForm = (view: View, request: TestRequest, choices: Choices, errors: FieldErrors): Html => {
  const { say } = view.locale
  return html`<form
    class="panel panel-body fields"
    method="post"
    action="${TEST_PATH}"
    data-preview="snippets test-content"
    data-kept="draft mode kind target template"
  >
    ${csrfField(view.csrf)}${draftField(view)}${onceField()} ${errorSummary(errors, view.locale)}
    ${linkNotice(view)}
    <fieldset class="options">
      <legend class="hidden">${say("Where", "کجا")}</legend>
      ${radio(
        "mode",
        "sandbox",
        say("Sandbox", "محیط آزمایشی"),
        say("Nothing is sent or charged; the code is 123456.", "چیزی فرستاده یا حساب نمی‌شود؛ کد ۱۲۳۴۵۶ است."),
        request.mode === "sandbox"
      )}
      ${radio(
        "mode",
        "live",
        say("Live", "واقعی"),
        say(
          "Sent over your accounts, with the same limits and charges.",
          "با حساب‌های شما فرستاده می‌شود، با همان سقف‌ها و هزینه‌ها."
        ),
        request.mode === "live"
      )}
    </fieldset>
    ${inputField({
      name: "phone",
      label: say("Phone", "شماره"),
      type: "tel",
      value: request.phone,
      placeholder: SAMPLE_PHONE,
      isLtr: true,
      isRequired: true,
      errors
    })}
    <div id="test-content" class="fields">
      ${selectField({
        name: "kind",
        label: say("What", "چه چیزی"),
        value: request.kind,
        choices: [
          ["code", say("A code", "کد تأیید")],
          ["message", say("A message", "پیام")]
        ]
      })}
      ${routeSelects(request, choices, errors, view)} ${content(request, choices, errors, view)}
    </div>
    <div class="actions">
      <button class="button primary" name="do" value="send">${say("Send", "فرستادن")}</button>
      <button class="button" name="do" value="preview" formnovalidate>
        ${say("Show the request", "نمایش درخواست")}
      </button>
    </div>
  </form>`
}
