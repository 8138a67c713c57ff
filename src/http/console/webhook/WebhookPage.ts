import { Clock, Effect } from "effect"
import type { Instant } from "../../../domain/Instant.ts"
import { isUuidPosition } from "../../../domain/Paging.ts"
import { ERASED_PHONE, maskPhone, Phone } from "../../../domain/Phone.ts"
import {
  DeliveryStatus,
  EVERY_EVENT,
  ROTATION_HOURS,
  type WebhookDelivery,
  type WebhookEndpoint,
  WebhookEventType
} from "../../../domain/Webhook.ts"
import { pathOf } from "../Navigation.ts"
import {
  errorSummary,
  type FieldErrors,
  noFieldErrors,
  timeField,
  versionField
} from "../forms/FormFields.ts"
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
import { isolated, isolatedText, ltr, mono, phoneNumber, phonePart } from "../parts/Text.ts"
import { historyPart } from "./WebhookHistoryPart.ts"
import { asSubmitted, pathFor, webhookFields, WEBHOOKS_PATH, webhookState } from "./WebhooksPage.ts"
import { Webhooks } from "../../../services/webhook/Webhooks.ts"

const webhookActions = (view: View, { id, url, disabledReason }: WebhookEndpoint): Html => {
  const { say } = view.locale
  const isActive = disabledReason === null
  return html`${isActive && postButton(view, { action: pathFor(id, "/test"), label: say("Send a test event", "ارسال رویداد آزمایشی"), kind: "primary" })}
  ${
    isActive
      ? confirmButton(view, {
          action: pathFor(id, "/disable"),
          label: say("Disable", "غیرفعال کردن"),
          question: say(
            `${isolatedText(url)} receives no events until you enable it. Then you can replay the missed ones.`,
            `تا وقتی ${isolatedText(url)} را دوباره فعال نکنید، رویدادی به آن فرستاده نمی‌شود. بعد می‌توانید رویدادهای این مدت را دوباره بفرستید.`
          ),
          confirm: say("Disable webhook", "غیرفعال کردن وب‌هوک")
        })
      : postButton(view, {
          action: pathFor(id, "/enable"),
          label: say("Enable", "فعال کردن"),
          kind: "primary"
        })
  }
  ${confirmButton(view, {
    action: pathFor(id, "/delete"),
    label: say("Delete", "حذف"),
    kind: "danger",
    question: say(
      `${isolatedText(url)} receives no more events, and its delivery history is deleted. This cannot be undone.`,
      `دیگر رویدادی به ${isolatedText(url)} فرستاده نمی‌شود و سابقهٔ ارسال‌ها هم پاک می‌شود. این کار برگشت ندارد.`
    ),
    confirm: say("Delete webhook", "حذف وب‌هوک")
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
      <summary class="panel-head"><h2 id="change-title">${say("Edit", "ویرایش")}</h2></summary>
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
      <summary class="panel-head">
        <h2 id="replay-title">${say("Replay events", "ارسال دوبارهٔ رویدادها")}</h2>
      </summary>
      <form class="panel-body fields" method="post" action="${pathFor(id, "/replay")}">
        ${csrfField(view.csrf)}
        ${timeField(
          {
            name: "since",
            label: say("Events since", "رویدادها از"),
            hint: say(
              "Up to 1000 events at a time, oldest first. Events are kept for 30 days.",
              "هر بار حداکثر ۱۰۰۰ رویداد، از قدیمی‌ترین. رویدادها ۳۰ روز نگه داشته می‌شوند."
            ),
            isRequired: true,
            errors
          },
          view.locale
        )}
        <div><button class="button">${say("Deliver again", "ارسال دوباره")}</button></div>
      </form>
    </details>
  </section>`
}

const secretForm = (view: View, { id }: WebhookEndpoint): Html => {
  const { say, number } = view.locale
  const hours = number(ROTATION_HOURS)
  return html`<section class="panel" aria-labelledby="secret-title">
    <details class="panel-details">
      <summary class="panel-head"><h2 id="secret-title">${say("Signing secret", "کلید امضا")}</h2></summary>
      <form class="panel-body fields" method="post" action="${pathFor(id, "/secret")}">
        ${csrfField(view.csrf)}
        <p class="hint">
          ${say(
            `Creates a new secret. For ${hours} hours, events are signed with both.`,
            `کلید جدیدی می‌سازد. تا ${hours} ساعت رویدادها با هر دو کلید امضا می‌شوند.`
          )}
        </p>
        <div><button class="button">${say("Rotate secret", "تعویض کلید امضا")}</button></div>
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
  ${tries.length > 1 && html`<div class="muted">${say(`attempt ${count}`, `تلاش ${count}`)}</div>`}`
}

