import { Clock, Effect } from "effect"
import type { Instant } from "../../../domain/Instant.ts"
import type { Page, PageRequest } from "../../../domain/Paging.ts"
import type { Channel } from "../../../domain/routing/Channel.ts"
import { pathOf } from "../Navigation.ts"
import { answerPage, seeOther } from "../frame/Answers.ts"
import { allRows, type CsvCell, csvFile } from "../frame/CsvFile.ts"
import { icon } from "../frame/Document.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { addressWith } from "../frame/Visit.ts"
import {
  type Column,
  emptyState,
  type Filter,
  filters,
  pager,
  refusedSearch,
  searchedWords,
  searchProblems,
  table
} from "../parts/Lists.ts"
import { type AttemptOutcome, attemptState, type Hop } from "../parts/Runs.ts"
import { phonePart, shortId } from "../parts/Text.ts"
import { readSearch, searchFilters, type SentFilters, sentPage, type SentSearch } from "./SentSearch.ts"

interface SentList<Row> {
  readonly caption: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly found: Page<Row>
  readonly problems: ReadonlyArray<string>
  readonly path: string
  /** The words to show if nothing was sent at all. */
  readonly none: { readonly title: string; readonly text: string }
}

const isFiltered = ({ query }: View): boolean =>
  [...query].some(([name, value]) => !["lang", "theme", "notice"].includes(name) && value !== "")

const emptyList = <Row>(view: View, { none, found, path }: SentList<Row>): Html => {
  const { next, searchedTo } = found
  const { say } = view.locale
  if (!isFiltered(view)) {
    const hasTest = view.navigation.some(({ pages }) => pages.some(({ name }) => name === "test"))
    const action = hasTest ? { href: pathOf("test"), label: say("Send a test", "ارسال آزمایشی") } : null
    return emptyState(none.title, none.text, action)
  }
  return next === null || searchedTo === undefined
    ? emptyState(
        say("Nothing matches", "چیزی پیدا نشد"),
        say("Try a longer time, or fewer filters.", "بازهٔ بلندتر یا پالایه‌های کمتری را امتحان کنید."),
        { href: path, label: say("Show everything", "نمایش همه") }
      )
    : emptyState(
        say("Nothing in this part", "در این بخش چیزی نیست"),
        searchedWords(searchedTo, view.locale),
        { href: addressWith(view, { cursor: next }), label: say("Search on", "ادامهٔ جست‌وجو") }
      )
}

const REFRESH_SECONDS = 5

/** A list of codes or messages, which stays up to date while its beginning is shown. */
export const sentList = <Row>(view: View, list: SentList<Row>): Html => {
  const { say } = view.locale
  const { caption, columns, found, problems, path } = list
  const { items, next, searchedTo } = found
  const live = view.query.has("cursor") ? null : html`data-live="${REFRESH_SECONDS}"`
  const file = addressWith({ path: `${path}/export.csv`, query: view.query }, { cursor: null, notice: null })
  return html`${searchProblems(problems)}
    <section class="panel" id="sent-list" ${live}>
      ${items.length === 0 ? emptyList(view, list) : table(caption, columns, items)}
      ${pager(view, next, searchedTo)}
    </section>
    ${
      (items.length > 0 || next !== null) &&
      html`<p class="below-list">
        <a class="button small quiet" href="${file}">
          ${icon("download")}<span>${say("Download as CSV", "دریافت CSV")}</span>
        </a>
      </p>`
    }`
}

type SentPage = "messages" | "verifications"
type FoundBy = SentFilters & PageRequest
type CsvColumn<Row> = readonly [header: string, cell: (row: Row) => CsvCell]

/** What a code and a message have in common. */
interface Sent {
  readonly id: string
  readonly phone: string
  readonly createdAt: Instant
  readonly captured: number
  readonly metadata: string | null
  readonly attempts: ReadonlyArray<AttemptOutcome & { readonly step: number }>
  readonly route: readonly [{ readonly channel: Channel }, ...ReadonlyArray<{ readonly channel: Channel }>]
}

