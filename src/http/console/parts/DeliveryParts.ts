import { isTaken, type WebhookDelivery, type WebhookTry } from "../../../domain/webhook/Webhook.ts"
import { WEBHOOK_TRY_MILLIS } from "../../../domain/Schedules.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import { badge, stateBadge } from "./Badge.ts"
import { foreign } from "./Text.ts"

/** The response to a try: its status, or why there is none. */
export const tryBadge = ({ status, error }: Pick<WebhookTry, "status" | "error">): Html =>
  status === null
    ? html`${badge("bad", "–")} ${foreign(error ?? "")}`
    : badge(isTaken(status) ? "good" : "bad", String(status))

const MAX_TRIES = WEBHOOK_TRY_MILLIS.length

/** The state of a delivery; of one that failed and is tried again, how far it is. */
export const deliveryBadge = (
  { status, tries }: Pick<WebhookDelivery, "status" | "tries">,
  locale: Locale
): Html => {
  const last = tries.at(-1)
  if (status !== "pending" || last === undefined || isTaken(last.status)) return stateBadge(status, locale)
  const { say, number } = locale
  const [made, most] = [number(tries.length), number(MAX_TRIES)]
  return badge(
    "warn",
    // a replay begins again, with the earlier tries in its history
    tries.length > MAX_TRIES
      ? say(`Retrying, ${made} tries`, `تلاش دوباره، ${made} بار`)
      : say(`Retrying, ${made} of ${most}`, `تلاش دوباره، ${made} از ${most}`)
  )
}
