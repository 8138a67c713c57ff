import { Result } from "effect"
import { checkCodeTemplate, placeholders, render, templateProblem } from "../../../domain/message/Template.ts"
import { Channel } from "../../../domain/routing/Channel.ts"
import { type SmsSize, smsSize } from "../../../domain/text/SmsParts.ts"
import { errorSummary, type FieldErrors, noFieldErrors } from "../forms/FieldErrors.ts"
import { fieldMessage } from "../forms/FieldMessages.ts"
import { inputField, textAreaField } from "../forms/Fields.ts"
import { csrfField, onceField } from "../forms/Forms.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { badge } from "../parts/Badge.ts"
import { channelName, ltr } from "../parts/Text.ts"

/** The default samples for placeholders. */
const samples: Readonly<Record<string, string>> = {
  code: "123456",
  minutes: "5",
  name: "سارا",
  order: "1024",
  amount: "250,000",
  date: "1405/09/03"
}

const sampleName = (placeholder: string): string => `sample.${placeholder}`

/** The text for a placeholder, else its sample; an unknown placeholder shows its own name. */
const sampleOf = (placeholder: string, typed: (name: string) => string | null): string =>
  typed(sampleName(placeholder)) ?? samples[placeholder] ?? `[${placeholder}]`

const MAX_MESSAGE_LENGTH = 1000

const partWords = ({ encoding, length, parts, left }: SmsSize, { say, number }: Locale): Html => {
  const alphabet = encoding === "gsm7" ? "GSM-7" : "UCS-2"
  return html`${say(
    `${number(parts)} ${parts === 1 ? "part" : "parts"} · ${number(length)} places, ${number(left)} left ·`,
    `${number(parts)} بخش · ${number(length)} جا، ${number(left)} خالی ·`
  )}
  ${ltr(alphabet)}`
}

const bubble = (channel: Channel, text: string, locale: Locale): Html =>
  html`<li class="bubble-row">
    <p class="bubble-head">
      <strong>${channelName(channel, locale)}</strong>
      ${channel === "sms" && html`<span class="muted">${partWords(smsSize(text), locale)}</span>`}
    </p>
    <p class="bubble" dir="auto">${text === "" ? "…" : text}</p>
  </li>`

const uses = (body: string, locale: Locale): Html => {
  const { say } = locale
  const problem = templateProblem(body)
  if (problem !== null) return badge("bad", fieldMessage(problem, locale))
  const carriesCodes = Result.isSuccess(checkCodeTemplate({ id: 0, name: "", body, active: true }))
  return carriesCodes
    ? badge("good", say("For codes and messages", "برای کد و پیام"))
    : badge("info", say("For messages", "برای پیام"))
}

/** How a text looks on each channel, with samples in place of its placeholders. */
const templatePreview = (body: string, typed: (name: string) => string | null, locale: Locale): Html => {
  const { say, number } = locale
  const names = placeholders(body)
  const text = render(body, new Map(names.map((name) => [name, sampleOf(name, typed)])))
  const length = Array.from(text).length
  const isLong = length > MAX_MESSAGE_LENGTH
  return html`<section class="panel" id="template-preview" aria-labelledby="preview-title">
    <div class="panel-head">
      <h2 id="preview-title">${say("Preview", "پیش‌نمایش")}</h2>
      ${uses(body, locale)}
    </div>
    <div class="panel-body stack-tight">
      <p class="muted" aria-live="polite">
        ${say(`${number(length)} characters`, `${number(length)} نویسه`)}
        ${
          isLong &&
          badge(
            "bad",
            say(
              `More than ${number(MAX_MESSAGE_LENGTH)}: a message is refused`,
              `بیش از ${number(MAX_MESSAGE_LENGTH)}: پیام پذیرفته نمی‌شود`
            )
          )
        }
      </p>
      <ul class="bubbles">
        ${Channel.literals.map((channel) => bubble(channel, text, locale))}
      </ul>
      <p class="hint">
        ${say(
          "Codes by SMS use the text that is registered at the SMS provider. Placeholders are written",
          "کد در پیامک با متنی فرستاده می‌شود که نزد سرویس‌دهندهٔ پیامک ثبت شده است. جای‌نما چنین نوشته می‌شود:"
        )}
        ${ltr("{{name}}")}.
      </p>
    </div>
  </section>`
}

export interface Shown {
  /** Null: nothing was typed yet. */
  readonly typed: URLSearchParams | null
  readonly errors: FieldErrors
}

export const emptyForm: Shown = { typed: null, errors: noFieldErrors }

/** A textarea sends lines with CR LF; templates have LF. */
const bodyIn = (typed: URLSearchParams): string => (typed.get("body") ?? "").replaceAll("\r\n", "\n")

export const orStored = ({ typed }: Shown) => ({
  name: (stored: string) => typed?.get("name") ?? stored,
  body: (stored: string) => (typed === null ? stored : bodyIn(typed)),
  sample: (name: string) => typed?.get(name) ?? null
})

/** The typed fields of a template, as the input of its actions has them. */
export const typedTemplate = (typed: URLSearchParams) => ({
  name: (typed.get("name") ?? "").trim(),
  body: bodyIn(typed)
})

interface TemplateDraft {
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
