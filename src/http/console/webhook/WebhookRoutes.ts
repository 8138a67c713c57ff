import { Effect, Schema } from "effect"
import { HttpRouter } from "effect/http"
import type { WebhookDelivery, WebhookExchange, WebhookTry } from "../../../domain/Webhook.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { pathOf } from "../Navigation.ts"
import { creating, formAction, onceFormAction } from "../forms/ActionForms.ts"
import { byField, type FieldErrors, noFieldErrors } from "../forms/FormFields.ts"
import { pageResponse, seeOther } from "../frame/Responses.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import type { Locale } from "../frame/Locale.ts"
import { change, page, pathId, type View, writerPage } from "../frame/SignedRoutes.ts"
import { submittedTime } from "../key/KeysPage.ts"
import { codeBlock } from "../parts/Code.ts"
import { postButton } from "../parts/Confirm.ts"
import { emptyState, table } from "../parts/Lists.ts"
import { type NoticeKey, withNotice } from "../parts/Notice.ts"
import { facts } from "../parts/Panels.ts"
import { deliveryBadge, tryBadge } from "../parts/Runs.ts"
import { ltr, mono, shortId } from "../parts/Text.ts"
import {
  NEW_WEBHOOK_PATH,
  newWebhookPage,
  pathFor,
  showNewWebhook,
  shownWebhook,
  ShownWebhook,
  showWebhooks,
  submittedWebhook,
  WEBHOOKS_PATH,
  webhookSecretPage
} from "./WebhooksPage.ts"
import { CATALOGUE_PATH, showCatalogue } from "./EventCataloguePage.ts"
import { webhookPage } from "./WebhookPage.ts"
import {
  changeWebhook,
  createWebhook,
  removeWebhook,
  replayEvent,
  replaySince,
  retryFailed,
  rotateSecret,
  testWebhook,
  Webhooks
} from "../../../services/webhook/Webhooks.ts"

const triesPart = ({ tries }: WebhookDelivery, { locale }: View): Html => {
  const { say, time, number } = locale
  return html`<section class="panel" aria-labelledby="tries-title">
    <div class="panel-head"><h2 id="tries-title">${say("Attempts", "تلاش‌ها")}</h2></div>
    ${
      tries.length === 0
        ? emptyState(
            say("No attempt yet", "هنوز ارسال نشده"),
            say("It is sent in a moment.", "تا چند لحظهٔ دیگر ارسال می‌شود.")
          )
        : table(
            say("Attempts and responses", "تلاش‌ها و پاسخ‌ها"),
            [
              { header: say("Time", "زمان"), kind: "title", cell: ({ at }: WebhookTry) => time(at) },
              { header: say("Response", "پاسخ"), cell: tryBadge },
              {
                header: say("Duration", "مدت"),
                kind: "number",
                cell: ({ duration_ms }) => `${number(duration_ms)} ${say("ms", "میلی‌ثانیه")}`
              }
            ],
            tries.toReversed()
          )
    }
  </section>`
}

/** The page of what the event is about. */
const subjectLink = ({ eventType, subject }: WebhookDelivery, { navigation }: View): Html => {
  const name = eventType.startsWith("message.") ? "messages" : "verifications"
  const isServed = navigation.some(({ pages }) => pages.some((page) => page.name === name))
  return isServed && /^(?:message|verification)\./.test(eventType)
    ? html`<a href="${pathOf(name)}/${subject}">${shortId(subject)}</a>`
    : shortId(subject)
}

const readable = (body: string): string => JSON.stringify(JSON.parse(body), null, 2)

const factsOf = (delivery: WebhookDelivery, view: View): Html => {
  const { say, time, number } = view.locale
  return facts([
    [say("Status", "وضعیت"), deliveryBadge(delivery, view.locale)],
    [say("Event", "رویداد"), mono(delivery.eventId)],
    [say("Resource", "مورد"), subjectLink(delivery, view)],
    [say("Sequence", "ترتیب"), number(delivery.sequence)],
    [say("Created", "زمان ایجاد"), time(delivery.createdAt)],
    delivery.replayedAt === null ? null : [say("Sent again", "ارسال دوباره"), time(delivery.replayedAt)],
    delivery.nextTryAt === null ? null : [say("Next attempt", "تلاش بعدی"), time(delivery.nextTryAt)],
    delivery.finishedAt === null ? null : [say("Finished", "زمان پایان"), time(delivery.finishedAt)]
  ])
}

