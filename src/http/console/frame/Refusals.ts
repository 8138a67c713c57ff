import { type CodedError, headersOfCode } from "../../Envelope.ts"
import { type ErrorCode, errorTable } from "../../ErrorTable.ts"
import type { Locale } from "./Locale.ts"

/** A form that no page of ours was the origin of. */
export interface ForeignForm {
  readonly _tag: "foreign_form"
}
export const foreignForm: ForeignForm = { _tag: "foreign_form" }

export type ConsoleError = CodedError | ForeignForm

const persian: Readonly<Partial<Record<ErrorCode, string>>> = {
  unauthenticated: "ایمیل یا گذرواژه درست نیست.",
  scope_insufficient: "نقش شما اجازهٔ این کار را نمی‌دهد.",
  not_found: "چنین چیزی پیدا نشد.",
  conflict: "این کار با وضعیت کنونی سازگار نیست.",
  validation_error: "یکی از مقدارها درست نیست.",
  invalid_phone: "این شمارهٔ موبایل ایرانی نیست.",
  too_many_sign_ins: "تلاش‌های ناموفق زیاد بود. کمی بعد دوباره امتحان کنید.",
  too_many_requests_api_key: "درخواست‌ها زیاد بود. کمی بعد دوباره امتحان کنید.",
  service_unavailable: "سرویس اکنون در دسترس نیست. کمی بعد دوباره امتحان کنید."
}

export interface Refusal {
  readonly status: number
  readonly text: string
  /** The exact fault, where it is known. */
  readonly reasons: ReadonlyArray<string>
  readonly headers: Readonly<Record<string, string>>
}

interface Details {
  readonly reason?: unknown
  readonly errors?: unknown
}

const textsIn = ({ reason, errors }: Details): ReadonlyArray<string> => [
  ...(typeof reason === "string" ? [reason] : []),
  ...(Array.isArray(errors)
    ? errors.map((each: { readonly path?: unknown; readonly message?: unknown }) =>
        [each.path, each.message].filter((part) => typeof part === "string").join(": ")
      )
    : [])
]

/** The text of an error for people. */
export const refusalOf = (error: ConsoleError, { say }: Locale): Refusal => {
  if (error._tag === "foreign_form") {
    const text = say(
      "This form is too old, or did not come from this site. Open the page again and repeat what you did.",
      "این فرم قدیمی است یا از این سایت نیامده. صفحه را دوباره باز کنید و کار را تکرار کنید."
    )
    return { status: 403, text, reasons: [], headers: {} }
  }
  const { status, message } = errorTable[error._tag]
  return {
    status,
    text: say(message, persian[error._tag] ?? message),
    reasons: textsIn(error.details ?? {}),
    headers: {
      ...headersOfCode[error._tag],
      ...(error.retryAfterSeconds === undefined ? {} : { "retry-after": String(error.retryAfterSeconds) })
    }
  }
}
