import { Effect } from "effect"
import { EVERY_EVENT, type WebhookEndpoint } from "../../../../../domain/webhook/Webhook.ts"
import { Webhooks } from "../../../../../services/webhook/Webhooks.ts"
import { html, type Html } from "../../../frame/Html.ts"
import type { Page } from "../../../frame/Layout.ts"
import type { Locale } from "../../../frame/Locale.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { badge, stateBadge } from "../../../parts/Badge.ts"
import { facts } from "../../../parts/Facts.ts"
import { type FieldErrors, noFieldErrors } from "../../../parts/fields/FieldErrors.ts"
import { foreign, ltr } from "../../../parts/Text.ts"
import { deliveriesPart } from "./DeliveriesPart.ts"
import { webhookActions } from "./WebhookActions.ts"
import { asTyped } from "./WebhookForms.ts"
import { changeForm, replayForm, secretForm } from "./WebhookPanels.ts"
import { WEBHOOKS_PATH } from "./WebhookPaths.ts"
import { webhookState } from "./WebhooksPage.ts"

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
    webhook.description === "" ? null : [say("Description", "توضیح"), foreign(webhook.description)],
    [say("Created", "ساخت"), time(webhook.createdAt)]
  ])
}

/** One endpoint; after a form that was refused, with what was typed. */
export const webhookPage = Effect.fnUntraced(function* (
  view: View,
  id: number,
  typed: URLSearchParams | null,
  errors: FieldErrors
) {
  const { actor, locale } = view
  const { say } = locale
  const webhook = yield* (yield* Webhooks).find(actor.customerId, id)
  const deliveries = yield* deliveriesPart(view, webhook)
  const mayWrite = actor.scope === "full"
  const made: Page = {
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
            ${yield* changeForm(view, webhook, typed ?? asTyped(webhook), errors.has("since") ? noFieldErrors : errors)}
            ${replayForm(view, webhook, errors)} ${secretForm(view, webhook)}
          </div>`
        }
      </div>
      ${deliveries}`
  }
  return made
})
