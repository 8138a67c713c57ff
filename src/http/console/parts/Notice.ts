import { html, type Html } from "../frame/Html.ts"
import type { Visit } from "../frame/Visit.ts"
import type { Tone } from "./Badge.ts"

/**
 * The notice of a page after a form. The address holds only its key, and a number, so nobody can make a page show other
 * text.
 */
const notices = {
  saved: ["good", "Saved.", "ذخیره شد."],
  restored: [
    "good",
    "Restored: the earlier order is saved again.",
    "بازگردانده شد: ترتیب قبلی دوباره ذخیره شد."
  ],
  created: ["good", "Created.", "ساخته شد."],
  linked: ["good", "Linked phones: {count}", "شماره‌های وصل‌شده: {count}"],
  deleted: ["good", "Deleted.", "حذف شد."],
  session_ended: [
    "warn",
    "Your session has ended, and your changes were not saved. Sign in and submit them again.",
    "نشست شما تمام شده و تغییرها ذخیره نشد. وارد شوید و دوباره بفرستید."
  ],
  sign_in_again: [
    "warn",
    "This sign-in has ended. Sign in again.",
    "زمان این ورود تمام شده است. دوباره وارد شوید."
  ],
  session_stopped: ["good", "The session has ended.", "آن نشست تمام شد."],
  factor_reset: [
    "good",
    "The second factor was reset, and all sessions have ended.",
    "ورود دومرحله‌ای کاربر پاک و همهٔ نشست‌ها تمام شد."
  ],
  password_set: ["good", "Password changed. Sign in with it.", "گذرواژه عوض شد. با آن وارد شوید."],
  erased: [
    "good",
    "Erased. What is being sent right now stays: repeat it then.",
    "پاک شد. چیزی که همین حالا در حال ارسال است می‌ماند: بعد دوباره امتحان کنید."
  ],
  revoked: ["good", "Revoked. It no longer works.", "باطل شد و دیگر کار نمی‌کند."],
  created_incomplete: [
    "warn",
    "Connected, but it cannot send yet: its settings are incomplete.",
    "وصل شد، ولی هنوز نمی‌تواند بفرستد: تنظیماتش کامل نیست."
  ],
  saved_incomplete: [
    "warn",
    "Saved, but it cannot send: its settings are incomplete.",
    "ذخیره شد، ولی نمی‌تواند بفرستد: تنظیماتش کامل نیست."
  ],
  created_not_reached: [
    "warn",
    "Connected, but not checked: its provider is unreachable. See the last check.",
    "وصل شد، ولی بررسی نشد: سرویس‌دهنده در دسترس نبود. آخرین بررسی را ببینید."
  ],
  saved_not_reached: [
    "warn",
    "Saved, but not checked: its provider is unreachable. See the last check.",
    "ذخیره شد، ولی بررسی نشد: سرویس‌دهنده در دسترس نبود. آخرین بررسی را ببینید."
  ],
  checked_works: ["good", "The provider says that the account works.", "سرویس‌دهنده می‌گوید حساب کار می‌کند."],
  checked_refused: [
    "bad",
    "The provider refuses the account. See the last check.",
    "سرویس‌دهنده این حساب را قبول نمی‌کند. آخرین بررسی را ببینید."
  ],
  checked_not_reached: [
    "warn",
    "The provider is unreachable. See the last check.",
    "سرویس‌دهنده در دسترس نبود. آخرین بررسی را ببینید."
  ],
  checked_cannot_be_checked: [
    "info",
    "The provider offers no way to check an account.",
    "این سرویس‌دهنده راهی برای بررسی حساب ندارد."
  ],
  enabled: ["good", "Enabled.", "فعال شد."],
  disabled: ["good", "Disabled.", "غیرفعال شد."],
  sent: ["good", "Sent.", "ارسال شد."],
  code_sent: ["info", "A code was sent. Enter it in the list.", "کد فرستاده شد. آن را در فهرست وارد کنید."],
  confirmed: ["good", "Confirmed. Alerts go there from now on.", "تأیید شد. از این پس اعلان‌ها به آنجا می‌رود."],
  canceled: ["good", "Canceled. No more channels are tried.", "لغو شد. کانال دیگری امتحان نمی‌شود."],
  next: ["good", "Trying the next channel now.", "کانال بعدی همین حالا امتحان می‌شود."],
  replayed: ["good", "The events are being delivered again.", "رویدادها دوباره ارسال می‌شوند."],
  nothing_to_replay: ["info", "No events to deliver again.", "رویدادی برای ارسال دوباره نبود."]
} as const satisfies Readonly<Record<string, readonly [Tone, english: string, persian: string]>>
export type NoticeKey = keyof typeof notices

const isNotice = (key: string): key is NoticeKey => Object.hasOwn(notices, key)

/** The address of a page that says it when it is shown. */
export const withNotice = (address: string, key: NoticeKey): string =>
  `${address}${address.includes("?") ? "&" : "?"}notice=${key}`

/** Adds the number that the notice says. */
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
