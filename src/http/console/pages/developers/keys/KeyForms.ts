import { formatInstant } from "../../../../../domain/Instant.ts"
import type { ApiKeyRecord } from "../../../../../domain/key/ApiKey.ts"
import { withoutFormat } from "../../../../../domain/text/PastedText.ts"
import { parseLocalTime } from "../../../frame/forms/LocalTime.ts"
import { typedNumber } from "../../../frame/forms/TypedBody.ts"
import { html, type Html } from "../../../frame/Html.ts"
import type { Locale } from "../../../frame/Locale.ts"
import type { FieldErrors } from "../../../parts/fields/FieldErrors.ts"
import { inputField, selectField, textAreaField } from "../../../parts/fields/Fields.ts"
import { timeField } from "../../../parts/fields/TimeField.ts"

/** A time typed into a form, as the management API takes it; null: none. The API refuses any other text. */
export const typedTime = (text: string | null, zone: string): string | null => {
  const trimmed = (text ?? "").trim()
  if (trimmed === "") return null
  const at = parseLocalTime(trimmed, zone)
  return at === null ? trimmed : formatInstant(at)
}

/** Networks, one a line. */
const typedNetworks = (text: string | null): ReadonlyArray<string> | null => {
  const networks = withoutFormat(text ?? "")
    .split(/[\s,،]+/)
    .filter((network) => network !== "")
  return networks.length === 0 ? null : networks
}

/** The fields of a form for a new or changed key, as the body of the management API. */
export const typedKey = (fields: URLSearchParams) => ({
  name: fields.get("name")?.trim(),
  rate_limit_per_minute: typedNumber(fields.get("rate_limit_per_minute")),
  allowed_ips: typedNetworks(fields.get("allowed_ips"))
})

export const nameField = ({ say }: Locale, value: string, errors: FieldErrors): Html =>
  inputField({
    name: "name",
    label: say("Name", "نام"),
    hint: say("For you: where it is used.", "برای خودتان: کجا به کار می‌رود."),
    value,
    isRequired: true,
    errors
  })

export const expiryField = (locale: Locale, value: string, hint: string, errors: FieldErrors): Html =>
  timeField({ name: "expires_at", label: locale.say("Expires", "انقضا"), hint, value, errors }, locale)

export const modeField = ({ say }: Locale, value: string): Html =>
  selectField({
    name: "mode",
    label: say("Mode", "حالت"),
    hint: say("A test key sends nothing and costs nothing.", "کلید آزمایشی چیزی نمی‌فرستد و هزینه‌ای ندارد."),
    value,
    choices: [
      ["live", say("Live", "واقعی")],
      ["test", say("Test", "آزمایشی")]
    ]
  })

/** Its limit, and the networks that it may be used from. */
export const limitFields = ({ say }: Locale, typed: URLSearchParams, errors: FieldErrors): Html =>
  html`${inputField({
    name: "rate_limit_per_minute",
    label: say("Requests per minute", "درخواست در دقیقه"),
    hint: say("Empty: the default. 0: no limit.", "خالی: پیش‌فرض. ۰: بی‌سقف."),
    value: typed.get("rate_limit_per_minute") ?? "",
    isNumber: true,
    errors
  })}
  ${textAreaField({
    name: "allowed_ips",
    label: say("Allowed networks", "شبکه‌های مجاز"),
    hint: say(
      "Addresses or networks such as 203.0.113.0/24, one a line. Empty: any. From elsewhere it is refused with 403.",
      "نشانی یا شبکه، مانند 203.0.113.0/24، در هر خط یکی. خالی: همه‌جا. از جای دیگر با ۴۰۳ رد می‌شود."
    ),
    value: typed.get("allowed_ips") ?? "",
    rows: 3,
    isCode: true,
    errors
  })}`

/** The fields of a key as its form has them. */
export const asTyped = ({ name, requestsPerMinute, allowedIps }: ApiKeyRecord): URLSearchParams =>
  new URLSearchParams({
    name,
    rate_limit_per_minute: String(requestsPerMinute ?? ""),
    allowed_ips: (allowedIps ?? []).join("\n")
  })
