import { Effect } from "effect"
import type { Page } from "../../../../../domain/Paging.ts"
import { isRequestPosition, type LoggedRequest } from "../../../../../domain/activity/LoggedRequest.ts"
import { RequestLog } from "../../../../../services/activity/RequestLog.ts"
import { RequestRecords } from "../../../../../services/activity/RequestRecords.ts"
import { Settings } from "../../../../../services/Settings.ts"
import { html, type Html } from "../../../frame/Html.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { addressWith } from "../../../frame/Visit.ts"
import { stateBadge } from "../../../parts/Badge.ts"
import { emptyState } from "../../../parts/lists/EmptyState.ts"
import { pager, pageRequest, searchedWords } from "../../../parts/lists/Pager.ts"
import { type Column, table } from "../../../parts/lists/Table.ts"
import { searchProblems } from "../../../parts/lists/TimeFilters.ts"
import { foreign, mono } from "../../../parts/Text.ts"
import { readRequestSearch, requestFilters } from "./RequestFilters.ts"
import { maskedPhone, routeOf, statusBadge, tookWords } from "./RequestParts.ts"

const columnsOf = ({ locale, path }: View, isOfAll: boolean): ReadonlyArray<Column<LoggedRequest>> => {
  const { say } = locale
  return [
    {
      header: say("Request", "درخواست"),
      kind: "title",
      cell: (each) => html`<a class="row-link" href="${path}/${each.id}">${routeOf(each)}</a>`
    },
    {
      header: say("Status", "وضعیت"),
      cell: (each) => html`${statusBadge(each)} ${each.code !== null && mono(each.code)}`
    },
    ...(isOfAll
      ? [
          {
            header: say("Customer", "مشتری"),
            cell: ({ customerName }: LoggedRequest) => foreign(customerName)
          }
        ]
      : []),
    { header: say("Phone", "شماره"), cell: maskedPhone },
    {
      header: say("Key", "کلید"),
      cell: ({ key, mode }) =>
        html`${key === null ? html`<span class="muted">–</span>` : foreign(key.name)}
        ${stateBadge(mode, locale)}`
    },
    { header: say("Took", "مدت"), kind: "number", cell: (each) => tookWords(each, locale) },
    { header: say("Time", "زمان"), kind: "number", cell: ({ at }) => locale.time(at) }
  ]
}

const emptyList = (
  view: View,
  { next, searchedTo }: Page<LoggedRequest>,
  isFiltered: boolean,
  days: number
): Html => {
  const { say, number } = view.locale
  if (days === 0)
    return emptyState(
      say("The request log is off", "ثبت درخواست‌ها خاموش است"),
      say("It is on if PEYK_REQUEST_LOG_DAYS is not 0.", "اگر PEYK_REQUEST_LOG_DAYS صفر نباشد روشن است.")
    )
  if (next !== null && searchedTo !== undefined)
    return emptyState(
      say("Nothing in this part", "در این بخش چیزی نیست"),
      searchedWords(searchedTo, view.locale),
      { href: addressWith(view, { cursor: next }), label: say("Search on", "ادامهٔ جست‌وجو") }
    )
  return isFiltered
    ? emptyState(
        say("Nothing matches", "چیزی پیدا نشد"),
        say("Try fewer filters.", "پالایه‌های کمتری را امتحان کنید."),
        { href: view.path, label: say("Show everything", "نمایش همه") }
      )
    : emptyState(
        say("No request yet", "هنوز درخواستی نیست"),
        say(
          `Requests with a service key are listed here for ${number(days)} days.`,
          `درخواست‌های با کلید سرویس ${number(days)} روز اینجا می‌مانند.`
        )
      )
}

const REFRESH_SECONDS = 5

/** The request log of a customer, or of all (null), with its filters. */
export const requestList = Effect.fnUntraced(function* (
  view: View,
  customerId: number | null,
  keys: ReadonlyArray<{ readonly id: number; readonly name: string }>
) {
  const { say } = view.locale
  const { requestLogDays } = yield* Settings
  const page = yield* pageRequest(view, isRequestPosition)
  const { search, problems } = yield* readRequestSearch(view)
  const records = yield* RequestRecords
  // Whoever has just made a request looks for it.
  if (page.after === null) yield* (yield* RequestLog).flush
  const found: Page<LoggedRequest> =
    problems.length === 0
      ? yield* records.list(customerId, { ...search, ...page })
      : { items: [], next: null }
  const { items, next, searchedTo } = found
  const caption = say("Requests", "درخواست‌ها")
  const isFiltered = Object.values(search).some((each) => each !== undefined) || problems.length > 0
  return html`${requestFilters(view, keys)} ${searchProblems(problems)}
    <section class="panel" id="requests" ${!view.query.has("cursor") && html`data-live="${REFRESH_SECONDS}"`}>
      ${
        items.length === 0
          ? emptyList(view, found, isFiltered, requestLogDays)
          : table(caption, columnsOf(view, customerId === null), items)
      }
      ${pager(view, next, searchedTo)}
    </section>`
})
