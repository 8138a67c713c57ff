import type { WebhookEndpoint } from "../../../../../domain/webhook/Webhook.ts"
import { html, type Html } from "../../../frame/Html.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { confirmButton, postButton } from "../../../parts/Confirm.ts"
import { pathFor } from "./WebhookPaths.ts"

export const webhookActions = (view: View, { id, disabledReason }: WebhookEndpoint): Html => {
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
