import type { AlertDelivery, AlertRecord } from "../../../domain/alert/Alert.ts"
import { alertKindName, alertSentence } from "../../../domain/alert/AlertText.ts"
import { html, type Html } from "../frame/Html.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { badge } from "../parts/Badge.ts"
import { emptyState, pager, table } from "../parts/Lists.ts"
import { pageLink } from "../parts/Panels.ts"
import { ltr } from "../parts/Text.ts"

const deliveryStates = {
  pending: ["info", "Waiting", "در انتظار"],
  sent: ["good", "Sent", "ارسال شد"],
  failed: ["bad", "Failed", "ناموفق"],
  dropped: ["plain", "Not sent", "ارسال نشد"]
} as const

const RETRYING = ["warn", "Retrying", "تلاش دوباره"] as const

const deliveryText = (
  { recipientId, status, error, messageId, means, dueAt }: AlertDelivery,
  names: ReadonlyMap<number, Html>,
  view: View
): Html => {
  const { say } = view.locale
  const isRetried = status === "pending" && error !== null
  const [tone, english, persian] = isRetried ? RETRYING : deliveryStates[status]
  const name = names.get(recipientId) ?? html`${say("removed recipient", "گیرندهٔ حذف‌شده")}`
  return html`<li>
    ${badge(tone, say(english, persian))} ${name}
    ${means === "message" && messageId !== null && pageLink(view, "messages", say("Message", "پیام"), `/${messageId}`)}
    ${
      status === "pending" &&
      html`<span class="sub"
        >${isRetried ? say("next try", "تلاش بعدی") : say("until", "تا")} ${view.locale.clock(dueAt)}</span
      >`
    }
    ${error !== null && status !== "sent" && html`<span class="sub">${ltr(error)}</span>`}
  </li>`
}

/** What was raised, and where each alert went. */
export const historyPanel = (
  view: View,
  alerts: ReadonlyArray<AlertRecord>,
  next: string | null,
  names: ReadonlyMap<number, Html>
): Html => {
  const { say, number, time, language } = view.locale
  return html`<section class="panel" aria-labelledby="history-title">
    <div class="panel-head"><h2 id="history-title">${say("Recent alerts", "اعلان‌های اخیر")}</h2></div>
    ${
      alerts.length === 0
        ? emptyState(
            say("No alerts in the last 90 days", "در ۹۰ روز گذشته اعلانی نبوده است"),
            say("Conditions are checked every minute.", "وضعیت هر دقیقه بررسی می‌شود.")
          )
        : table(
            say("Alerts, the newest first", "اعلان‌ها، جدیدترین اول"),
            [
              {
                header: say("Alert", "اعلان"),
                kind: "title",
                cell: (alert: AlertRecord) =>
                  html`${alertKindName(alert.kind, language)}
                    <span class="sub"><bdi>${alertSentence(alert, language)}</bdi></span>
                    ${
                      alert.heldBack > 0 &&
                      html`<span class="sub"
                        >${say("Held back before it:", "پیش از آن اعلام‌نشده:")} ${number(alert.heldBack)}</span
                      >`
                    }`
              },
              { header: say("Time", "زمان"), cell: ({ raisedAt }) => time(raisedAt) },
              {
                header: say("To", "به"),
                cell: ({ deliveries }) =>
                  deliveries.length === 0
                    ? html`<span class="muted">${say("nobody", "هیچ‌کس")}</span>`
                    : html`<ul class="plain-list">
                        ${deliveries.map((delivery) => deliveryText(delivery, names, view))}
                      </ul>`
              }
            ],
            alerts
          )
    }
    ${pager(view, next)}
  </section>`
}
