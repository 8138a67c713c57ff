import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import type { WebhookDelivery, WebhookTry } from "../../../../../domain/webhook/Webhook.ts"
import { Webhooks } from "../../../../../services/webhook/Webhooks.ts"
import { html, type Html } from "../../../frame/Html.ts"
import type { Page } from "../../../frame/Layout.ts"
import { pathId } from "../../../frame/PathIds.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { pathOf } from "../../../Navigation.ts"
import { deliveryBadge, tryBadge } from "../../../parts/DeliveryParts.ts"
import { codeBlock } from "../../../parts/CodeBlock.ts"
import { postButton } from "../../../parts/Confirm.ts"
import { emptyState } from "../../../parts/lists/EmptyState.ts"
import { facts } from "../../../parts/Facts.ts"
import { table } from "../../../parts/lists/Table.ts"
import { ltr, mono, shortId } from "../../../parts/Text.ts"
import { pathFor } from "./WebhookPaths.ts"

const triesPart = ({ tries }: WebhookDelivery, { locale }: View): Html => {
  const { say, time, number } = locale
  return html`<section class="panel" aria-labelledby="tries-title">
    <div class="panel-head"><h2 id="tries-title">${say("Tries", "تلاش‌ها")}</h2></div>
    ${
      tries.length === 0
        ? emptyState(
            say("Not tried yet", "هنوز تلاشی نشده"),
            say("It is due in a moment.", "به‌زودی فرستاده می‌شود.")
          )
        : table(
            say("Each try and its response", "هر تلاش و پاسخش"),
            [
              { header: say("Time", "زمان"), kind: "title", cell: ({ at }: WebhookTry) => time(at) },
              { header: say("Response", "پاسخ"), cell: tryBadge },
              {
                header: say("Took", "مدت"),
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
    [say("State", "وضعیت"), deliveryBadge(delivery, view.locale)],
    [say("Event", "رویداد"), mono(delivery.eventId)],
    [say("About", "دربارهٔ"), subjectLink(delivery, view)],
    [say("Sequence", "ترتیب"), number(delivery.sequence)],
    [say("Created", "ساخت"), time(delivery.createdAt)],
    delivery.nextTryAt === null ? null : [say("Next try", "تلاش بعدی"), time(delivery.nextTryAt)],
    delivery.finishedAt === null ? null : [say("Finished", "پایان"), time(delivery.finishedAt)]
  ])
}

const bodyPart = (body: string | null, { locale }: View): Html =>
  body === null
    ? html`<p class="notice info">${locale.say("Its record was deleted.", "رکورد آن حذف شده است.")}</p>`
    : codeBlock(locale.say("The posted body", "بدنهٔ فرستاده‌شده"), readable(body), locale)

/** One event on its way to one endpoint: what was posted, and what came back. */
export const showDelivery = Effect.fnUntraced(function* (view: View) {
  const { actor, locale } = view
  const { say } = locale
  const id = yield* pathId
  const { event_id: eventId = "" } = yield* HttpRouter.params
  const webhooks = yield* Webhooks
  const webhook = yield* webhooks.find(actor.customerId, id)
  const delivery = yield* webhooks.delivery(actor.customerId, id, eventId)
  const body = yield* webhooks.body(actor.customerId, id, eventId)
  const made: Page = {
    title: delivery.eventType,
    name: "webhooks",
    lead: html`<a href="${pathFor(id)}">${ltr(webhook.url)}</a>`,
    actions:
      actor.scope === "full" && webhook.disabledReason === null
        ? postButton(view, {
            action: pathFor(id, `/events/${eventId}/replay`),
            label: say("Deliver it again", "دوباره تحویل شود"),
            kind: "primary"
          })
        : null,
    content: html`<div class="columns" id="delivery" data-live="3">
      <div class="stack">${triesPart(delivery, view)} ${bodyPart(body, view)}</div>
      <section class="panel panel-body" aria-label="${say("The delivery", "تحویل")}">
        ${factsOf(delivery, view)}
      </section>
    </div>`
  }
  return made
})
