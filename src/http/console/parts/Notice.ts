import { html, type Html } from "../frame/Html.ts"
import type { Visit } from "../frame/Visit.ts"
import type { Tone } from "./Badge.ts"

/**
 * The notice of a page after a form. The address holds only its key, and a number, so nobody can make a page show other
 * text.
 */
const notices = {
  saved: ["good", "Saved.", "ذخیره شد."],
  created: ["good", "Created.", "ساخته شد."],
  linked: ["good", "Linked phones: {count}", "شماره‌های وصل‌شده: {count}"],
  deleted: ["good", "Deleted.", "حذف شد."],
  session_ended: [
    "warn",
    "You are no longer signed in. What you sent was not saved: sign in, and send it again.",
    "دیگر وارد نیستید. آنچه فرستادید ذخیره نشد: وارد شوید و دوباره بفرستید."
  ],
  password_set: ["good", "Your password is set. Sign in with it.", "گذرواژه‌تان ثبت شد. با آن وارد شوید."],
  revoked: ["good", "Revoked. It works nowhere from now on.", "باطل شد و دیگر هیچ‌جا کار نمی‌کند."],
  created_incomplete: [
    "warn",
    "Connected, but it can send nothing yet: its settings are incomplete.",
    "وصل شد، ولی هنوز چیزی نمی‌فرستد: تنظیماتش ناقص است."
  ],
  saved_incomplete: [
    "warn",
    "Saved, but it can send nothing: its settings are incomplete.",
    "ذخیره شد، ولی چیزی نمی‌فرستد: تنظیماتش ناقص است."
  ],
  created_not_reached: [
    "warn",
    "Connected, but not checked: its provider was not reached. See the last check.",
    "وصل شد، ولی بررسی نشد: سرویس‌دهنده در دسترس نبود. آخرین بررسی را ببینید."
  ],
  saved_not_reached: [
    "warn",
    "Saved, but not checked: its provider was not reached. See the last check.",
    "ذخیره شد، ولی بررسی نشد: سرویس‌دهنده در دسترس نبود. آخرین بررسی را ببینید."
  ],
  checked_works: ["good", "Its provider says that it works.", "سرویس‌دهنده می‌گوید کار می‌کند."],
  checked_refused: [
    "bad",
    "Its provider refuses it: see the last check.",
    "سرویس‌دهنده آن را نمی‌پذیرد: آخرین بررسی را ببینید."
  ],
  checked_not_reached: [
    "warn",
    "Its provider was not reached: see the last check.",
    "سرویس‌دهنده در دسترس نبود: آخرین بررسی را ببینید."
  ],
  checked_cannot_be_checked: [
    "info",
    "Its provider has no call that shows whether it works.",
    "سرویس‌دهنده راهی برای این بررسی ندارد."
  ],
  enabled: ["good", "Switched on.", "روشن شد."],
  disabled: ["good", "Switched off.", "خاموش شد."],
  sent: ["good", "Sent.", "فرستاده شد."],
  canceled: ["good", "Canceled. Nothing more is tried.", "لغو شد. دیگر چیزی فرستاده نمی‌شود."],
  next: ["good", "The next channel is tried now.", "کانال بعدی همین حالا امتحان می‌شود."],
  replayed: ["good", "The events are being delivered again.", "رویدادها دوباره تحویل داده می‌شوند."],
  nothing_to_replay: ["info", "There was nothing to deliver again.", "چیزی برای تحویل دوباره نبود."]
} as const satisfies Readonly<Record<string, readonly [Tone, english: string, persian: string]>>
export type NoticeKey = keyof typeof notices

const isNotice = (key: string): key is NoticeKey => Object.hasOwn(notices, key)

/** The address of a page that says it when it is shown. */
export const withNotice = (address: string, key: NoticeKey): string =>
  `${address}${address.includes("?") ? "&" : "?"}notice=${key}`

/** The same with the number that the notice says. */
export const withCount = (address: string, count: number): string => `${address}&count=${count}`

const COUNT = /^\d{1,4}$/

/** The notice that the address asks for, if it is a known one. */
export const notice = ({ query, locale: { say, number } }: Pick<Visit, "query" | "locale">): Html | null => {
  const key = query.get("notice")
  if (key === null || !isNotice(key)) return null
  const [tone, english, persian] = notices[key]
  const count = query.get("count") ?? ""
  const words = say(english, persian).replace("{count}", COUNT.test(count) ? number(Number(count)) : "")
  return html`<p class="notice ${tone}" role="status">${words}</p>`
}
