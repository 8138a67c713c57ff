import { html, type Html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"

export type Tone = "good" | "warn" | "bad" | "info" | "plain"

/** The text of a badge: colour alone is not enough. */
export const badge = (tone: Tone, words: string): Html => html`<span class="badge ${tone}">${words}</span>`

/** The states that are the same in several places; each has the words people use for it. */
const states = {
  pending: ["info", "Pending", "در انتظار"],
  queued: ["info", "In progress", "در حال انجام"],
  sending: ["info", "Sending", "در حال ارسال"],
  scheduled: ["info", "Scheduled", "زمان‌بندی‌شده"],
  sent: ["good", "Sent", "ارسال شد"],
  verified: ["good", "Verified", "تأیید شد"],
  delivered: ["good", "Delivered", "تحویل شد"],
  undelivered: ["bad", "Not delivered", "تحویل نشد"],
  partial_failed: ["warn", "Partially failed", "ارسال ناقص"],
  failed: ["bad", "Failed", "ناموفق"],
  unknown: ["warn", "Unknown", "نامعلوم"],
  locked: ["bad", "Locked", "قفل شد"],
  expired: ["plain", "Expired", "منقضی شد"],
  canceled: ["plain", "Canceled", "لغو شد"],
  active: ["good", "Active", "فعال"],
  inactive: ["plain", "Disabled", "غیرفعال"],
  disabled: ["bad", "Disabled", "غیرفعال"],
  revoked: ["plain", "Revoked", "باطل شد"],
  cooling: ["warn", "Cooldown", "توقف موقت"],
  misconfigured: ["bad", "Misconfigured", "تنظیمات اشتباه"],
  cannot_send: ["bad", "Cannot send", "ارسال ممکن نیست"],
  not_reached: ["warn", "Unreachable", "در دسترس نیست"],
  at_rate: ["warn", "At rate limit", "به سقف رسیده"],
  live: ["good", "Live", "واقعی"],
  test: ["info", "Test", "آزمایشی"]
} as const satisfies Readonly<Record<string, readonly [Tone, english: string, persian: string]>>
type State = keyof typeof states

const isState = (name: string): name is State => Object.hasOwn(states, name)

export const stateText = (state: string, { say }: Locale): string => {
  if (!isState(state)) return state
  const [, english, persian] = states[state]
  return say(english, persian)
}

export const stateTone = (state: string): Tone => (isState(state) ? states[state][0] : "plain")

/** The badge of a state; of one that is not in the table, its own name. */
export const stateBadge = (state: string, locale: Locale): Html =>
  badge(stateTone(state), stateText(state, locale))
