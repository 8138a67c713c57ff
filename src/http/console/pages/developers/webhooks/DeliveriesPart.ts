import { Effect } from "effect"
import { isUuidPosition } from "../../../../../domain/Paging.ts"
import {
  DeliveryStatus,
  type WebhookDelivery,
  type WebhookEndpoint,
  WebhookEventType
} from "../../../../../domain/webhook/Webhook.ts"
import { Webhooks } from "../../../../../services/webhook/Webhooks.ts"
import { html, type Html } from "../../../frame/Html.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { deliveryBadge, tryBadge } from "../../../parts/DeliveryParts.ts"
import { emptyState } from "../../../parts/lists/EmptyState.ts"
import { choiceProblems, type Filter, filters } from "../../../parts/lists/Filters.ts"
import { pager, pageRequest } from "../../../parts/lists/Pager.ts"
import { table } from "../../../parts/lists/Table.ts"
import { searchProblems } from "../../../parts/lists/TimeFilters.ts"
import { mono } from "../../../parts/Text.ts"
import { pathFor } from "./WebhookPaths.ts"

/** The response to the last try. */
const lastAnswer = ({ tries }: WebhookDelivery): Html => {
  const last = tries.at(-1)
  return last === undefined ? html`<span class="muted">–</span>` : tryBadge(last)
}

const deliveryTable = (id: number, deliveries: ReadonlyArray<WebhookDelivery>, { locale }: View): Html => {
  const { say, time, number } = locale
  return table(
    say("Deliveries", "تحویل‌ها"),
    [
      {
        header: say("Event", "رویداد"),
        kind: "title",
        cell: ({ eventId, eventType }: WebhookDelivery) =>
          html`<a href="${pathFor(id, `/events/${eventId}`)}">${mono(eventType)}</a>`
      },
      { header: say("State", "وضعیت"), cell: (delivery) => deliveryBadge(delivery, locale) },
      { header: say("Response", "پاسخ"), cell: lastAnswer },
      { header: say("Tries", "تلاش"), kind: "number", cell: ({ tries }) => number(tries.length) },
      { header: say("Created", "ساخت"), cell: ({ createdAt }) => time(createdAt) },
      { header: say("Next try", "تلاش بعدی"), cell: ({ nextTryAt }) => time(nextTryAt) }
    ],
    deliveries
  )
}

const deliveryFilters = ({ say }: View["locale"]): ReadonlyArray<Filter> => [
  {
    name: "status",
    label: say("State", "وضعیت"),
    any: say("All", "همه"),
    choices: [
      ["pending", say("Pending or retrying", "در انتظار یا تلاش دوباره")],
      ["delivered", say("Delivered", "رسیده")],
      ["failed", say("Failed", "ناموفق")]
    ]
  },
  {
    name: "event",
    label: say("Event", "رویداد"),
    any: say("All", "همه"),
    choices: WebhookEventType.literals.map((event) => [event, event] as const)
  }
]

export const deliveriesPart = Effect.fnUntraced(function* (view: View, { id }: WebhookEndpoint) {
  const { actor, locale, query } = view
  const { say } = locale
  const request = yield* pageRequest(view, isUuidPosition)
  const status = DeliveryStatus.literals.find((each) => each === query.get("status"))
  const eventType = WebhookEventType.literals.find((each) => each === query.get("event"))
  const shown = deliveryFilters(locale)
  const problems = choiceProblems(view, shown)
  const isFiltered = problems.length > 0 || status !== undefined || eventType !== undefined
  const { items, next } =
    problems.length > 0
      ? { items: [], next: null }
      : yield* (yield* Webhooks).deliveries(actor.customerId, id, { ...request, status, eventType })
  return html`<h2 class="section-title">${say("Deliveries", "تحویل‌ها")}</h2>
    ${filters(view, shown)} ${searchProblems(problems)}
    <div class="panel" id="deliveries" ${!query.has("cursor") && html`data-live="3"`}>
      ${
        items.length > 0
          ? deliveryTable(id, items, view)
          : emptyState(
              say("Nothing was delivered", "چیزی تحویل نشده"),
              isFiltered
                ? say("Choose other filters.", "پالایه‌های دیگری برگزینید.")
                : say("Send a test event, or a code.", "یک رویداد آزمایشی یا یک کد بفرستید.")
            )
      }
      ${pager(view, next)}
    </div>`
})
