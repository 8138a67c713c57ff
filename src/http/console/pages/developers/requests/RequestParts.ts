import { type LoggedRequest, shownPhone } from "../../../../../domain/activity/LoggedRequest.ts"
import { html, type Html } from "../../../frame/Html.ts"
import type { Locale } from "../../../frame/Locale.ts"
import { badge, type Tone } from "../../../parts/Badge.ts"
import { mono, phoneNumber } from "../../../parts/Text.ts"

const MICROS_PER_SECOND = 1_000_000
const MICROS_PER_MILLI = 1000

const toneOf = (status: number): Tone => {
  if (status < 400) return "good"
  return status < 500 ? "warn" : "bad"
}

export const statusBadge = ({ status }: Pick<LoggedRequest, "status">): Html =>
  badge(toneOf(status), String(status))

export const routeOf = ({ method, route }: Pick<LoggedRequest, "method" | "route">): Html =>
  mono(`${method} ${route}`)

export const tookWords = ({ micros }: Pick<LoggedRequest, "micros">, { say, number, duration }: Locale) =>
  micros >= MICROS_PER_SECOND
    ? duration(micros / MICROS_PER_SECOND)
    : `${number(Math.max(1, Math.round(micros / MICROS_PER_MILLI)))} ${say("ms", "میلی‌ثانیه")}`

export const maskedPhone = ({ phone }: Pick<LoggedRequest, "phone">): Html =>
  phone === null ? html`<span class="muted">–</span>` : phoneNumber(shownPhone(phone))
