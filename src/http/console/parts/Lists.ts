import { Effect } from "effect"
import { ValidationError } from "../../../domain/Errors.ts"
import type { Instant } from "../../../domain/Instant.ts"
import type { Ordered, PageRequest } from "../../../domain/Paging.ts"
import { problem } from "../../../domain/Problem.ts"
import { pasted } from "../../../domain/text/PastedText.ts"
import { dateControl, dateExample } from "../forms/FormFields.ts"
import { parseLocalTime, shownLocalTime } from "../forms/LocalTime.ts"
import { html, type Html, type Part } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import { addressWith, type Visit } from "../frame/Visit.ts"
import { spanWithin, withinChoices } from "./Periods.ts"
import { isolatedText } from "./Text.ts"

/** In place of a list without rows: why it is empty, and what to do next. */
export const emptyState = (
  title: string,
  text: Html | string,
  action: { readonly href: string; readonly label: string } | null = null
): Html =>
  html`<div class="empty">
    <p><strong>${title}</strong></p>
    <p>${text}</p>
    ${action !== null && html`<p><a class="button" href="${action.href}">${action.label}</a></p>`}
  </div>`

export const noResults = ({ say }: Pick<Locale, "say">): Html =>
  emptyState(say("No results", "چیزی پیدا نشد"), say("Try other filters.", "فیلترها را تغییر دهید."))

/** The order of a list by time, and the address of the same list in the other order. */
interface OrderLink {
  readonly isOldestFirst: boolean
  readonly href: string
}

export interface Column<Row> {
  /** The heading; on a phone it stands next to each cell. */
  readonly header: string
  readonly cell: (row: Row) => Part
  /**
   * `title` names the row (one column has it), `number` is aligned at the end, and `actions` has a header that is
   * only heard.
   */
  readonly kind?: "title" | "number" | "actions"
  /** Left out where a window is too narrow for all columns. */
  readonly isOptional?: boolean
  /** The rows are in the order of this column: its header turns it. */
  readonly order?: OrderLink
  /** Its place on a card of two lines: beside the title, below it, or at the end of the second line. Absent: none. */
  readonly card?: "state" | "detail" | "time"
}

const kindClasses = { title: "title", number: "end", actions: "row-end" } as const

const classOf = <Row>({ kind, isOptional, card }: Column<Row>): string =>
  [
    kind === undefined ? "" : kindClasses[kind],
    isOptional === true ? "wide-column" : "",
    card === undefined ? "" : `card-${card}`
  ]
    .filter((name) => name !== "")
    .join(" ")

const headerText = <Row>({ kind, header, order }: Column<Row>): Part => {
  if (kind === "actions") return html`<span class="hidden">${header}</span>`
  return order === undefined
    ? header
    : html`<a class="order" href="${order.href}"
        >${header}<span aria-hidden="true">${order.isOldestFirst ? "↑" : "↓"}</span></a
      >`
}

const headerOf = <Row>(column: Column<Row>): Html =>
  html`<th
    scope="col"
    role="columnheader"
    class="${classOf(column)}"
    ${column.order !== undefined && html`aria-sort="${column.order.isOldestFirst ? "ascending" : "descending"}"`}
  >
    ${headerText(column)}
  </th>`

const cellOf = <Row>(column: Column<Row>, row: Row): Html =>
  column.kind === "title"
    ? html`<th scope="row" role="rowheader" class="title">${column.cell(row)}</th>`
    : html`<td role="cell" class="${classOf(column)}" data-label="${column.header}">
        <div>${column.cell(row)}</div>
      </td>`

interface TableOptions<Row> {
  /** What tells rows apart: a list that is live changes them where they are, and a link can lead to one. */
  readonly idOf?: (row: Row) => string
  /** On a phone a row is a card of two lines, and all of it is the link of its title. */
  readonly isCompact?: boolean
}

/** The id of a row's element. */
export const rowId = (id: string): string => `row-${id}`

/**
 * A table whose rows become cards on a phone. The roles are said again because cards are not laid out as a table.
 * `caption` is what it lists, for those who hear the page.
 */
export const table = <Row>(
  caption: string,
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  { idOf, isCompact = false }: TableOptions<Row> = {}
): Html =>
  html`<div class="table-scroll" tabindex="0" role="region" aria-label="${caption}">
    <table role="table" class="cards ${isCompact && "compact"}">
      <caption class="hidden">
        ${caption}
      </caption>
      <thead role="rowgroup">
        <tr role="row">
          ${columns.map(headerOf)}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(
          (row) =>
            html`<tr role="row" ${idOf !== undefined && html`id="${rowId(idOf(row))}"`}>
              ${columns.map((column) => cellOf(column, row))}
            </tr>`
        )}
      </tbody>
    </table>
  </div>`

