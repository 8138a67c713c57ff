import { ValidationError } from "../../../../../domain/Errors.ts"
import type { SettingField } from "../../../../../services/provider/SettingFields.ts"
import type { Html } from "../../../frame/Html.ts"
import type { Locale } from "../../../frame/Locale.ts"
import { type FieldErrors, inputField, selectField } from "../../../parts/Fields.ts"

interface Words {
  readonly label: readonly [english: string, persian: string]
  readonly hint?: string
}

/** Settings by name, whatever the provider: their labels, and their hints in Persian. */
const words: Readonly<Record<string, Words>> = {
  api_key: { label: ["API key", "کلید API"] },
  token: { label: ["Token", "توکن"] },
  username: { label: ["User name", "نام کاربری"] },
  password: { label: ["Password", "گذرواژه"] },
  secret: { label: ["Secret", "راز مشترک"], hint: "whsec_ و سپس base64؛ آنچه پیک می‌فرستد با آن امضا می‌شود." },
  url: { label: ["URL", "نشانی"], hint: "جایی که درگاه شما پیام‌ها را می‌گیرد: https." },
  line_number: { label: ["Line number", "شمارهٔ خط"], hint: "خطی که متن‌ها از آن فرستاده می‌شود." },
  from: { label: ["Line number", "شمارهٔ خط"], hint: "خطی که متن‌ها از آن فرستاده می‌شود." },
  from_number: {
    label: ["Line number", "شمارهٔ خط"],
    hint: "خطی که کدها و متن‌ها از آن فرستاده می‌شود: ‎+98 و رقم‌ها."
  },
  sender: {
    label: ["Line number", "شمارهٔ خط"],
    hint: "خطی که متن‌ها از آن فرستاده می‌شود؛ اگر خالی باشد، خطی که پنل برگزیده است."
  },
  sender_username: { label: ["Sender", "فرستنده"], hint: "کانالی که کد از سوی آن می‌آید." },
  otp_template: { label: ["Template for codes", "قالب کد"], hint: "نام قالبی که کد با آن فرستاده می‌شود." },
  otp_template_id: { label: ["Template for codes", "قالب کد"], hint: "قالبی که کد با آن فرستاده می‌شود." },
  otp_body_id: {
    label: ["Template for codes", "قالب کد"],
    hint: "متن تأییدشده‌ای که کد با آن از خط خدماتی فرستاده می‌شود."
  },
  otp_pattern: { label: ["Pattern for codes", "الگوی کد"], hint: "الگویی که کد با آن فرستاده می‌شود." },
  otp_parameter: {
    label: ["Variable for the code", "متغیر کد"],
    hint: "متغیری از قالب که کد در آن می‌نشیند."
  },
  otp_token: {
    label: ["Variable for the code", "متغیر کد"],
    hint: "متغیری از قالب که کد در آن می‌نشیند؛ اگر خالی باشد token."
  },
  bot_id: { label: ["Bot id", "شناسهٔ بازو"], hint: "بازویی که پیام‌ها از سوی آن می‌آید." },
  trust_contacts: {
    label: ["Trust shared contacts", "اعتماد به مخاطب فرستاده‌شده"],
    hint: "آیا هر شمارهٔ فرستاده‌شده از آنِ خود فرستنده به شمار آید؛ در حالت عادی نه."
  },
  receives_updates: {
    label: ["Receives updates", "دریافت رویدادها"],
    hint: "نه، اگر برنامهٔ دیگری از شما رویدادهای بات را می‌گیرد؛ در حالت عادی بله."
  },
  reports_delivery: {
    label: ["Reports delivery", "گزارش تحویل"],
    hint: "آیا درگاه شما می‌داند که پیام به دست گیرنده رسید؛ در حالت عادی نه."
  },
  outcome: { label: ["Outcome", "نتیجه"], hint: "نتیجهٔ هر ارسال این حساب؛ در حالت عادی accepted." },
  latency_ms: {
    label: ["Latency (ms)", "درنگ (میلی‌ثانیه)"],
    hint: "میلی‌ثانیه تا پاسخ سرویس‌دهنده، پس از رسیدن پیام به گوشی."
  }
}

/** The form's name of a setting, apart from the names of its other fields. */
export const inputName = (setting: string): string => `settings.${setting}`

const hintOf = ({ name, hint }: SettingField, { say }: Locale): string | undefined =>
  hint === null ? say("", words[name]?.hint ?? "") || undefined : say(hint, words[name]?.hint ?? hint)

const labelOf = ({ name, isRequired }: SettingField, { say }: Locale): string => {
  const known = words[name]
  const label = known === undefined ? name : say(...known.label)
  return isRequired ? label : say(`${label} (optional)`, `${label} (اختیاری)`)
}

const choicesOf = ({ kind, choices }: SettingField, { say }: Locale) => [
  ["", say("As by default", "پیش‌فرض")] as const,
  ...(kind === "boolean"
    ? ([
        ["true", say("Yes", "بله")],
        ["false", say("No", "نه")]
      ] as const)
    : choices.map((choice) => [choice, choice] as const))
]

const SETTINGS = "body.settings"

/** Each setting that the message of its provider's schema blames; none if the message is another one. */
const blamedSettings = (message: string, fields: ReadonlyArray<SettingField>) => {
  const parts = message.replace(/^settings of \w+: /, "").split("; ")
  const blamed = parts.flatMap((part) => {
    const field = fields.find(({ name }) => part.startsWith(`${name} `))
    return field === undefined
      ? []
      : [{ path: `body.${inputName(field.name)}`, message: part.slice(field.name.length + 1) }]
  })
  return blamed.length === parts.length ? blamed : []
}

/** The same error with each setting's own problem at its own input, where the provider's schema found it. */
export const bySetting =
  (fields: ReadonlyArray<SettingField>) =>
  <E>(error: E): E | ValidationError => {
    if (!(error instanceof ValidationError)) return error
    const errors = error.details.errors.flatMap((each) => {
      const blamed = each.path === SETTINGS ? blamedSettings(each.message, fields) : []
      return blamed.length === 0 ? [each] : blamed
    })
    return new ValidationError({ details: { errors } })
  }

/** The inputs for a provider's settings. A secret is typed and never shown again: not even after a mistake. */
export const settingInputs = (
  fields: ReadonlyArray<SettingField>,
  typed: (name: string) => string | null,
  errors: FieldErrors,
  locale: Locale
): ReadonlyArray<Html> =>
  fields.map((field) => {
    const name = inputName(field.name)
    const options = {
      name,
      label: labelOf(field, locale),
      hint: hintOf(field, locale),
      isRequired: field.isRequired,
      value: typed(name) ?? "",
      errors
    }
    if (field.kind === "secret") {
      return inputField({
        ...options,
        value: "",
        type: "password",
        autocomplete: "new-password",
        isLtr: true
      })
    }
    return field.kind === "boolean" || field.kind === "choice"
      ? selectField({ ...options, choices: choicesOf(field, locale) })
      : inputField({ ...options, isLtr: true, isNumber: field.kind === "number" })
  })
