import { html, type Html } from "../frame/Html.ts"
import type { Visit } from "../frame/Visit.ts"

export interface TextFilter {
  readonly name: string
  readonly label: string
  readonly placeholder?: string
  readonly type?: "search" | "tel" | "datetime-local" | "date"
  /** What is typed there is Latin: a phone, an id. */
  readonly isLtr?: boolean
}

export interface ChoiceFilter {
  readonly name: string
  readonly label: string
  /** The words for “no filter”. */
  readonly any: string
  readonly choices: ReadonlyArray<readonly [value: string, label: string]>
}

export type Filter = TextFilter | ChoiceFilter

const control = (filter: Filter, value: string): Html =>
  "choices" in filter
    ? html`<select name="${filter.name}">
        <option value="">${filter.any}</option>
        ${filter.choices.map(
          ([choice, label]) =>
            html`<option value="${choice}" ${choice === value && html`selected`}>${label}</option>`
        )}
      </select>`
    : html`<input
        type="${filter.type ?? "search"}"
        name="${filter.name}"
        value="${value}"
        placeholder="${filter.placeholder ?? ""}"
        ${filter.isLtr === true && html`dir="ltr"`}
        autocomplete="off"
      />`

/** A form over a list; what it says is in the address, so a filtered list can be shared. */
export const filters = (
  { path, query, locale: { say } }: Pick<Visit, "path" | "query" | "locale">,
  all: ReadonlyArray<Filter>
): Html => {
  const isSet = all.some(({ name }) => (query.get(name) ?? "") !== "")
  return html`<form
    class="filters"
    method="get"
    action="${path}"
    role="search"
    aria-label="${say("Filters", "پالایه‌ها")}"
  >
    ${all.map(
      (filter) =>
        html`<label class="field">
          <span>${filter.label}</span>
          ${control(filter, query.get(filter.name) ?? "")}
        </label>`
    )}
    <div class="filter-actions">
      <button class="button">${say("Apply", "اعمال")}</button>
      ${isSet && html`<a class="button quiet" href="${path}">${say("Clear", "پاک‌کردن")}</a>`}
    </div>
  </form>`
}