const ROWS = 25
/** What people can choose instead. */
const SIZES = [25, 50, 100]

/** The rows of a page that the address asks for. */
const sizeIn = ({ query }: Pick<Visit, "query">, usual: number): number =>
  SIZES.find((size) => String(size) === query.get("size")) ?? usual

/** The page of a list that the address asks for. `isPosition` recognizes a cursor of this list. */
export const pageRequest = (
  { query }: Pick<Visit, "query">,
  isPosition: (text: string) => boolean,
  limit = ROWS
): Effect.Effect<PageRequest, ValidationError> => {
  const after = query.get("cursor")
  return after === null || isPosition(after)
    ? Effect.succeed({ limit: sizeIn({ query }, limit), after })
    : Effect.fail(
        new ValidationError({ problems: [{ path: "query.cursor", problem: problem("other_cursor") }] })
      )
}

/** How far a search went that has not found enough yet. */
export const searchedText = (searchedTo: Instant, { say, time }: Locale): Html =>
  html`${say("Searched back to", "تا این زمان جست‌وجو شد:")} ${time(searchedTo)}`

/** Links to the same list with more or fewer rows a page. */
const sizeLinks = (view: Pick<Visit, "path" | "query" | "locale">): Html => {
  const { say, number } = view.locale
  const shown = sizeIn(view, ROWS)
  return html`<span class="sizes">
    <span class="muted">${say("Rows", "سطر در صفحه")}</span>
    ${SIZES.map((size) =>
      size === shown
        ? html`<span aria-current="true">${number(size)}</span>`
        : html`<a href="${addressWith(view, { size: String(size), cursor: null, notice: null })}"
            >${number(size)}</a
          >`
    )}
  </span>`
}

/**
 * Links below a list to its first and its next page, with the same filters. Null if the list has one page. A search
 * that may find nothing more is continued, and promises no page.
 */
export const pager = (
  view: Pick<Visit, "path" | "query" | "locale">,
  next: string | null,
  searchedTo?: Instant
): Html | null => {
  const { say } = view.locale
  const isFirst = !view.query.has("cursor")
  if (isFirst && next === null && !view.query.has("size")) return null
  const link = (cursor: string | null, label: string) =>
    html`<a class="button small" href="${addressWith(view, { cursor, notice: null })}">${label}</a>`
  const rest = (cursor: string): Html =>
    searchedTo === undefined
      ? link(cursor, say("Next page", "صفحهٔ بعد"))
      : html`<span class="muted">${searchedText(searchedTo, view.locale)}</span>
          ${link(cursor, say("Search older", "جست‌وجوی قدیمی‌ترها"))}`
  return html`<nav class="pager" aria-label="${say("Pages", "صفحه‌ها")}">
    ${isFirst ? html`<span></span>` : link(null, say("First page", "صفحهٔ اول"))} ${sizeLinks(view)}
    ${next === null ? html`<span class="muted">${say("End of the list", "پایان فهرست")}</span>` : rest(next)}
  </nav>`
}

interface TextFilter {
  readonly name: string
  readonly label: string
  readonly placeholder?: string
  /** A `time` is a day with or without a time of it, of the page's calendar. */
  readonly type?: "search" | "tel" | "time"
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

const textControl = (filter: TextFilter, value: string): Html =>
  html`<input
    type="${filter.type ?? "search"}"
    name="${filter.name}"
    value="${value}"
    placeholder="${filter.placeholder ?? ""}"
    ${filter.isLtr === true && html`dir="ltr"`}
    autocomplete="off"
  />`

const control = (filter: Filter, value: string): Html =>
  "choices" in filter
    ? html`<select name="${filter.name}">
        <option value="">${filter.any}</option>
        ${filter.choices.map(
          ([choice, label]) =>
            html`<option value="${choice}" ${choice === value && html`selected`}>${label}</option>`
        )}
      </select>`
    : textControl(filter, value)

/** A shared address may have its times in the calendar of the other language. */
const timeField = ({ name, label }: Filter, { query, locale }: Pick<Visit, "query" | "locale">): Html => {
  const id = `filter-${name}`
  const value = shownLocalTime(query.get(name) ?? "", locale)
  const attributes = html`id="${id}" name="${name}"`
  return html`<div class="field date-field">
    <label for="${id}">${label}</label>
    ${dateControl({ id, label, value, edge: name, attributes }, locale)}
  </div>`
}

const field = (filter: Filter, { query, locale }: Pick<Visit, "query" | "locale">): Html =>
  "type" in filter && filter.type === "time"
    ? timeField(filter, { query, locale })
    : html`<label class="field ${"isWide" in filter && filter.isWide === true && "wide"}">
        <span>${filter.label}</span>
        ${control(filter, query.get(filter.name) ?? "")}
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
      : [say(`${label}: choose one of the options.`, `${label}: یکی از گزینه‌ها را انتخاب کنید.`)]
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
    aria-label="${say("Filters", "فیلترها")}"
  >
    ${all.map((filter) => field(filter, view))}
    <div class="filter-actions">
      <button class="button">${say("Apply", "اعمال")}</button>
      ${isSet && html`<a class="button quiet" href="${path}">${say("Clear", "پاک کردن")}</a>`}
    </div>
    ${
      more.length > 0 &&
      html`<details class="more-filters" ${isAnySet(more) && html`open`}>
        <summary>${say("More filters", "فیلترهای بیشتر")}</summary>
        <div class="filters">${more.map((filter) => field(filter, view))}</div>
      </details>`
    }
  </form>`
}

