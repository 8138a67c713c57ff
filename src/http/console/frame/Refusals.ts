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
  conflict: "This is not possible in the current state.",
  precondition_failed: "It was changed in the meantime. Open the page again.",
  payload_too_large: "This is too large.",
  validation_error: "Some values are not valid.",
  idempotency_key_conflict:
    "This form was already submitted with other values. Open the page again and try again.",
  idempotency_key_in_progress: "This form was already submitted and is still in progress."
}

const persian: Readonly<Record<ErrorCode, string>> = {
  bad_request: "درخواست HTTP معتبر نیست.",
  idempotency_required: "هدر Idempotency-Key لازم است.",
  idempotency_key_too_long: "هدر Idempotency-Key بیش از ۲۵۵ نویسه دارد.",
  unauthenticated: "ایمیل یا گذرواژه درست نیست.",
  second_factor_required: "مرحلهٔ دوم ورود هم لازم است.",
  insufficient_balance: "موجودی کیف پول کافی نیست.",
  scope_insufficient: "نقش شما اجازهٔ این کار را نمی‌دهد.",
  ip_not_allowed: "این کلید از این نشانی IP پذیرفته نمی‌شود.",
  test_key_not_allowed: "کلید آزمایشی فقط در محیط آزمایشی کار می‌کند.",
  live_key_not_allowed: "کلید واقعی در محیط آزمایشی کار نمی‌کند.",
  shared_sender_not_allowed: "فرستندهٔ مشترک فقط برای پلن start است.",
  blocked_phone: "این شماره، پیش‌شمارهٔ آن یا نشانی IP کاربر در فهرست ممنوع شماست.",
  suspected_fraud: "این درخواست شبیه سوءاستفاده است؛ هشدارهای نگهبان را ببینید.",
  not_found: "پیدا نشد.",
  template_not_found: "این قالب پیدا نشد.",
  channel_account_not_found: "این حساب پیدا نشد.",
  method_not_allowed: "این نشانی این متد را ندارد.",
  request_timeout: "درخواست به‌موقع نرسید.",
  idempotency_key_conflict:
    "این فرم قبلاً با مقدارهای دیگری فرستاده شده است. صفحه را دوباره باز کنید و دوباره امتحان کنید.",
  idempotency_key_in_progress: "این فرم قبلاً فرستاده شده و هنوز در حال انجام است.",
  verification_ended: "کار این کد تمام شده است.",
  no_next_channel: "کانال دیگری برای امتحان نمانده است.",
  message_ended: "این پیام ارسال شده، شاید ارسال شده یا کارش تمام شده است.",
  conflict: "این کار در وضعیت فعلی ممکن نیست.",
  precondition_failed: "در این فاصله تغییر کرده است. صفحه را دوباره باز کنید.",
  payload_too_large: "درخواست بیش از حد بزرگ است.",
  unsupported_media_type: "نوع محتوای درخواست پذیرفته نمی‌شود.",
  misdirected_request:
    "این سرور به این نام میزبان پاسخ نمی‌دهد؛ PEYK_PUBLIC_URL یا PEYK_ALLOWED_HOSTS را ببینید.",
  validation_error: "بعضی مقدارها درست نیست.",
  invalid_phone: "این شماره موبایل ایران نیست.",
  message_required: "متن یا قالب لازم است.",
  message_too_long: "متن بیش از ۱۰۰۰ نویسه دارد.",
  channels_required: "حداقل یک کانال انتخاب کنید.",
  invalid_strategy: "روش ارسال باید failover یا broadcast باشد.",
  invalid_delay: "تأخیر باید یک عدد مثبت با واحد s، m، h یا d باشد.",
  schedule_must_be_future: "زمان ارسال باید در آینده باشد.",
  schedule_too_far: "زمان ارسال نباید بیش از ۳۰ روز بعد باشد.",
  template_invalid: "از این قالب اینجا نمی‌توان استفاده کرد.",
  template_parameters_mismatch: "مقدارها با متغیرهای قالب یکی نیستند.",
  channel_unavailable: "هیچ حساب فعالی برای این کانال نیست.",
  channel_ambiguous: "این کانال چند حساب دارد: یکی را انتخاب کنید یا حساب پیش‌فرض تعیین کنید.",
  channel_account_mismatch: "این حساب برای کانال دیگری است.",
  duplicate_channel: "یک کانال بیش از یک بار آمده است.",
  sms_message_config_missing: "تنظیمات حساب پیامک کامل نیست.",
  fallback_order_required: "کانال را انتخاب کنید یا ترتیب ارسال را ذخیره کنید.",
  no_credentials: "هیچ حساب ارسال فعالی ندارید.",
  invalid_channel: "این کانال ناشناخته است.",
  too_many_requests_api_key: "تعداد درخواست‌ها زیاد بود. کمی بعد دوباره امتحان کنید.",
  too_many_requests_phone_hour: "این شماره به سقف ساعتی خود رسیده است.",
  too_many_requests_phone_day: "این شماره به سقف روزانهٔ خود رسیده است.",
  too_many_sign_ins: "تلاش‌های زیادی برای ورود انجام شد. کمی بعد دوباره امتحان کنید.",
  quota_exceeded: "سهمیهٔ ماهانهٔ پلن رایگان تمام شده است.",
  headers_too_large: "هدرهای درخواست بیش از حد بزرگ است.",
  internal_error: "خطایی در سرور رخ داد؛ با شناسهٔ درخواست در لاگ‌ها پیدا می‌شود.",
  shared_sender_unavailable: "برای این پیام‌رسان فرستندهٔ مشترک فعالی نیست.",
  service_unavailable: "سرویس در دسترس نیست. کمی بعد دوباره امتحان کنید."
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
      ? [`${locale.say("Missing settings", "تنظیمات لازم")}: ${settings.join(locale.say(", ", "، "))}`]
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
      "This form has expired, or did not come from this site. Open the page again and try again.",
      "این فرم منقضی شده یا از این سایت نیامده است. صفحه را دوباره باز کنید و دوباره امتحان کنید."
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