interface SentPages<Row, Services> {
  readonly name: SentPage
  readonly words: (say: Locale["say"]) => {
    readonly title: string
    readonly lead: string
    readonly none: { readonly title: string; readonly text: string }
  }
  readonly statuses: ReadonlyArray<string>
  readonly channels: ReadonlyArray<Channel>
  readonly moreFilters?: (say: Locale["say"]) => ReadonlyArray<Filter>
  readonly columns: (view: View, now: Instant) => ReadonlyArray<Column<Row>>
  readonly csvColumns: (now: Instant) => ReadonlyArray<CsvColumn<Row>>
  /** A page of the customer's rows, by the search that both lists have and by the view's own filters. */
  readonly find: (view: View, search: FoundBy) => Effect.Effect<Page<Row>, never, Services>
}

/** The channels that were tried, with the outcome of each. */
export const tried = ({ attempts, route }: Sent): ReadonlyArray<Hop> =>
  attempts.map((attempt) => ({
    channel: (route[attempt.step] ?? route[0]).channel,
    state: attemptState(attempt)
  }))

export const phoneColumn = ({ locale }: View, name: SentPage, header: string): Column<Sent> => ({
  header,
  kind: "title",
  cell: ({ id, phone }) =>
    html`<a class="row-link" href="${pathOf(name)}/${id}">${phonePart(phone, locale)}</a
      ><span class="sub">${shortId(id)}</span>`
})

export const costColumn = ({ locale }: View): Column<Sent> => ({
  header: locale.say("Cost", "هزینه"),
  kind: "number",
  cell: ({ captured }) => (captured === 0 ? html`<span class="muted">–</span>` : locale.rials(captured))
})

export const createdColumn = ({ locale }: View, header: string): Column<Sent> => ({
  header,
  kind: "number",
  cell: ({ createdAt }) => locale.time(createdAt)
})

/** The columns at the end of either file. */
const outcomeColumns: ReadonlyArray<CsvColumn<Sent>> = [
  [
    "channels",
    (row) =>
      tried(row)
        .map(({ channel }) => channel)
        .join(" ")
  ],
  [
    "attempts",
    (row) =>
      tried(row)
        .map(({ state }) => state)
        .join(" ")
  ],
  ["error_code", ({ attempts }) => attempts.at(-1)?.error_code ?? null],
  ["cost_rials", ({ captured }) => captured],
  ["metadata", ({ metadata }) => metadata]
]

/** The list of codes or of messages, as a page and as a CSV file. */
export const sentPages = <Row extends Sent, Services>(kind: SentPages<Row, Services>) => {
  const path = pathOf(kind.name)

  const filtersOf = ({ locale }: View) =>
    searchFilters(locale, kind.statuses, kind.channels, kind.moreFilters?.(locale.say))

  const find = (view: View, search: SentSearch, page: PageRequest) =>
    search.problems.length > 0
      ? Effect.succeed<Page<Row>>({ items: [], next: null })
      : kind.find(view, { ...search.filters, ...page })

  const list = Effect.fnUntraced(function* (view: View) {
    const { say } = view.locale
    const { shown, folded } = filtersOf(view)
    const search = yield* readSearch(view, { shown, folded })
    if (search.id !== null) return seeOther(`${path}/${search.id}`)
    const found = yield* find(view, search, yield* sentPage(view))
    const { title, lead, none } = kind.words(say)
    return answerPage(view, {
      title,
      name: kind.name,
      lead,
      content: html`${filters(view, shown, folded)}
      ${sentList(view, {
        caption: title,
        columns: kind.columns(view, yield* Clock.currentTimeMillis),
        found,
        problems: search.problems,
        path,
        none
      })}`
    })
  })

  const exportCsv = Effect.fnUntraced(function* (view: View) {
    const search = yield* readSearch(view, filtersOf(view))
    if (search.problems.length > 0) return yield* Effect.fail(refusedSearch(search.problems))
    const columns = [...kind.csvColumns(yield* Clock.currentTimeMillis), ...outcomeColumns]
    const rows = yield* allRows((page) => find(view, search, page))
    return csvFile(`${kind.name}.csv`, columns, rows)
  })

  return { path, list, exportCsv }
}
