import { type CodedError, type ErrorDetails, headersOfCode } from "../../errors/Envelope.ts"
import { type ErrorCode, errorTable } from "../../errors/ErrorTable.ts"
import { fieldMessage } from "../forms/FieldMessages.ts"
import type { Locale } from "./Locale.ts"

/** A form that no page of ours was the origin of. */
interface CsrfFailed {
  readonly _tag: "csrf_failed"
}
export const csrfFailed: CsrfFailed = { _tag: "csrf_failed" }

export type ConsoleError = CodedError | CsrfFailed

/** In place of texts for programs. An idempotency key stands for a form. */
const english: Readonly<Partial<Record<ErrorCode, string>>> = {
  conflict: "Something else stands in the way.",
  precondition_failed: "It has changed meanwhile; open the page again.",
  payload_too_large: "This is too large to be sent.",
  validation_error: "Something here is not right.",
  idempotency_key_conflict:
    "This form was sent before, with other values. Open the page again and repeat what you did.",
  idempotency_key_in_progress: "This form was sent before, and is still being worked on."
}

const persian: Readonly<Record<ErrorCode, string>> = {
  bad_request: "این درخواست HTTP درستی نیست.",
  idempotency_required: "سرآیند Idempotency-Key لازم است.",
  idempotency_key_too_long: "سرآیند Idempotency-Key بیش از ۲۵۵ نویسه دارد.",
  unauthenticated: "ایمیل یا گذرواژه درست نیست.",
  insufficient_balance: "موجودی کیف پول برای این کار بس نیست.",
  scope_insufficient: "نقش شما اجازهٔ این کار را نمی‌دهد.",
  ip_not_allowed: "این کلید از این نشانی شبکه پذیرفته نمی‌شود.",
  test_key_not_allowed: "کلید آزمایشی تنها در محیط آزمایشی کار می‌کند.",
  live_key_not_allowed: "کلید اصلی در محیط آزمایشی کار نمی‌کند.",
  shared_sender_not_allowed: "فرستندهٔ اشتراکی تنها برای طرح start است.",
  blocked_phone: "این شماره، پیش‌شمارهٔ آن یا نشانی کاربر در فهرست «همیشه ممنوع» شماست.",
  suspected_fraud: "این درخواست به سوءاستفاده می‌ماند؛ هشدارهای نگهبان را ببینید.",
  not_found: "چنین چیزی پیدا نشد.",
  template_not_found: "چنین قالبی نیست.",
  channel_account_not_found: "چنین حسابی نیست.",
  method_not_allowed: "این نشانی چنین متدی ندارد.",
  request_timeout: "درخواست به‌موقع نرسید.",
  idempotency_key_conflict:
    "این فرم پیش‌تر با مقدارهای دیگری فرستاده شده است. صفحه را دوباره باز کنید و کار را تکرار کنید.",
  idempotency_key_in_progress: "این فرم پیش‌تر فرستاده شده و هنوز در دست انجام است.",
  verification_ended: "این کد پایان یافته است.",
  no_next_channel: "کانال دیگری برای امتحان نمانده است.",
  message_ended: "این پیام فرستاده شده، شاید فرستاده شده یا پایان یافته است.",
  conflict: "این کار با وضعیت کنونی سازگار نیست.",
  precondition_failed: "در این میان تغییر کرده است؛ صفحه را دوباره باز کنید.",
  payload_too_large: "درخواست بیش از اندازه بزرگ است.",
  unsupported_media_type: "نوع محتوای درخواست پذیرفته نمی‌شود.",
  misdirected_request: "این نام میزبان اینجا سرو نمی‌شود؛ PEYK_PUBLIC_URL یا PEYK_ALLOWED_HOSTS را ببینید.",
  validation_error: "یکی از مقدارها درست نیست.",
  invalid_phone: "این شمارهٔ موبایل ایرانی نیست.",
  message_required: "متن یا قالبی لازم است.",
  message_too_long: "متن بیش از ۱۰۰۰ نویسه دارد.",
  channels_required: "دست‌کم یک کانال برگزینید.",
  invalid_strategy: "راهبرد باید failover یا broadcast باشد.",
  invalid_delay: "تأخیر، عددی مثبت با یکای s، m، h یا d است.",
  schedule_must_be_future: "زمان ارسال در آینده نیست.",
  schedule_too_far: "زمان ارسال بیش از ۳۰ روز دیگر است.",
  template_invalid: "این قالب را اینجا نمی‌توان به کار برد.",
  template_parameters_mismatch: "مقدارها با جاهای خالی قالب جور نیست.",
  channel_unavailable: "هیچ حساب روشنی این کانال را ندارد.",
  channel_ambiguous: "چند حساب این کانال را دارند: یکی را نام ببرید یا پیش‌فرض بگذارید.",
  channel_account_mismatch: "این حساب آن کانال را ندارد.",
  duplicate_channel: "کانالی بیش از یک بار آمده است.",
  sms_message_config_missing: "تنظیمات حساب پیامک کامل نیست.",
  fallback_order_required: "کانالی برگزینید یا مسیر ارسال را ذخیره کنید.",
  no_credentials: "هیچ حساب فرستنده‌ای روشن نیست.",
  invalid_channel: "این کانال شناخته نیست.",
  too_many_requests_api_key: "درخواست‌ها زیاد بود. کمی بعد دوباره امتحان کنید.",
  too_many_requests_phone_hour: "این شماره به سقف ساعتی خود رسیده است.",
  too_many_requests_phone_day: "این شماره به سقف روزانهٔ خود رسیده است.",
  too_many_sign_ins: "تلاش‌های ناموفق زیاد بود. کمی بعد دوباره امتحان کنید.",
  quota_exceeded: "سهمیهٔ ماهانهٔ طرح رایگان تمام شده است.",
  headers_too_large: "سرآیندهای درخواست بیش از اندازه بزرگ است.",
  internal_error: "اینجا خطایی رخ داد؛ با شناسهٔ درخواست در گزارش‌ها پیدا می‌شود.",
  shared_sender_unavailable: "برای این پیام‌رسان فرستندهٔ اشتراکی روشنی نیست.",
  service_unavailable: "سرویس اکنون در دسترس نیست. کمی بعد دوباره امتحان کنید."
}

