import { Clock, Effect } from "effect"
import type { Instant } from "../../../domain/Instant.ts"
import { isTimePosition, type Page, type PageRequest } from "../../../domain/Paging.ts"
import type { Phone } from "../../../domain/Phone.ts"
import type { Channel } from "../../../domain/routing/Channel.ts"
import type { LoggedRequest } from "../../../domain/LoggedRequest.ts"
import { pathOf } from "../Navigation.ts"
import { refusalText } from "../activity/RequestList.ts"
import { savedViews } from "../SavedViewsPage.ts"
import { pageResponse, seeOther } from "../frame/Responses.ts"
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
  orderIn,
  orderLink,
  pager,
  pageRequest,
  refusedSearch,
  searchedText,
  searchProblems,
  table
} from "../parts/Lists.ts"
import { readSearch, searchFilters, type SentFilters, type SentSearch } from "./SentSearch.ts"
import { type AttemptOutcome, attemptState, type Hop } from "../parts/Runs.ts"
import { phoneLink, phoneMark, phonePath } from "../parts/Phones.ts"
import { mono, phonePart, shortId } from "../parts/Text.ts"
import type { SendCount } from "../../../services/message/MessageRecords.ts"
import { RequestLog, RequestRecords } from "../../../services/activity/RequestLog.ts"

/** The requests for the phone that is searched, that were refused. */
interface RefusedPhone {
  readonly phone: Phone
  readonly refusals: ReadonlyArray<LoggedRequest>
}

/** More are not counted. */
const MAX_REFUSALS = 20

interface SentList<Row> {
  readonly caption: string
  /** Null: no phone is searched, or none was refused. */
  readonly refused: RefusedPhone | null
  readonly columns: ReadonlyArray<Column<Row>>
  readonly found: Page<Row>
  readonly problems: ReadonlyArray<string>
  readonly path: string
  /** The words to show if nothing was sent at all. */
  readonly none: { readonly title: string; readonly text: string }
}

/** They change how a page looks, not what it searches for; `show` is the switch of live and sandbox. */
const NO_FILTERS = ["lang", "theme", "show", "notice", "sort", "size"]

const isFiltered = ({ query }: View): boolean =>
  [...query].some(([name, value]) => !NO_FILTERS.includes(name) && value !== "")

/** “2 requests for this phone were refused: blocked_phone”, with a link to them. */
const refusedEmpty = ({ phone, refusals }: RefusedPhone, view: View): Html => {
  const { say, number } = view.locale
  const kinds = [...new Map(refusals.map((each) => [each.code, each])).values()]
  const count = `${number(refusals.length)}${refusals.length === MAX_REFUSALS ? "+" : ""}`
  const title =
    refusals.length === 1
      ? say("1 request for this phone was refused", "۱ درخواست برای این شماره رد شد")
      : say(`${count} requests for this phone were refused`, `${count} درخواست برای این شماره رد شد`)
  return emptyState(
    title,
    html`${kinds.map(
      (each) =>
        html`<span class="reason"
          >${mono(each.code ?? String(each.status))} ${refusalText(each, view.locale)}</span
        >`
    )}`,
    {
      href: `${phonePath(phone)}#refused`,
      label: say("See them", "دیدن آن‌ها")
    }
  )
}

const emptyList = <Row>(view: View, { none, found, path, refused }: SentList<Row>): Html => {
  const { next, searchedTo } = found
  const { say } = view.locale
  if (refused !== null && next === null) return refusedEmpty(refused, view)
  if (!isFiltered(view)) {
    const hasTest = view.navigation.some(({ pages }) => pages.some(({ name }) => name === "test"))
    const action = hasTest ? { href: pathOf("test"), label: say("Send a test", "ارسال آزمایشی") } : null
    return emptyState(none.title, none.text, action)
  }
  return next === null || searchedTo === undefined
    ? emptyState(
        say("No results", "چیزی پیدا نشد"),
        say("Try a longer time, or fewer filters.", "بازهٔ بلندتر یا فیلتر کمتری را امتحان کنید."),
        { href: path, label: say("Clear filters", "پاک کردن فیلترها") }
      )
    : emptyState(say("No results so far", "تا اینجا چیزی پیدا نشد"), searchedText(searchedTo, view.locale), {
        href: addressWith(view, { cursor: next }),
        label: say("Search older", "جست‌وجوی قدیمی‌ترها")
      })
}

const REFRESH_SECONDS = 5

