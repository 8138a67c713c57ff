import { fieldMessages } from "./FieldMessages.ts"
import { icon } from "../frame/Document.ts"
import { type FieldsPart, type FormField, Html, html, type Part } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import { directionOf } from "../parts/Text.ts"
import type { ConsoleError } from "../frame/Refusals.ts"

/** The errors of a form, by field name. */
export type FieldErrors = ReadonlyMap<string, string>

export const noFieldErrors: FieldErrors = new Map()

/** The errors of a form from what a use case refused, for people; `body.name` names the field `name`. */
export const fieldErrorsOf = (error: ConsoleError, locale: Locale): FieldErrors => {
  if (error._tag !== "validation_error") return noFieldErrors
  const byName = Map.groupBy(error.problems ?? [], ({ path }) => path.replace(/^(?:body|query)\./, ""))
  return new Map(
    Array.from(byName, ([name, found]) => [
      name,
      fieldMessages(
        found.map(({ problem }) => problem),
        locale
      )
    ])
  )
}

/** Errors by field, where one field stands for a whole list: an error of `allowed_ips[3]` is one of `allowed_ips`. */
export const byField = (errors: FieldErrors): FieldErrors =>
  new Map([...errors].map(([name, message]) => [name.split(/[.[]/)[0] ?? name, message]))

/** The names of errors that belong to no field: somebody else's change, and what else stands in the way. */
export const CHANGED = "version"
export const CONFLICT = "conflict"

/** One line of the summary: a link to the field; only the message, if the form has no such field. */
const problem = (field: FormField | undefined, message: string): Html =>
  field === undefined
    ? html`<li><bdi>${message}</bdi></li>`
    : html`<li><a href="#${field.id}">${field.label}</a>: <bdi>${message}</bdi></li>`

/** Over the fields of a form that was refused: what is wrong, with links to the fields by their labels. */
export const errorSummary = (errors: FieldErrors, { say }: Locale): FieldsPart | null => {
  if (errors.size === 0) return null
  const heading =
    errors.has(CHANGED) || errors.has(CONFLICT)
      ? say("Not saved:", "ذخیره نشد:")
      : say("Correct these fields:", "این موارد را درست کنید:")
  return (fields) =>
    html`<div class="notice bad" role="alert">
      <p><strong>${heading}</strong></p>
      <ul>
        ${[...errors].map(([name, message]) =>
          problem(
            fields.find((field) => field.name === name),
            message
          )
        )}
      </ul>
    </div>`
}

interface FieldOptions {
  readonly name: string
  /** The name by which errors name it, if several fields of the form share its own: `wait.1`. */
  readonly key?: string
  /** What tells it from fields with the same label; only screen readers and the summary of errors say it. */
  readonly place?: string
  readonly label: string
  readonly hint?: string | undefined
  /** The id of a hint that stands elsewhere, for several fields. */
  readonly describedBy?: string
  readonly isRequired?: boolean
  readonly errors?: FieldErrors
}

interface InputOptions extends FieldOptions {
  readonly value?: string
  readonly type?: "text" | "email" | "password" | "url" | "tel"
  readonly placeholder?: string
  readonly autocomplete?: string
  readonly isLtr?: boolean
  /** Phones show their number pad. It stays a text field: a browser's number field refuses Persian digits. */
  readonly isNumber?: boolean
  /** The id of a `datalist`. */
  readonly suggestions?: string
}

interface SelectOptions extends FieldOptions {
  readonly value?: string
  /** Their markup, if they are in groups. */
  readonly choices: ReadonlyArray<readonly [value: string, label: string]> | Html
}

interface TextAreaOptions extends FieldOptions {
  readonly value?: string
  readonly rows?: number
  readonly isCode?: boolean
}

interface CheckOptions extends FieldOptions {
  readonly isChecked?: boolean
  readonly value?: string
}

const keyOf = ({ name, key = name }: FieldOptions): string => key

const idOf = (options: FieldOptions): string => `field-${keyOf(options).replaceAll(/[^A-Za-z0-9_-]/g, "-")}`

/** Id, name, and the words that describe the field: its hint and its error. */
const attributes = (options: FieldOptions): Html => {
  const { name, hint, describedBy, isRequired, errors = noFieldErrors } = options
  const id = idOf(options)
  const isWrong = errors.has(keyOf(options))
  const described = [
    ...(describedBy === undefined ? [] : [describedBy]),
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(isWrong ? [`${id}-error`] : [])
  ]
  return html`id="${id}" name="${name}" ${isRequired === true && html`required`}
  ${described.length > 0 && html`aria-describedby="${described.join(" ")}"`}
  ${isWrong && html`aria-invalid="true"`}`
}

const notes = (options: FieldOptions): Part => {
  const { hint, errors = noFieldErrors } = options
  const error = errors.get(keyOf(options))
  return [
    hint !== undefined && html`<p class="hint" id="${idOf(options)}-hint">${hint}</p>`,
    error !== undefined && html`<p class="field-error" id="${idOf(options)}-error" dir="auto">${error}</p>`
  ]
}

const asField = (options: FieldOptions, markup: Html): Html => {
  const { label, place } = options
  return markup.asField({
    name: keyOf(options),
    id: idOf(options),
    label: place === undefined ? label : `${place} ${label}`
  })
}

const labelled = (options: FieldOptions, control: Html): Html => {
  const { label, place } = options
  return asField(
    options,
    html`<div class="field">
      <label for="${idOf(options)}"
        >${place !== undefined && html`<span class="hidden">${place} </span>`}${label}</label
      >
      ${control} ${notes(options)}
    </div>`
  )
}

export const inputField = (options: InputOptions): Html => {
  const { value, type, placeholder, autocomplete, isLtr, isNumber, suggestions } = options
  return labelled(
    options,
    html`<input
      ${attributes(options)}
      type="${type ?? "text"}"
      value="${value ?? ""}"
      placeholder="${placeholder ?? ""}"
      autocomplete="${autocomplete ?? "off"}"
      ${suggestions !== undefined && html`list="${suggestions}"`}
      ${isNumber === true && html`inputmode="numeric"`}
      ${(isLtr === true || isNumber === true) && html`dir="ltr"`}
    />`
  )
}

const optionList = (
  choices: ReadonlyArray<readonly [value: string, label: string]>,
  chosen: string | undefined
): Part =>
  choices.map(
    ([value, label]) => html`<option value="${value}" ${value === chosen && html`selected`}>${label}</option>`
  )

export const selectField = (options: SelectOptions): Html => {
  const { choices, value } = options
  return labelled(
    options,
    html`<select ${attributes(options)}>
      ${choices instanceof Html ? choices : optionList(choices, value)}
    </select>`
  )
}

export const textAreaField = (options: TextAreaOptions): Html =>
  labelled(
    options,
    html`<textarea
      ${attributes(options)}
      rows="${options.rows ?? 4}"
      class="${options.isCode === true && "code"}"
      dir="${options.isCode === true ? "ltr" : directionOf(options.value ?? "")}"
      ${options.isCode !== true && html`data-direction`}
    >
${options.value ?? ""}</textarea>`
  )

export const checkField = (options: CheckOptions): Html =>
  asField(
    options,
    html`<div class="field">
      <label class="check">
        <input
          type="checkbox"
          ${attributes(options)}
          value="${options.value ?? "true"}"
          ${options.isChecked === true && html`checked`}
        />
        <span>${options.label}</span>
      </label>
      ${notes(options)}
    </div>`
  )

/** How people write a time in their own calendar. */
const JALALI_EXAMPLE = "۱۴۰۵/۰۹/۰۳ ۱۴:۳۰"

/** A day with a time, as people of a language type it. */
export const dateExample = ({ language }: Pick<Locale, "language">): string =>
  language === "fa" ? JALALI_EXAMPLE : "2026-11-24 14:30"

interface DateControl {
  readonly id: string
  readonly label: string
  readonly value: string
  /** What the calendar finds the field by; of `from` and `to` it shows the days between. */
  readonly edge: string
  readonly attributes: Html
}

/**
 * A day with its time: typed, or chosen with the calendar that the console's script shows. A browser's own field has
 * neither the calendar of Iran nor the language of the page.
 */
export const dateControl = (
  { id, label, value, edge, attributes }: DateControl,
  locale: Pick<Locale, "language" | "say">
): Html =>
  html`<span class="date-control">
    <input
      type="text"
      ${attributes}
      value="${value}"
      placeholder="${dateExample(locale)}"
      dir="ltr"
      autocomplete="off"
      data-date="${edge}"
    />
    <button type="button" class="date-open" hidden data-date-open="${id}">
      ${icon("calendar")}<span class="hidden">${label}: ${locale.say("choose a day", "انتخاب روز")}</span>
    </button>
  </span>`

/** A day with its time, in a form. */
export const timeField = (options: FieldOptions & { readonly value?: string }, locale: Locale): Html => {
  const { name, label, value = "" } = options
  const control = { id: idOf(options), label, value, edge: name, attributes: attributes(options) }
  return labelled(options, dateControl(control, locale))
}

/**
 * The version of which a form shows the values. A form that was refused keeps it, until its page has said that
 * somebody changed it, and shows what is saved now.
 */
export const versionField = (
  current: number,
  submitted: URLSearchParams | null,
  errors: FieldErrors
): Html => {
  const version = errors.has(CHANGED) ? null : submitted?.get("version")
  return html`<input type="hidden" name="version" value="${version ?? current}" />`
}
