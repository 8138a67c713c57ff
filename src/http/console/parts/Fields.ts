import { html, type Html, type Part } from "../frame/Html.ts"
import type { ConsoleError } from "../frame/Refusals.ts"
import type { Locale } from "../frame/Locale.ts"

/** The errors of a form, by field name. */
export type FieldErrors = ReadonlyMap<string, string>

export const noFieldErrors: FieldErrors = new Map()

interface FieldProblem {
  readonly path?: unknown
  readonly message?: unknown
}

/** The errors of a form from what a use case refused; `body.name` blames the field `name`. */
export const fieldErrorsOf = (error: ConsoleError): FieldErrors => {
  const errors: unknown = error._tag === "validation_error" ? error.details?.["errors"] : undefined
  if (!Array.isArray(errors)) return noFieldErrors
  return new Map(
    errors.flatMap(({ path, message }: FieldProblem) =>
      typeof path === "string" && typeof message === "string"
        ? [[path.replace(/^(?:body|query)\./, ""), message] as const]
        : []
    )
  )
}

interface FieldOptions {
  readonly name: string
  readonly label: string
  readonly hint?: string | undefined
  readonly isRequired?: boolean
  readonly errors?: FieldErrors
}

export interface InputOptions extends FieldOptions {
  readonly value?: string
  readonly type?: "text" | "email" | "password" | "url" | "tel" | "datetime-local" | "date"
  readonly placeholder?: string
  readonly autocomplete?: string
  readonly isLtr?: boolean
  /** Phones show their number pad. It stays a text field: a browser's number field refuses Persian digits. */
  readonly isNumber?: boolean
}

export interface SelectOptions extends FieldOptions {
  readonly value?: string
  readonly choices: ReadonlyArray<readonly [value: string, label: string]>
}

export interface TextAreaOptions extends FieldOptions {
  readonly value?: string
  readonly rows?: number
  readonly isCode?: boolean
}

export interface CheckOptions extends FieldOptions {
  readonly isChecked?: boolean
  readonly value?: string
}

const idOf = (name: string): string => `field-${name.replaceAll(/[^A-Za-z0-9_-]/g, "-")}`

/** Id, name, and the words that describe the field: its hint and its error. */
const attributes = ({ name, hint, isRequired, errors = noFieldErrors }: FieldOptions): Html => {
  const id = idOf(name)
  const isWrong = errors.has(name)
  const described = [...(hint === undefined ? [] : [`${id}-hint`]), ...(isWrong ? [`${id}-error`] : [])]
  return html`id="${id}" name="${name}" ${isRequired === true && html`required`}
  ${described.length > 0 && html`aria-describedby="${described.join(" ")}"`}
  ${isWrong && html`aria-invalid="true"`}`
}

const notes = ({ name, hint, errors = noFieldErrors }: FieldOptions): Part => [
  hint !== undefined && html`<p class="hint" id="${idOf(name)}-hint">${hint}</p>`,
  errors.has(name) && html`<p class="field-error" id="${idOf(name)}-error" dir="auto">${errors.get(name)}</p>`
]

const labelled = (options: FieldOptions, control: Html): Html =>
  html`<div class="field">
    <label for="${idOf(options.name)}">${options.label}</label>
    ${control} ${notes(options)}
  </div>`

export const inputField = (options: InputOptions): Html => {
  const { value, type, placeholder, autocomplete, isLtr, isNumber } = options
  return labelled(
    options,
    html`<input
      ${attributes(options)}
      type="${type ?? "text"}"
      value="${value ?? ""}"
      placeholder="${placeholder ?? ""}"
      autocomplete="${autocomplete ?? "off"}"
      ${isNumber === true && html`inputmode="numeric"`}
      ${(isLtr === true || isNumber === true) && html`dir="ltr"`}
    />`
  )
}

/** How people write a time in their own calendar. */
export const JALALI_EXAMPLE = "۱۴۰۵/۰۹/۰۳ ۱۴:۳۰"

/** A date and time. Browsers ask for Gregorian dates; Persian pages have a text field for the calendar of Iran. */
export const timeField = (options: Omit<InputOptions, "type">, { language }: Locale): Html =>
  language === "fa"
    ? inputField({ ...options, placeholder: JALALI_EXAMPLE, isLtr: true })
    : inputField({ ...options, type: "datetime-local" })

export const selectField = (options: SelectOptions): Html =>
  labelled(
    options,
    html`<select ${attributes(options)}>
      ${options.choices.map(
        ([value, label]) =>
          html`<option value="${value}" ${value === options.value && html`selected`}>${label}</option>`
      )}
    </select>`
  )

export const textAreaField = (options: TextAreaOptions): Html =>
  labelled(
    options,
    html`<textarea
      ${attributes(options)}
      rows="${options.rows ?? 4}"
      class="${options.isCode === true && "code"}"
      dir="${options.isCode === true ? "ltr" : "auto"}"
    >
${options.value ?? ""}</textarea>`
  )

export const checkField = (options: CheckOptions): Html =>
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

/** Over a form that was refused: what is wrong, with links to the fields. */
export const errorSummary = (errors: FieldErrors, { say }: Locale): Html | null =>
  errors.size === 0
    ? null
    : html`<div class="notice bad" role="alert">
        <p><strong>${say("Please correct this:", "لطفاً این‌ها را درست کنید:")}</strong></p>
        <ul>
          ${[...errors].map(
            ([name, message]) =>
              html`<li>
                <a href="#${idOf(name)}"><bdi dir="ltr">${name}</bdi></a
                >: <bdi>${message}</bdi>
              </li>`
          )}
        </ul>
      </div>`
