import { Equal, Option } from "effect"
import type { Locale } from "../frame/Locale.ts"
import { quoted } from "../parts/Text.ts"
import { fromTo, orderText, readOrder, routingChanges } from "../RoutingChanges.ts"
import type { AuditRecord } from "../../../services/activity/AuditLog.ts"

type Words = readonly [english: string, persian: string]

/** How a field is said, with its earlier and its later value. */
interface Field {
  readonly name: Words
  /** The words for null: what counts then. */
  readonly none?: Words
  readonly unit?: "seconds" | "milliseconds" | "rials"
  /** The words for true and false, in place of name and values. */
  readonly states?: readonly [yes: Words, no: Words]
  /** The words for a value that the log does not keep. */
  readonly replaced?: Words
}

const PLATFORM_LIMIT: Words = ["the default", "پیش‌فرض"]
const NO_LIMIT: Words = ["none", "هیچ"]

const limit = (english: string, persian: string): Field => ({
  name: [english, persian],
  none: PLATFORM_LIMIT
})

/** The fields that changes name, by their names in the management API. */
const fields: Readonly<Record<string, Field>> = {
  name: { name: ["name", "نام"] },
  amount: { name: ["amount", "مبلغ"], none: NO_LIMIT, unit: "rials" },
  calendar: { name: ["calendar", "تقویم"], none: NO_LIMIT },
  label: { name: ["label", "برچسب"] },
  description: { name: ["description", "توضیح"] },
  plan: { name: ["plan", "پلن"] },
  brand: { name: ["brand", "نام تجاری"], none: NO_LIMIT },
  locale: { name: ["language", "زبان"] },
  webotp_host: { name: ["site of codes", "سایت کدها"], none: NO_LIMIT },
  webotp_origins: { name: ["sites of codes", "سایت‌های کد"], none: NO_LIMIT },
  app_hash: { name: ["Android app hash", "هش برنامهٔ اندروید"], none: NO_LIMIT },
  role: { name: ["role", "نقش"] },
  second_factor_required: {
    name: ["second factor", "ورود دومرحله‌ای"],
    states: [
      ["a second factor is required", "ورود دومرحله‌ای لازم شد"],
      ["a second factor is no longer required", "ورود دومرحله‌ای دیگر لازم نیست"]
    ]
  },
  active: {
    name: ["active", "فعال"],
    states: [
      ["enabled", "فعال شد"],
      ["disabled", "غیرفعال شد"]
    ]
  },
  default: {
    name: ["default", "پیش‌فرض"],
    states: [
      ["now the default of its channel", "حالا پیش‌فرض کانال است"],
      ["no longer the default", "دیگر پیش‌فرض نیست"]
    ]
  },
  settings: { name: ["settings", "تنظیمات"], replaced: ["settings replaced", "تنظیمات عوض شد"] },
  body: { name: ["text", "متن"], replaced: ["text replaced", "متن عوض شد"] },
  gap_ms: { name: ["least gap", "کمترین فاصله"], none: PLATFORM_LIMIT, unit: "milliseconds" },
  per_minute: limit("sends per minute", "ارسال در دقیقه"),
  standby: { name: ["standby accounts", "حساب‌های جانشین"], none: NO_LIMIT },
  rate_limit_per_minute: limit("requests per minute", "درخواست در دقیقه"),
  allowed_ips: { name: ["networks", "شبکه‌ها"], none: ["all", "همه"] },
  origin: { name: ["address", "نشانی"] },
  events: { name: ["events", "رویدادها"] },
  mode: { name: ["mode", "حالت"] },
  unverified_hour: {
    name: ["unverified codes an hour", "کدهای تأییدنشده در ساعت"],
    none: ["from traffic", "بر اساس ترافیک"]
  },
  sms_price: { name: ["price of an SMS", "قیمت هر پیامک"], none: NO_LIMIT, unit: "rials" },
  phone_hour: limit("codes to a phone an hour", "کد به هر شماره در ساعت"),
  phone_day: limit("codes to a phone a day", "کد به هر شماره در روز"),
  message_phone_hour: limit("messages to a phone an hour", "پیام به هر شماره در ساعت"),
  message_phone_day: limit("messages to a phone a day", "پیام به هر شماره در روز"),
  key_minute: limit("requests of a key per minute", "درخواست هر کلید در دقیقه"),
  monthly_quota: limit("requests a month", "درخواست در ماه")
}

