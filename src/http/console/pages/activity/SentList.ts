import type { Page } from "../../../../domain/Paging.ts"
import { icon } from "../../frame/Document.ts"
import { html, type Html } from "../../frame/Html.ts"
import type { View } from "../../frame/SignedRoutes.ts"
import { addressWith } from "../../frame/Visit.ts"
import { pathOf } from "../../Navigation.ts"
import { emptyState } from "../../parts/lists/EmptyState.ts"
import { pager, searchedWords } from "../../parts/lists/Pager.ts"
import { type Column, table } from "../../parts/lists/Table.ts"
import { searchProblems } from "../../parts/lists/TimeFilters.ts"

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