/**
 * The times between which a list's rows lie, as its address has them: `from` is included, `to` is not. A day without a
 * time counts as a whole: from its beginning, or to its end.
 */
interface TimeSearch {
  readonly from: Instant | undefined
  readonly to: Instant | undefined
  /** The times that could not be read, in words; such a search finds nothing. */
  readonly problems: ReadonlyArray<string>
}

const labels = ({ say }: Locale) => ({ from: say("From", "از"), to: say("To", "تا") })

export const timeFilters = (locale: Locale): ReadonlyArray<TextFilter> =>
  Object.entries(labels(locale)).map(([name, label]) => ({ name, label, type: "time" }))

/** A time by its name: today, this month. */
export const withinFilter = ({ say }: Pick<Locale, "say">): ChoiceFilter => ({
  name: "within",
  label: say("Time", "زمان"),
  any: say("Any time", "همهٔ زمان‌ها"),
  choices: withinChoices({ say })
})

/** Of a free range, and without one of the time that `within` names. */
export const readTimes = ({ query, locale }: Pick<Visit, "query" | "locale">, now: Instant): TimeSearch => {
  const problems: Array<string> = []
  const named = spanWithin(query.get("within") ?? "", locale, now)
  const read = (name: "from" | "to"): Instant | undefined => {
    const text = pasted(query.get(name) ?? "")
    if (text === "") return undefined
    const at = parseLocalTime(text, locale.zone, name === "to" ? "end" : "begin")
    if (at !== null) return at
    const label = labels(locale)[name]
    const example = isolatedText(dateExample(locale))
    problems.push(
      locale.say(
        `${label}: enter a date and time, such as ${example}.`,
        `${label}: تاریخ و ساعت را وارد کنید، مثل ${example}.`
      )
    )
    return undefined
  }
  const [from, to] = [read("from"), read("to")]
  return { from: from ?? named.from, to: to ?? named.to, problems }
}

/** Lists are ordered by time only: of it they have an index, and an index of anything else would cost each send. */
export const orderFilter = ({ say }: Pick<Locale, "say">): ChoiceFilter => ({
  name: "sort",
  label: say("Order", "ترتیب"),
  any: say("Newest first", "جدیدترین اول"),
  choices: [["oldest", say("Oldest first", "قدیمی‌ترین اول")]]
})

export const orderIn = ({ query }: Pick<Visit, "query">): Ordered["order"] =>
  query.get("sort") === "oldest" ? "oldest" : undefined

/** For the column of the time. */
export const orderLink = (view: Pick<Visit, "path" | "query">): OrderLink => {
  const isOldestFirst = orderIn(view) === "oldest"
  const other = { sort: isOldestFirst ? null : "oldest", cursor: null, notice: null }
  return { isOldestFirst, href: addressWith(view, other) }
}

/** Above a list: what was not understood of its search. */
export const searchProblems = (problems: ReadonlyArray<string>): ReadonlyArray<Html> =>
  problems.map((problem) => html`<p class="notice bad" role="alert">${problem}</p>`)

/** A file has no place for problems: it is refused. */
export const refusedSearch = (problems: ReadonlyArray<string>): ValidationError =>
  new ValidationError({
    problems: problems.map((text) => ({ path: "", problem: problem("other", { text }) }))
  })