/** A list of codes or messages, which stays up to date while its beginning is shown. */
export const sentList = <Row extends { readonly id: string }>(view: View, list: SentList<Row>): Html => {
  const { say } = view.locale
  const { caption, columns, found, problems, path } = list
  const { items, next, searchedTo } = found
  const live =
    view.query.has("cursor") || orderIn(view) === "oldest"
      ? null
      : html`data-live="${REFRESH_SECONDS}" data-new="${say("{count} new", "{count} مورد جدید")}"`
  const idOf = ({ id }: Row) => id
  const file = addressWith({ path: `${path}/export.csv`, query: view.query }, { cursor: null, notice: null })
  return html`${searchProblems(problems)}
    <section class="panel" id="sent-list" ${live}>
      ${items.length === 0 ? emptyList(view, list) : table(caption, columns, items, { idOf, isCompact: true })}
      ${pager(view, next, searchedTo)}
    </section>
    ${
      (items.length > 0 || next !== null) &&
      html`<p class="below-list">
        <a class="button small quiet" href="${file}">
          ${icon("download")}<span>${say("Export CSV", "خروجی CSV")}</span>
        </a>
      </p>`
    }`
}

/** Above the sends of one phone: where everything of it is. */
const phoneLine = ({ locale }: View, { filters: { phone } }: SentSearch): Html | null =>
  phone === undefined
    ? null
    : html`· ${locale.say("everything about", "همه چیز دربارهٔ")} ${phoneLink(phone, { locale })}`

/** “12 results”. What was not searched is not counted. */
const countText = ({ count, isMore }: SendCount, { say, number }: Locale): string => {
  if (isMore) return say(`More than ${number(count)} results`, `بیش از ${number(count)} نتیجه`)
  return count === 1 ? say("1 result", "۱ نتیجه") : say(`${number(count)} results`, `${number(count)} نتیجه`)
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
  readonly count: (view: View, search: SentFilters) => Effect.Effect<SendCount, never, Services>
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
      >${phoneMark(phone, { locale })} <span class="sub">${shortId(id)}</span>`
})

export const costColumn = ({ locale }: View): Column<Sent> => ({
  header: locale.say("Cost", "هزینه"),
  kind: "number",
  isOptional: true,
  cell: ({ captured }) => (captured === 0 ? html`<span class="muted">–</span>` : locale.rials(captured))
})

export const createdColumn = (view: View, now: Instant): Column<Sent> => ({
  header: view.locale.say("Created", "زمان ایجاد"),
  kind: "number",
  order: orderLink(view),
  card: "time",
  cell: ({ createdAt }) => view.locale.ago(createdAt, now)
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

  /** Whoever looks for a phone in vain learns that its requests were refused. */
  const refusedOf = Effect.fnUntraced(function* (
    { actor }: View,
    { filters: { phone } }: SentSearch,
    { items }: Page<Row>
  ) {
    if (phone === undefined || items.length > 0) return null
    yield* (yield* RequestLog).flush
    const records = yield* RequestRecords
    const refusals = yield* records.refusals(actor.customerId, phone, MAX_REFUSALS)
    return refusals.length === 0 ? null : { phone, refusals }
  })

  const find = (view: View, search: SentSearch, page: PageRequest) =>
    search.problems.length > 0
      ? Effect.succeed<Page<Row>>({ items: [], next: null })
      : kind.find(view, { ...search.filters, ...page })

  /** How many there are, and where everything of a phone is. */
  const listNote = Effect.fnUntraced(function* (view: View, search: SentSearch) {
    if (search.problems.length > 0 || view.query.has("cursor")) return null
    const counted = yield* kind.count(view, search.filters)
    return html`<p class="list-note">${countText(counted, view.locale)} ${phoneLine(view, search)}</p>`
  })

  const list = Effect.fnUntraced(function* (view: View) {
    const { say } = view.locale
    const { shown, folded } = filtersOf(view)
    const search = yield* readSearch(view, { shown, folded })
    if (search.id !== null) return seeOther(`${path}/${search.id}`)
    const found = yield* find(view, search, yield* pageRequest(view, isTimePosition))
    const { title, lead, none } = kind.words(say)
    return pageResponse(view, {
      title,
      name: kind.name,
      lead,
      content: html`${filters(view, shown, folded)} ${yield* savedViews(view, kind.name)}
      ${yield* listNote(view, search)}
      ${sentList(view, {
        caption: title,
        columns: kind.columns(view, yield* Clock.currentTimeMillis),
        found,
        refused: yield* refusedOf(view, search, found),
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