const bodyPart = (body: string | null, { locale }: View): Html =>
  body === null
    ? html`<p class="notice info">
        ${locale.say("The body is no longer stored: its code or message was deleted.", "بدنه دیگر ذخیره نیست: کد یا پیام آن حذف شده است.")}
      </p>`
    : html`<div class="panel panel-body">
        ${codeBlock(locale.say("Request body", "بدنهٔ درخواست"), readable(body), locale)}
      </div>`

/** The headers that were posted with the last try; the signature is of its time. */
const sentHeaders = (eventId: string, { at, signature }: WebhookExchange): string =>
  [
    "content-type: application/json",
    "user-agent: peyk",
    `webhook-id: ${eventId}`,
    `webhook-timestamp: ${Math.floor(at / 1000)}`,
    ...(signature === null ? [] : [`webhook-signature: ${signature}`])
  ].join("\n")

const responseBody = ({ body }: WebhookExchange, locale: Locale): Html =>
  body === null
    ? html`<p class="muted">${locale.say("The response had no body.", "پاسخ بدنه نداشت.")}</p>`
    : codeBlock(locale.say("Response body (first 2 KB)", "بدنهٔ پاسخ (۲ کیلوبایت اول)"), body, locale)

/** What went over the wire in the last tries, the newest first. */
const wirePart = (
  eventId: string,
  exchanges: ReadonlyArray<WebhookExchange>,
  { locale }: View
): Html | null => {
  const { say, time } = locale
  const [last, ...earlier] = exchanges.toReversed()
  if (last === undefined) return null
  return html`<section class="panel" aria-labelledby="wire-title">
    <div class="panel-head">
      <h2 id="wire-title">${say("Last attempt", "آخرین تلاش")}</h2>
      <span class="muted">${time(last.at)}</span>
    </div>
    <div class="panel-body stack-tight">
      ${responseBody(last, locale)}
      ${codeBlock(say("Request headers", "هدرهای درخواست"), sentHeaders(eventId, last), locale)}
      ${earlier.map(
        (each) =>
          html`<details>
            <summary class="more-summary">${say("Response at", "پاسخ در")} ${time(each.at)}</summary>
            ${responseBody(each, locale)}
          </details>`
      )}
    </div>
  </section>`
}

/** One event on its way to one endpoint: what was posted, and what came back. */
const showDelivery = Effect.fnUntraced(function* (view: View) {
  const { actor, locale } = view
  const { say } = locale
  const id = yield* pathId
  const { event_id: eventId = "" } = yield* HttpRouter.params
  const webhooks = yield* Webhooks
  const webhook = yield* webhooks.find(actor.customerId, id)
  const delivery = yield* webhooks.delivery(actor.customerId, id, eventId)
  const body = yield* webhooks.body(actor.customerId, id, eventId)
  const exchanges = yield* webhooks.exchanges(actor.customerId, id, eventId)
  return {
    title: delivery.eventType,
    name: "webhooks",
    lead: html`<a href="${pathFor(id)}">${ltr(webhook.url)}</a>`,
    actions:
      actor.scope === "full" && webhook.disabledReason === null
        ? postButton(view, {
            action: pathFor(id, `/events/${eventId}/replay`),
            label: say("Deliver again", "ارسال دوباره"),
            kind: "primary"
          })
        : null,
    content: html`<div class="columns" id="delivery" data-live="3">
      <div class="stack">
        ${triesPart(delivery, view)} ${wirePart(eventId, exchanges, view)} ${bodyPart(body, view)}
      </div>
      <section class="panel panel-body" aria-label="${say("Delivery", "ارسال")}">
        ${factsOf(delivery, view)}
      </section>
    </div>`
  } satisfies Page
})

const WEBHOOK_PATH = `${WEBHOOKS_PATH}/:id` as const
const EVENT_PATH = `${WEBHOOK_PATH}/events/:event_id` as const

const backTo = (id: number, key: NoticeKey, below = "") => seeOther(withNotice(pathFor(id, below), key))

const showWebhook = (view: View) => Effect.flatMap(pathId, (id) => webhookPage(view, id, null, noFieldErrors))

