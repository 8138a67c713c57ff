import { html, type Html } from "../../frame/Html.ts"
import type { Visit } from "../../frame/Visit.ts"

export interface TextFilter {
  readonly name: string
  readonly label: string
  readonly placeholder?: string
  readonly type?: "search" | "tel" | "datetime-local" | "date"
  /** Its text is Latin: a phone, an id. */
  readonly isLtr?: boolean
  readonly isWide?: boolean
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

const field = (filter: Filter, query: URLSearchParams): Html =>
  html`<label class="field ${"isWide" in filter && filter.isWide === true && "wide"}">
    <span>${filter.label}</span>
    ${control(filter, query.get(filter.name) ?? "")}
  </label>`

/**
 * A form over a list; what it says is in the address, so a filtered list can be shared. `more` are filters that are
 * needed less often: they are folded away unless one is set.
 */
export const filters = (
  { path, query, locale: { say } }: Pick<Visit, "path" | "query" | "locale">,
  all: ReadonlyArray<Filter>,
  more: ReadonlyArray<Filter> = []
): Html => {
  const isAnySet = (some: ReadonlyArray<Filter>) => some.some(({ name }) => (query.get(name) ?? "") !== "")
  const isSet = isAnySet([...all, ...more])
  return html`<form
    class="filters"
    method="get"
    action="${path}"
    role="search"
    aria-label="${say("Filters", "پالایه‌ها")}"
  >
    ${all.map((filter) => field(filter, query))}
    <div class="filter-actions">
      <button class="button">${say("Apply", "اعمال")}</button>
      ${isSet && html`<a class="button quiet" href="${path}">${say("Clear", "پاک‌کردن")}</a>`}
    </div>
    ${
      more.length > 0 &&
      html`<details class="more-filters" ${isAnySet(more) && html`open`}>
        <summary>${say("More filters", "پالایه‌های بیشتر")}</summary>
        <div class="filters">${more.map((filter) => field(filter, query))}</div>
      </details>`
    }
  </form>`
}
