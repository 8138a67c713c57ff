import { Effect } from "effect"
import type { Instant } from "../../../../domain/Instant.ts"
import type { PageRequest } from "../../../../domain/Paging.ts"
import { html, type Html } from "../../frame/Html.ts"
import type { Locale } from "../../frame/Locale.ts"
import { addressWith, type Visit } from "../../frame/Visit.ts"
import { problem } from "../../../../domain/Problem.ts"
import { ValidationError } from "../../../../domain/Errors.ts"

const ROWS = 25

/** The page of a list that the address asks for. `isPosition` recognizes a cursor of this list. */
export const pageRequest = (
  { query }: Pick<Visit, "query">,
  isPosition: (text: string) => boolean,
  limit = ROWS
): Effect.Effect<PageRequest, ValidationError> => {
  const after = query.get("cursor")
  return after === null || isPosition(after)
    ? Effect.succeed({ limit, after })
    : Effect.fail(
        new ValidationError({ problems: [{ path: "query.cursor", problem: problem("other_cursor") }] })
      )
}

/** How far a search went that has not found enough yet. */
export const searchedWords = (searchedTo: Instant, { say, time }: Locale): Html =>
  html`${say("Searched back to", "جست‌وجو شد تا")} ${time(searchedTo)}`

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
  if (isFirst && next === null) return null
  const link = (cursor: string | null, label: string) =>
    html`<a class="button small" href="${addressWith(view, { cursor, notice: null })}">${label}</a>`
  const rest = (cursor: string): Html =>
    searchedTo === undefined
      ? link(cursor, say("Next page", "صفحهٔ بعد"))
      : html`<span class="muted">${searchedWords(searchedTo, view.locale)}</span>
          ${link(cursor, say("Search on", "ادامهٔ جست‌وجو"))}`
  return html`<nav class="pager" aria-label="${say("Pages", "صفحه‌ها")}">
    ${isFirst ? html`<span></span>` : link(null, say("First page", "صفحهٔ نخست"))}
    ${next === null ? html`<span class="muted">${say("End of the list", "پایان فهرست")}</span>` : rest(next)}
  </nav>`
}
