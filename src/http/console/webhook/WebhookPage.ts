import { Effect } from "effect"
import { isUuidPosition } from "../../../domain/Paging.ts"
import {
  DeliveryStatus,
  EVERY_EVENT,
  type WebhookDelivery,
  type WebhookEndpoint,
  WebhookEventType
} from "../../../domain/Webhook.ts"
import { errorSummary, type FieldErrors, noFieldErrors, timeField, versionField } from "../forms/Fields.ts"
import { csrfField } from "../forms/Forms.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import type { Locale } from "../frame/Locale.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { badge, stateBadge } from "../parts/Badge.ts"
import { confirmButton, postButton } from "../parts/Confirm.ts"
import {
  choiceProblems,
  emptyState,
  type Filter,
  filters,
  pager,
  pageRequest,
  searchProblems,
  table
} from "../parts/Lists.ts"
import { facts } from "../parts/Panels.ts"
import { deliveryBadge, tryBadge } from "../parts/Runs.ts"
import { isolated, ltr, mono } from "../parts/Text.ts"
import { asSubmitted, pathFor, webhookFields, WEBHOOKS_PATH, webhookState } from "./WebhooksPage.ts"
import { Webhooks } from "../../../services/webhook/Webhooks.ts"

const webhookActions = (view: View, { id, disabledReason }: WebhookEndpoint): Html => {
  const { say } = view.locale
  const isActive = disabledReason === null
  return html`${isActive && postButton(view, { action: pathFor(id, "/test"), label: say("Send a test event", "ارسال رویداد آزمایشی"), kind: "primary" })}
  ${
    isActive
      ? confirmButton(view, {
          action: pathFor(id, "/disable"),
          label: say("Switch off", "خاموش کردن"),
          question: say(
            "Nothing is posted to it until you switch it on. Events of that time can be replayed.",
            "تا روشنش نکنید چیزی به آن فرستاده نمی‌شود. رویدادهای این مدت را می‌توان دوباره تحویل داد."
          ),
          confirm: say("Switch it off", "خاموش شود")
        })
      : postButton(view, {
          action: pathFor(id, "/enable"),
          label: say("Switch on", "روشن کردن"),
          kind: "primary"
        })
  }
  ${confirmButton(view, {
    action: pathFor(id, "/delete"),
    label: say("Delete", "حذف"),
    kind: "danger",
    question: say(
      "Its deliveries end, and their history goes.",
      "تحویل‌هایش پایان می‌یابد و تاریخچه‌شان پاک می‌شود."
    ),
    confirm: say("Delete the webhook", "وب‌هوک حذف شود")
  })}`
}

const changeForm = Effect.fnUntraced(function* (
  view: View,
  webhook: WebhookEndpoint,
  submitted: URLSearchParams,
  errors: FieldErrors
) {
  const { say } = view.locale
  const { allowsPrivateAddresses } = yield* Webhooks
  return html`<section class="panel" aria-labelledby="change-title">
    <details class="panel-details" ${errors.size > 0 && html`open`}>
      <summary class="panel-head"><h2 id="change-title">${say("Change", "تغییر")}</h2></summary>
      <form class="panel-body fields" method="post" action="${pathFor(webhook.id)}">
        ${csrfField(view.csrf)} ${versionField(webhook.version, submitted, errors)}
        ${errorSummary(errors, view.locale)}
        ${webhookFields(view.locale, submitted, errors, allowsPrivateAddresses)}
        <div><button class="button primary">${say("Save", "ذخیره")}</button></div>
      </form>
    </details>
  </section>`
})

const replayForm = (view: View, { id }: WebhookEndpoint, errors: FieldErrors): Html => {
  const { say } = view.locale
  return html`<section class="panel" aria-labelledby="replay-title">
    <details class="panel-details" ${errors.has("since") && html`open`}>
      <summary class="panel-head"><h2 id="replay-title">${say("Replay", "تحویل دوباره")}</h2></summary>
      <form class="panel-body fields" method="post" action="${pathFor(id, "/replay")}">
        ${csrfField(view.csrf)}
        ${timeField(
          {
            name: "since",
            label: say("Every event since", "همهٔ رویدادها از"),
            hint: say(
              "The oldest 1000 at a time. Events are kept for 30 days.",
              "هر بار ۱۰۰۰ رویداد، از قدیمی‌ترین. رویدادها ۳۰ روز می‌مانند."
            ),
            isRequired: true,
            errors
          },
          view.locale
        )}
        <div><button class="button">${say("Deliver them again", "دوباره تحویل شوند")}</button></div>
      </form>
    </details>
  </section>`
}