interface Refusal {
  readonly status: number
  readonly text: string
  /** The exact fault, where it is known. */
  readonly reasons: ReadonlyArray<string>
  readonly headers: Readonly<Record<string, string>>
}

const settingsIn = (details: ErrorDetails | undefined): ReadonlyArray<string> => {
  const settings: unknown = details?.["settings"]
  return Array.isArray(settings) ? settings.map(String) : []
}

const textsIn = ({ details, problem, problems = [] }: CodedError, locale: Locale): ReadonlyArray<string> => {
  const settings = settingsIn(details)
  return [
    ...(problem === undefined ? [] : [fieldMessage(problem, locale)]),
    ...(settings.length > 0
      ? [`${locale.say("It needs", "لازم است")}: ${settings.join(locale.say(", ", "، "))}`]
      : []),
    ...problems.map((each) =>
      [each.path, fieldMessage(each.problem, locale)].filter((part) => part !== "").join(": ")
    )
  ]
}

/** The text of an error for people. */
export const refusalOf = (error: ConsoleError, locale: Locale): Refusal => {
  const { say } = locale
  if (error._tag === "csrf_failed") {
    const text = say(
      "This form is too old, or did not come from this site. Open the page again and repeat what you did.",
      "این فرم قدیمی است یا از این سایت نیامده. صفحه را دوباره باز کنید و کار را تکرار کنید."
    )
    return { status: 403, text, reasons: [], headers: {} }
  }
  const { status, message } = errorTable[error._tag]
  // Its problem says all that there is to say.
  if (error.problem?.code === "stale_sign_in") {
    return { status, text: fieldMessage(error.problem, locale), reasons: [], headers: {} }
  }
  return {
    status,
    text: say(english[error._tag] ?? message, persian[error._tag]),
    reasons: textsIn(error, locale),
    headers: {
      ...headersOfCode[error._tag],
      ...(error.retryAfterSeconds === undefined ? {} : { "retry-after": String(error.retryAfterSeconds) })
    }
  }
}