/** The code or message, by its masked phone. */
const subjectPart = ({ eventType, subject, phone }: WebhookDelivery, locale: Locale): Html => {
  if (phone === null) return html`<span class="muted">–</span>`
  const page = eventType.startsWith("message.") ? "messages" : "verifications"
  const shown = phone === ERASED_PHONE ? phonePart(phone, locale) : phoneNumber(maskPhone(Phone.make(phone)))
  return html`<a href="${pathOf(page)}/${subject}">${shown}</a>`
}

const deliveryTable = (
  id: number,
  deliveries: ReadonlyArray<WebhookDelivery>,
  now: Instant,
  { locale }: View
): Html => {
  const { say, time, ago } = locale
  return table(
    say("Deliveries", "ارسال‌ها"),
    [
      {
        header: say("Event", "رویداد"),
        kind: "title",
        cell: ({ eventId, eventType }: WebhookDelivery) =>
          html`<a class="row-link" href="${pathFor(id, `/events/${eventId}`)}">${mono(eventType)}</a>`
      },
      { header: say("About", "دربارهٔ"), card: "detail", cell: (delivery) => subjectPart(delivery, locale) },
      {
        header: say("Status, next attempt", "وضعیت، تلاش بعدی"),
        card: "state",
        cell: (delivery) =>
          html`${deliveryBadge(delivery, locale)}
          ${delivery.nextTryAt !== null && html`<div class="muted table-word">${time(delivery.nextTryAt)}</div>`}`
      },
      {
        header: say("Last response", "آخرین پاسخ"),
        cell: (delivery) => lastResponse(delivery, locale)
      },
      {
        header: say("Created", "زمان ایجاد"),
        card: "time",
        cell: ({ createdAt, replayedAt }) =>
          html`${ago(createdAt, now)}
          ${replayedAt !== null && html`<div class="muted">${say("again", "دوباره")} ${ago(replayedAt, now)}</div>`}`
      }
    ],
    deliveries,
    { isCompact: true }
  )
}

const deliveryFilters = ({ say }: View["locale"]): ReadonlyArray<Filter> => [
  {
    name: "status",
    label: say("Status", "وضعیت"),
    any: say("All", "همه"),
    choices: [
      ["pending", say("Pending or retrying", "در انتظار یا تلاش دوباره")],
      ["delivered", say("Delivered", "تحویل شد")],
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

const deliveriesPart = Effect.fnUntraced(function* (
  view: View,
  { id, url, disabledReason }: WebhookEndpoint
) {
  const { actor, locale, query } = view
  const mayRetry = actor.scope === "full" && disabledReason === null
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
  return html`<div class="section-head">
      <h2 class="section-title">${say("Deliveries", "ارسال‌ها")}</h2>
      ${
        mayRetry &&
        confirmButton(view, {
          action: pathFor(id, "/retry-failed"),
          label: say("Retry all failed", "ارسال دوبارهٔ همهٔ ناموفق‌ها"),
          isSmall: true,
          question: say(
            `Everything that failed at ${isolatedText(url)} in the last 30 days, or waits for another try, is sent again now: up to 1000 events at a time.`,
            `هر چه در ۳۰ روز گذشته به ${isolatedText(url)} نرسیده یا منتظر تلاش بعدی است همین حالا دوباره فرستاده می‌شود: هر بار حداکثر ۱۰۰۰ رویداد.`
          ),
          confirm: say("Retry all failed", "ارسال دوبارهٔ همه")
        })
      }
    </div>
    ${filters(view, shown)} ${searchProblems(problems)}
    <div class="panel" id="deliveries" ${!query.has("cursor") && html`data-live="3"`}>
      ${
        items.length > 0
          ? deliveryTable(id, items, yield* Clock.currentTimeMillis, view)
          : emptyState(
              say("No deliveries", "ارسالی نیست"),
              isFiltered
                ? say("Try other filters.", "فیلترها را تغییر دهید.")
                : say("Send a test event or a code.", "یک رویداد آزمایشی یا یک کد بفرستید.")
            )
      }
      ${pager(view, next)}
    </div>`
})

const webhookFacts = (webhook: WebhookEndpoint, locale: Locale): Html => {
  const { say, time } = locale
  return facts([
    [say("Status", "وضعیت"), webhookState(webhook, locale)],
    [say("Mode", "حالت"), stateBadge(webhook.mode, locale)],
    [
      say("Events", "رویدادها"),
      html`${webhook.events.includes(EVERY_EVENT) && say("All events except alerts", "همهٔ رویدادها به‌جز اعلان‌ها")}
        <span class="badges"
          >${webhook.events
            .filter((event) => event !== EVERY_EVENT)
            .map((event) => badge("plain", event))}</span
        >`
    ],
    webhook.description === "" ? null : [say("Description", "توضیح"), isolated(webhook.description)],
    [say("Created", "زمان ایجاد"), time(webhook.createdAt)]
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
        <section class="panel panel-body" aria-label="${say("Webhook", "وب‌هوک")}">
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
      ${yield* historyPart(view, webhook)} ${deliveries}`
  } satisfies Page
})