/** Whether people see this field under its own words. */
export const isNamedField = (name: string): boolean => Object.hasOwn(fields, name)

/** Values that have words of their own. */
const values: Readonly<Record<string, Words>> = {
  free: ["free", "رایگان"],
  start: ["start", "شروع"],
  business: ["business", "سازمانی"],
  owner: ["owner", "مالک"],
  developer: ["developer", "توسعه‌دهنده"],
  viewer: ["viewer", "بیننده"],
  fa: ["Persian", "فارسی"],
  en: ["English", "انگلیسی"],
  off: ["off", "خاموش"],
  record: ["record only", "فقط ثبت"],
  enforcing: ["enforce", "جلوگیری"],
  gregorian: ["Gregorian", "میلادی"],
  jalali: ["Iranian", "شمسی"]
}

const NAMES = new Set(["name", "label", "description", "brand"])

const valueText = (name: string, value: unknown, locale: Locale): string => {
  const { none, unit }: Partial<Field> = fields[name] ?? {}
  const { say, number, rials } = locale
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0))
    return say(...(none ?? NO_LIMIT))
  if (typeof value === "number")
    return unit === "rials"
      ? rials(value)
      : unit === "milliseconds"
        ? `${number(value)} ${say("ms", "میلی‌ثانیه")}`
        : number(value)
  if (typeof value === "boolean") return value ? say("yes", "بله") : say("no", "خیر")
  if (Array.isArray(value)) return `\u2068${value.map(String).join(say(", ", "، "))}\u2069`
  if (typeof value !== "string") return `\u2066${JSON.stringify(value)}\u2069`
  const words = NAMES.has(name) || !Object.hasOwn(values, value) ? undefined : values[value]
  return words === undefined ? quoted(value, locale) : say(...words)
}

const fieldChange = (name: string, { details, previous }: Changed, locale: Locale): string => {
  const { say } = locale
  const field = fields[name]
  const value = details[name]
  if (field?.replaced !== undefined)
    return Array.isArray(value)
      ? `${say(...field.name)}: ${valueText(name, value, locale)}`
      : say(...field.replaced)
  if (field?.states !== undefined && typeof value === "boolean") return say(...field.states[value ? 0 : 1])
  const label = field === undefined ? `\u2066${name}\u2069` : say(...field.name)
  const later = valueText(name, value, locale)
  return Object.hasOwn(previous, name)
    ? `${label}${say(" ", ": ")}${fromTo(valueText(name, previous[name], locale), later, locale)}`
    : `${label}: ${later}`
}

type Changed = Pick<AuditRecord, "details" | "previous">

const known = ({ details }: Changed): ReadonlyArray<string> =>
  Object.keys(details).filter((name) => details[name] !== undefined)

/** The fields whose values the log does not keep: whether they differed is unknown. */
const isUnknown = (name: string): boolean => fields[name]?.replaced !== undefined

const isChanged = ({ details, previous }: Changed, name: string): boolean =>
  isUnknown(name) || !Object.hasOwn(previous, name) || !Equal.equals(details[name], previous[name])

const orNothing = (changes: ReadonlyArray<string>, locale: Locale): ReadonlyArray<string> =>
  changes.length === 0 ? [locale.say("nothing is different", "چیزی فرق نکرد")] : changes

/** The changes of an entry, field by field, in words. Forms also send unchanged fields: those are left out. */
export const changesOf = (record: Changed, locale: Locale): ReadonlyArray<string> => {
  const changed = known(record).filter((name) => isChanged(record, name))
  return orNothing(
    changed.map((name) => fieldChange(name, record, locale)),
    locale
  )
}

/** What an entry has changed of the routing order. */
export const routingChangesOf = ({ details, previous }: Changed, locale: Locale): ReadonlyArray<string> => {
  const later = readOrder(details)
  if (Option.isNone(later)) return []
  const earlier = readOrder({ ...details, ...previous })
  const hasEarlier = Object.keys(previous).length > 0
  if (Option.isNone(earlier) || !hasEarlier) return [orderText(later.value, locale)]
  return orNothing(routingChanges(earlier.value, later.value, locale), locale)
}
