import { Clock, Effect } from "effect"
import { MINUTE_MILLIS, type Instant } from "../../../domain/Instant.ts"
import type { LoggedRequest } from "../../../domain/LoggedRequest.ts"
import { routeOf, statusBadge, tookText } from "../activity/RequestList.ts"
import { formatLocalTime } from "../forms/LocalTime.ts"
import { html, type Html } from "../frame/Html.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { rowId } from "../parts/Lists.ts"
import { pageLink } from "../parts/Panels.ts"
import type { RunHistory } from "../../../services/activity/RunHistories.ts"
import { RequestLog, RequestRecords } from "../../../services/activity/RequestLog.ts"

/** A request is logged when it was answered: a send after its first call. */
const SEND_MILLIS = MINUTE_MILLIS
const AROUND_END_MILLIS = 2000
/** Of each part of time. */
const MAX_REQUESTS = 10

interface RunSpan {
  readonly id: string
  readonly createdAt: Instant
  /** When a request ended it, perhaps: a right code, or a cancel. */
  readonly endedAt: Instant | null
}

/**
 * The requests that made a send and ended it. Only their times are searched: the log has no index by send, and those
 * between are a link away.
 */
export const readRunRequests = Effect.fnUntraced(function* (
  customerId: number,
  { id, createdAt, endedAt }: RunSpan
) {
  const records = yield* RequestRecords
  // Whoever has just sent it looks for its request.
  if ((yield* Clock.currentTimeMillis) - createdAt < SEND_MILLIS) yield* (yield* RequestLog).flush
  const within = (from: Instant, to: Instant) =>
    Effect.map(
      records.list(customerId, { id, from, to, limit: MAX_REQUESTS, after: null }),
      ({ items }) => items
    )
  const made = yield* within(createdAt - AROUND_END_MILLIS, createdAt + SEND_MILLIS)
  if (endedAt === null || endedAt < createdAt + SEND_MILLIS) return made
  const ended = yield* within(endedAt - AROUND_END_MILLIS, endedAt + AROUND_END_MILLIS)
  return [...ended, ...made]
})

/** The requests about a send, with a link to all of them. */
export const requestsPart = (view: View, id: string, requests: ReadonlyArray<LoggedRequest>): Html => {
  const { locale } = view
  const { say } = locale
  return html`<section class="panel" aria-labelledby="run-requests">
    <div class="panel-head">
      <h2 id="run-requests">${say("API requests", "درخواست‌های API")}</h2>
      ${pageLink(view, "requests", say("Show all", "نمایش همه"), `?q=${id}`)}
    </div>
    ${
      requests.length === 0
        ? html`<p class="panel-body muted">
            ${say("None is in the log: not by a key, or too long ago.", "در گزارش نیست: با کلید نبوده یا قدیمی است.")}
          </p>`
        : html`<ul class="events">
            ${requests.map(
              (each) =>
                html`<li>
                  <p class="what">
                    ${pageLink(view, "requests", routeOf(each), `/${each.id}`)} ${locale.clock(each.at)}
                  </p>
                  <p class="muted">${statusBadge(each)} ${tookText(each, locale)}</p>
                </li>`
            )}
          </ul>`
    }
  </section>`
}

/** The page of the wallet, at the time of an entry. */
const entryQuery = (at: Instant, { locale }: View): string => {
  const from = formatLocalTime(at, locale)
  const to = formatLocalTime(at + MINUTE_MILLIS, locale)
  return `?${new URLSearchParams({ from, to }).toString()}`
}

/** What was charged for a send: each entry leads to the wallet. Null: nothing. */
export const chargesPart = (view: View, { charges }: RunHistory): Html | null => {
  const { locale } = view
  const { say, rials } = locale
  if (charges.length === 0) return null
  return html`<section class="panel" aria-labelledby="run-charges">
    <div class="panel-head"><h2 id="run-charges">${say("Wallet", "کیف پول")}</h2></div>
    <ul class="events">
      ${charges.map(
        ({ id, amount, occurredAt }) =>
          html`<li>
            <p class="what">
              ${pageLink(view, "wallet", rials(Math.abs(amount)), `${entryQuery(occurredAt, view)}#${rowId(id)}`)}
              ${locale.clock(occurredAt)}
            </p>
          </li>`
      )}
    </ul>
  </section>`
}