const submitNew = onceFormAction(createWebhook, {
  target: creating,
  input: (fields) => ({ ...submittedWebhook(fields), mode: fields.get("mode") }),
  shown: ShownWebhook,
  show: shownWebhook,
  done: (view, created) =>
    pageResponse(
      view,
      webhookSecretPage(view, created, view.locale.say("Webhook created", "وب‌هوک ساخته شد"))
    ),
  again: (view, fields, errors) => newWebhookPage(view, fields, byField(errors))
})

const submitChange = formAction(changeWebhook, {
  target: pathId,
  input: submittedWebhook,
  done: (_, { id }) => backTo(id, "saved"),
  again: (view, fields, errors) =>
    Effect.flatMap(pathId, (id) => webhookPage(view, id, fields, byField(errors)))
})

const switchTo = (active: boolean) =>
  formAction(changeWebhook, {
    target: pathId,
    input: () => ({ active }),
    done: (_, { id }) => backTo(id, active ? "enabled" : "disabled")
  })

const submitRemoval = formAction(removeWebhook, {
  target: pathId,
  done: () => seeOther(withNotice(WEBHOOKS_PATH, "deleted"))
})

const submitTest = (view: View, fields: URLSearchParams) =>
  Effect.flatMap(pathId, (id) =>
    onceFormAction(testWebhook, {
      target: Effect.succeed(id),
      shown: Schema.Null,
      show: () => null,
      done: () => backTo(id, "sent")
    })(view, fields)
  )

const submitRotation = onceFormAction(rotateSecret, {
  target: pathId,
  shown: ShownWebhook,
  show: shownWebhook,
  done: (view, created) =>
    pageResponse(
      view,
      webhookSecretPage(view, created, view.locale.say("Signing secret rotated", "کلید امضا تعویض شد"))
    )
})

const eventInPath = Effect.gen(function* () {
  const { event_id = "" } = yield* HttpRouter.params
  return { id: yield* pathId, event_id }
})

const submitReplay = (view: View, fields: URLSearchParams) =>
  Effect.flatMap(eventInPath, (target) =>
    onceFormAction(replayEvent, {
      target: Effect.succeed(target),
      shown: Schema.Null,
      show: () => null,
      done: () => backTo(target.id, "replayed", `/events/${target.event_id}`)
    })(view, fields)
  )

/** The form has one field: every error is said there. */
const ofSince = (errors: FieldErrors): FieldErrors =>
  new Map([...errors.values()].map((message) => ["since", message]))

const submitReplaySince = (view: View, fields: URLSearchParams) =>
  Effect.flatMap(pathId, (id) =>
    onceFormAction(replaySince, {
      target: Effect.succeed(id),
      input: () => ({ since: submittedTime(fields.get("since"), view.locale.zone) ?? "" }),
      shown: Schema.Int,
      show: ({ replayed }) => replayed,
      done: (_, replayed) => backTo(id, replayed === 0 ? "nothing_to_replay" : "replayed"),
      again: (_, __, errors) => webhookPage(view, id, null, ofSince(errors))
    })(view, fields)
  )

const submitRetry = (view: View, fields: URLSearchParams) =>
  Effect.flatMap(pathId, (id) =>
    onceFormAction(retryFailed, {
      target: Effect.succeed(id),
      shown: Schema.Int,
      show: ({ retried }) => retried,
      done: (_, retried) => backTo(id, retried === 0 ? "nothing_to_replay" : "replayed")
    })(view, fields)
  )

/** Webhook endpoints, and what was delivered to them. */
export const webhookPages = {
  name: "webhooks",
  routes: [
    page(WEBHOOKS_PATH, showWebhooks),
    writerPage(NEW_WEBHOOK_PATH, showNewWebhook),
    change(NEW_WEBHOOK_PATH, submitNew),
    page(CATALOGUE_PATH, showCatalogue),
    page(WEBHOOK_PATH, showWebhook),
    change(WEBHOOK_PATH, submitChange),
    change(`${WEBHOOK_PATH}/enable`, switchTo(true)),
    change(`${WEBHOOK_PATH}/disable`, switchTo(false)),
    change(`${WEBHOOK_PATH}/delete`, submitRemoval),
    change(`${WEBHOOK_PATH}/test`, submitTest),
    change(`${WEBHOOK_PATH}/secret`, submitRotation),
    change(`${WEBHOOK_PATH}/replay`, submitReplaySince),
    change(`${WEBHOOK_PATH}/retry-failed`, submitRetry),
    page(EVENT_PATH, showDelivery),
    change(`${EVENT_PATH}/replay`, submitReplay)
  ]
} as const satisfies ConsolePages
