import { formatLocalTime, parseLocalTime } from "../../frame/forms/LocalTime.ts"
import { html, type Html } from "../../frame/Html.ts"
import type { Locale } from "../../frame/Locale.ts"
import type { Visit } from "../../frame/Visit.ts"
import { JALALI_EXAMPLE } from "../fields/TimeField.ts"

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
  /** A value in the address that means the same as no filter. */
  readonly anyValue?: string
  readonly choices: ReadonlyArray<readonly [value: string, label: string]>
}

export type Filter = TextFilter | ChoiceFilter

/** In Persian a time is typed in the calendar of Iran: the browser's own field knows the Gregorian one only. */
const textControl = (filter: TextFilter, value: string, { language }: Locale): Html => {
  const isJalali = filter.type === "datetime-local" && language === "fa"
  return html`<input
    type="${isJalali ? "text" : (filter.type ?? "search")}"
    name="${filter.name}"
    value="${value}"
    placeholder="${isJalali ? JALALI_EXAMPLE : (filter.placeholder ?? "")}"
    ${(filter.isLtr === true || isJalali) && html`dir="ltr"`}
    autocomplete="off"
  />`
}

/** A shared address may have its times in the calendar of the other language. What is no time stays as it was typed. */
const shownValue = (filter: Filter, typed: string, locale: Locale): string => {
  if (!("type" in filter) || filter.type !== "datetime-local") return typed
  const at = parseLocalTime(typed, locale.zone)
  return at === null ? typed : formatLocalTime(at, locale)
}

const control = (filter: Filter, value: string, locale: Locale): Html =>
  "choices" in filter
    ? html`<select name="${filter.name}">
        <option value="">${filter.any}</option>
        ${filter.choices.map(
          ([choice, label]) =>
            html`<option value="${choice}" ${choice === value && html`selected`}>${label}</option>`
        )}
      </select>`
    : textControl(filter, value, locale)

const field = (filter: Filter, { query, locale }: Pick<Visit, "query" | "locale">): Html =>
  html`<label class="field ${"isWide" in filter && filter.isWide === true && "wide"}">
    <span>${filter.label}</span>
    ${control(filter, shownValue(filter, query.get(filter.name) ?? "", locale), locale)}
  </label>`

/** A message for each filter whose value in the address is not one of its choices. Such a search finds nothing. */
export const choiceProblems = (
  { query, locale: { say } }: Pick<Visit, "query" | "locale">,
  all: ReadonlyArray<Filter>
): ReadonlyArray<string> =>
  all.flatMap((filter) => {
    if (!("choices" in filter)) return []
    const { name, label, anyValue = "", choices } = filter
    const wanted = query.get(name) ?? ""
    return wanted === "" || wanted === anyValue || choices.some(([choice]) => choice === wanted)
      ? []
      : [say(`${label}: there is no such choice.`, `«${label}» چنین گزینه‌ای ندارد.`)]
  })

/**
 * A form over a list; what it says is in the address, so a filtered list can be shared. `more` are filters that are
 * needed less often: they are folded away unless one is set.
 */
export const filters = (
  view: Pick<Visit, "path" | "query" | "locale">,
  all: ReadonlyArray<Filter>,
  more: ReadonlyArray<Filter> = []
): Html => {
  const { path, query } = view
  const { say } = view.locale
  const isAnySet = (some: ReadonlyArray<Filter>) => some.some(({ name }) => (query.get(name) ?? "") !== "")
  const isSet = isAnySet([...all, ...more])
  return html`<form
    class="filters"
    method="get"
    action="${path}"
    role="search"
    aria-label="${say("Filters", "پالایه‌ها")}"
  >
    ${all.map((filter) => field(filter, view))}
    <div class="filter-actions">
      <button class="button">${say("Apply", "اعمال")}</button>
      ${isSet && html`<a class="button quiet" href="${path}">${say("Clear", "پاک‌کردن")}</a>`}
    </div>
    ${
      more.length > 0 &&
      html`<details class="more-filters" ${isAnySet(more) && html`open`}>
        <summary>${say("More filters", "پالایه‌های بیشتر")}</summary>
        <div class="filters">${more.map((filter) => field(filter, view))}</div>
      </details>`
    }
  </form>`
}
