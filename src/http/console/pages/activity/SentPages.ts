import { Clock, Effect } from "effect"
import type { Instant } from "../../../../domain/Instant.ts"
import type { Page, PageRequest } from "../../../../domain/Paging.ts"
import type { Channel } from "../../../../domain/routing/Channel.ts"
import { answerPage, seeOther } from "../../frame/Answers.ts"
import { allRows, type CsvCell, csvFile } from "../../frame/CsvFile.ts"
import { html } from "../../frame/Html.ts"
import type { Locale } from "../../frame/Locale.ts"
import type { View } from "../../frame/SignedRoutes.ts"
import { pathOf } from "../../Navigation.ts"
import type { Hop } from "../../parts/Hops.ts"
import { type Filter, filters } from "../../parts/lists/Filters.ts"
import type { Column } from "../../parts/lists/Table.ts"
import { refusedSearch } from "../../parts/lists/TimeFilters.ts"
import { phonePart, shortId } from "../../parts/Text.ts"
import { type AttemptOutcome, attemptState } from "./AttemptStates.ts"
import { sentList } from "./SentList.ts"
import { readSearch, searchFilters, type SentFilters, type SentSearch, sentPage } from "./SentSearch.ts"

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
