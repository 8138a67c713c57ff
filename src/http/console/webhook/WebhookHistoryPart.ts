import { Clock, Effect } from "effect"
import { HOUR_MILLIS, type Instant } from "../../../domain/Instant.ts"
import type { WebhookEndpoint } from "../../../domain/Webhook.ts"
import { hoursOf } from "../account/AccountHistoryPart.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { badge } from "../parts/Badge.ts"
import { chart } from "../parts/Chart.ts"
import { emptyState } from "../parts/Lists.ts"
import { tiles } from "../parts/Panels.ts"
import { type EndpointHistory, Webhooks } from "../../../services/webhook/Webhooks.ts"

const LOOKS_BACK_MILLIS = 24 * HOUR_MILLIS

const figures = ({ hours }: EndpointHistory, isFailing: boolean, { say, number, percent }: Locale): Html => {
  const accepted = hours.reduce((sum, hour) => sum + hour.accepted, 0)
  const failed = hours.reduce((sum, hour) => sum + hour.failed, 0)
  const last = hours.at(-1)
  return tiles([
    { label: say("Attempts", "تلاش‌ها"), value: number(accepted + failed) },
    {
      label: say("Succeeded", "موفق"),
      value: percent(accepted / (accepted + failed)),
      note: say(`${number(failed)} failed`, `${number(failed)} ناموفق`),
      ...(isFailing && { tone: "bad" })
    },
    {
      label: say("Median, latest hour", "میانهٔ آخرین ساعت"),
      value:
        last === undefined
          ? "–"
          : say(`${number(Math.round(last.median))} ms`, `${number(Math.round(last.median))} میلی‌ثانیه`)
    }
  ])
}

const charts = ({ hours }: EndpointHistory, all: ReadonlyArray<Instant>, locale: Locale): Html => {
  const { say, number, hour: hourText } = locale
  const at = (hour: Instant) => hours.find((each) => each.hour === hour)
  const unit = say("Hour", "ساعت")
  return html`${chart(
    {
      title: say("Attempts by hour", "تلاش‌ها در هر ساعت"),
      unit,
      series: [
        { label: say("Succeeded", "موفق"), kind: "bar" },
        { label: say("Failed", "ناموفق"), kind: "bar", tone: "bad" }
      ],
      points: all.map((hour) => ({
        label: hourText(hour),
        values: [at(hour)?.accepted ?? 0, at(hour)?.failed ?? 0]
      }))
    },
    locale
  )}
  ${chart(
    {
      title: say("Time to respond by hour", "زمان پاسخ در هر ساعت"),
      unit,
      format: (millis) => say(`${number(Math.round(millis))} ms`, `${number(Math.round(millis))} میلی‌ثانیه`),
      series: [
        { label: say("Median time to respond (ms)", "میانهٔ زمان پاسخ (میلی‌ثانیه)"), kind: "bar" },
        { label: say("95th percentile", "صدک ۹۵"), kind: "line" }
      ],
      points: all.map((hour) => ({
        label: hourText(hour),
        values: [at(hour)?.median ?? null, at(hour)?.slow ?? null]
      }))
    },
    locale
  )}`
}

/** Whether its latest attempts fail: that it is in red comes before any figure. */
const state = ({ disabledReason, failingSince }: WebhookEndpoint, { say }: Locale): Html | false =>
  disabledReason === null &&
  failingSince !== null &&
  badge("bad", say("Its latest attempts failed", "تلاش‌های آخر ناموفق بوده‌اند"))

/** Success and speed of an endpoint in the last day. */
export const historyPart = Effect.fnUntraced(function* ({ actor, locale }: View, webhook: WebhookEndpoint) {
  const { say, clock, zone } = locale
  const now = yield* Clock.currentTimeMillis
  const all = hoursOf(now - LOOKS_BACK_MILLIS, now, zone)
  const history = yield* (yield* Webhooks).history(actor.customerId, webhook.id, all[0] ?? now)
  return html`<section class="panel" aria-labelledby="day-title" id="day" data-live="15">
    <div class="panel-head">
      <h2 id="day-title">${say("Last 24 hours", "۲۴ ساعت گذشته")}</h2>
      ${state(webhook, locale)}
      ${
        !history.isWhole &&
        html`<span class="muted"
          >${say("the latest 5,000 deliveries, since", "۵٬۰۰۰ ارسال آخر، از")} ${clock(history.from)}</span
        >`
      }
    </div>
    ${
      history.hours.length === 0
        ? emptyState(
            say("No attempts", "تلاشی نبوده است"),
            say("Nothing was sent to this webhook.", "چیزی به این وب‌هوک فرستاده نشده است.")
          )
        : html`<div class="panel-body stack-tight flat-tiles">
            ${figures(history, webhook.failingSince !== null, locale)} ${charts(history, all, locale)}
          </div>`
    }
  </section>`
})
