import { Effect } from "effect"
import type { WebhookEndpoint } from "../../../../../domain/webhook/Webhook.ts"
import { Webhooks } from "../../../../../services/webhook/Webhooks.ts"
import { csrfField } from "../../../frame/forms/Forms.ts"
import { html, type Html } from "../../../frame/Html.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { errorSummary } from "../../../parts/fields/ErrorSummary.ts"
import type { FieldErrors } from "../../../parts/fields/FieldErrors.ts"
import { timeField } from "../../../parts/fields/TimeField.ts"
import { versionField } from "../../../parts/fields/VersionField.ts"
import { webhookFields } from "./WebhookForms.ts"
import { pathFor } from "./WebhookPaths.ts"

export const changeForm = Effect.fnUntraced(function* (
  view: View,
  webhook: WebhookEndpoint,
  typed: URLSearchParams,
  errors: FieldErrors
) {
  const { say } = view.locale
  const { allowsPrivateAddresses } = yield* Webhooks
  return html`<section class="panel" aria-labelledby="change-title">
    <details class="panel-details" ${errors.size > 0 && html`open`}>
      <summary class="panel-head"><h2 id="change-title">${say("Change", "تغییر")}</h2></summary>
      <form class="panel-body fields" method="post" action="${pathFor(webhook.id)}">
        ${csrfField(view.csrf)} ${versionField(webhook.version, typed, errors)}
        ${errorSummary(errors, view.locale)}
        ${webhookFields(view.locale, typed, errors, allowsPrivateAddresses)}
        <div><button class="button primary">${say("Save", "ذخیره")}</button></div>
      </form>
    </details>
  </section>`
})

export const replayForm = (view: View, { id }: WebhookEndpoint, errors: FieldErrors): Html => {
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

export const secretForm = (view: View, { id }: WebhookEndpoint): Html => {
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