const secretForm = (view: View, { id }: WebhookEndpoint): Html => {
  const { say } = view.locale
  return html`<section class="panel" aria-labelledby="secret-title">
    <details class="panel-details">
      <summary class="panel-head"><h2 id="secret-title">${say("Signing secret", "کلید امضا")}</h2></summary>
      <form class="panel-body fields" method="post" action="${pathFor(id, "/secret")}">
        ${csrfField(view.csrf)}
        <p class="hint">
          ${say(
            "Makes another secret. For 24 hours events are signed with both.",
            "کلید تازه‌ای می‌سازد. تا ۲۴ ساعت رویدادها با هر دو امضا می‌شوند."
          )}
        </p>
        <div><button class="button">${say("Rotate the secret", "چرخاندن کلید")}</button></div>
      </form>
    </details>
  </section>`
}

/** The response to the last try, and which try it was. */
const lastResponse = ({ tries }: WebhookDelivery, { say, number }: Locale): Html => {
  const last = tries.at(-1)
  if (last === undefined) return html`<span class="muted">–</span>`
  const count = number(tries.length)
  return html`${tryBadge(last)}
  ${tries.length > 1 && html`<div class="muted">${say(`try ${count}`, `تلاش ${count}`)}</div>`}`
}

const deliveryTable = (id: number, deliveries: ReadonlyArray<WebhookDelivery>, { locale }: View): Html => {
  const { say, time } = locale
  return table(
    say("Deliveries", "تحویل‌ها"),
    [
      {
        header: say("Event", "رویداد"),
        kind: "title",
        cell: ({ eventId, eventType }: WebhookDelivery) =>
          html`<a href="${pathFor(id, `/events/${eventId}`)}">${mono(eventType)}</a>`
      },
      {
        header: say("State, next try", "وضعیت، تلاش بعدی"),
        cell: (delivery) =>
          html`${deliveryBadge(delivery, locale)}
          ${delivery.nextTryAt !== null && html`<div class="muted">${time(delivery.nextTryAt)}</div>`}`
      },
      {
        header: say("Last response", "آخرین پاسخ"),
        cell: (delivery) => lastResponse(delivery, locale)
      },
      { header: say("Created", "ساخت"), cell: ({ createdAt }) => time(createdAt) }
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

const deliveriesPart = Effect.fnUntraced(function* (view: View, { id }: WebhookEndpoint) {
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

const webhookFacts = (webhook: WebhookEndpoint, locale: Locale): Html => {
  const { say, time } = locale
  return facts([
    [say("State", "وضعیت"), webhookState(webhook, locale)],
    [say("Mode", "حالت"), stateBadge(webhook.mode, locale)],
    [
      say("Events", "رویدادها"),
      webhook.events.includes(EVERY_EVENT)
        ? say("Every event", "همهٔ رویدادها")
        : html`<span class="badges">${webhook.events.map((event) => badge("plain", event))}</span>`
    ],
    webhook.description === "" ? null : [say("Description", "توضیح"), isolated(webhook.description)],
    [say("Created", "ساخت"), time(webhook.createdAt)]
  ])
}

/** One endpoint; after a form that was refused, with what was typed. */
export const webhookPage = Effect.fnUntraced(function* (
  view: View,
  id: number,
  submitted: URLSearchParams | null,
  errors: FieldErrors
) {
  const { actor, locale } = view
  const { say } = locale
  const webhook = yield* (yield* Webhooks).find(actor.customerId, id)
  const deliveries = yield* deliveriesPart(view, webhook)
  const mayWrite = actor.scope === "full"
  return {
    title: URL.parse(webhook.url)?.host ?? say("Webhook", "وب‌هوک"),
    name: "webhooks",
    lead: html`<a href="${WEBHOOKS_PATH}">${say("Webhooks", "وب‌هوک‌ها")}</a> / ${ltr(webhook.url)}`,
    actions: mayWrite ? webhookActions(view, webhook) : null,
    content: html`<div class="columns">
        <section class="panel panel-body" aria-label="${say("The webhook", "وب‌هوک")}">
          ${webhookFacts(webhook, locale)}
        </section>
        ${
          mayWrite &&
          html`<div class="stack">
            ${yield* changeForm(view, webhook, submitted ?? asSubmitted(webhook), errors.has("since") ? noFieldErrors : errors)}
            ${replayForm(view, webhook, errors)} ${secretForm(view, webhook)}
          </div>`
        }
      </div>
      ${deliveries}`
  } satisfies Page
})
