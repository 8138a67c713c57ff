import { ValidationError } from "../../../domain/Errors.ts"
import type { FieldProblem } from "../../../domain/Problem.ts"
import { checkField, type FieldErrors, inputField, selectField } from "../forms/FormFields.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import type { ProviderAdapter } from "../../../services/provider/ProviderAdapter.ts"
import { type SettingField, settingFields } from "../../../services/provider/SettingFields.ts"

interface Texts {
  readonly label: readonly [english: string, persian: string]
  readonly hint?: string
}

/** Settings by name, whatever the provider: their labels, and their hints in Persian. */
const words: Readonly<Record<string, Texts>> = {
  api_key: { label: ["API key", "کلید API"] },
  token: { label: ["Token", "توکن"] },
  username: { label: ["Username", "نام کاربری"] },
  password: { label: ["Password", "گذرواژه"] },
  secret: { label: ["Secret", "کلید امضا"], hint: "whsec_ و بعد base64؛ درخواست‌های پیک با آن امضا می‌شود." },
  url: {
    label: ["URL", "نشانی"],
    hint: "نشانی‌ای که درگاه شما پیام‌ها را در آن می‌گیرد: https؛ اگر PEYK_ALLOW_PRIVATE_ADDRESSES فعال باشد، http هم."
  },
  line_number: { label: ["Line number", "شمارهٔ خط"], hint: "خطی که متن‌ها از آن فرستاده می‌شود." },
  from: { label: ["Line number", "شمارهٔ خط"], hint: "خطی که متن‌ها از آن فرستاده می‌شود." },
  from_number: {
    label: ["Line number", "شمارهٔ خط"],
    hint: "خطی که کدها و متن‌ها از آن فرستاده می‌شود: ‎+98 و رقم‌ها."
  },
  sender: {
    label: ["Line number", "شمارهٔ خط"],
    hint: "خطی که متن‌ها از آن فرستاده می‌شود؛ اگر خالی باشد، خط پیش‌فرض پنل."
  },
  sender_username: { label: ["Sender", "فرستنده"], hint: "کانالی که کد را می‌فرستد." },
  otp_template: { label: ["Template for codes", "قالب کد"], hint: "نام قالبی که کد با آن فرستاده می‌شود." },
  otp_template_id: { label: ["Template for codes", "قالب کد"], hint: "قالبی که کد با آن فرستاده می‌شود." },
  otp_body_id: {
    label: ["Template for codes", "قالب کد"],
    hint: "متن تأییدشده‌ای که کد با آن از خط خدماتی فرستاده می‌شود."
  },
  otp_pattern: { label: ["Pattern for codes", "الگوی کد"], hint: "الگویی که کد با آن فرستاده می‌شود." },
  otp_parameter: {
    label: ["Variable for the code", "متغیر کد"],
    hint: "متغیری از قالب که کد به جای آن می‌آید."
  },
  otp_token: {
    label: ["Variable for the code", "متغیر کد"],
    hint: "متغیری از قالب که کد به جای آن می‌آید؛ اگر خالی باشد، token."
  },
  bot_id: { label: ["Bot id", "شناسهٔ بازو"], hint: "بازویی که پیام‌ها را می‌فرستد." },
  trust_contacts: {
    label: ["Trust shared contacts", "اعتماد به شمارهٔ فرستاده‌شده"],
    hint: "بله: هر شماره‌ای که به ربات بفرستند، شمارهٔ خود فرستنده حساب می‌شود. پیش‌فرض: نه."
  },
  receives_updates: {
    label: ["Receives updates", "دریافت رویدادها"],
    hint: "نه: اگر برنامهٔ دیگری از شما پیام‌های ربات را می‌گیرد. پیش‌فرض: بله."
  },
  reports_delivery: {
    label: ["Reports delivery", "گزارش تحویل"],
    hint: "بله: اگر درگاه شما تحویل پیام را گزارش می‌دهد. پیش‌فرض: نه."
  },
  outcome: { label: ["Outcome", "نتیجه"], hint: "نتیجهٔ هر ارسال این حساب. پیش‌فرض: accepted." },
  latency_ms: {
    label: ["Latency (ms)", "تأخیر (میلی‌ثانیه)"],
    hint: "مدت تا پاسخ سرویس‌دهنده، بعد از رسیدن پیام به گوشی."
  }
}

const hintOf = ({ name, hint }: SettingField, { say }: Locale): string | undefined =>
  hint === null ? say("", words[name]?.hint ?? "") || undefined : say(hint, words[name]?.hint ?? hint)

/** What the account cannot send without a setting that it can be connected without. */
const neededFor = (name: string, { sendingSettings }: Sending, { say }: Locale): string | null => {
  const codes = sendingSettings?.codes.includes(name) === true
  const texts = sendingSettings?.texts.includes(name) === true
  if (codes && texts) return say("required for codes and messages", "الزامی برای کد و پیام")
  if (codes) return say("required for codes", "الزامی برای کد")
  return texts ? say("required for messages", "الزامی برای پیام") : null
}

/** A setting's name for people. */
export const settingLabel = (name: string, { say }: Locale): string => {
  const known = words[name]
  return known === undefined ? name : say(...known.label)
}

type Sending = Pick<ProviderAdapter, "sendingSettings">

const labelOf = ({ name, isRequired }: SettingField, adapter: Sending, locale: Locale): string => {
  const { say } = locale
  const label = settingLabel(name, locale)
  return isRequired ? label : `${label} (${neededFor(name, adapter, locale) ?? say("optional", "اختیاری")})`
}

/** The form's name of a setting, apart from the names of its other fields. */
export const inputName = (setting: string): string => `settings.${setting}`
/** The form's name of a box that removes a stored setting. */
export const removalName = (setting: string): string => `remove.${setting}`

const choicesOf = ({ kind, choices }: SettingField, isStored: boolean, { say }: Locale) => [
  ["", isStored ? say("As it is", "بدون تغییر") : say("Default", "پیش‌فرض")] as const,
  ...(kind === "boolean"
    ? ([
        ["true", say("Yes", "بله")],
        ["false", say("No", "نه")]
      ] as const)
    : choices.map((choice) => [choice, choice] as const))
]

/** Each problem of a setting at its own input; the whole where one of them belongs to none. */
const placed = (cause: FieldProblem, fields: ReadonlyArray<SettingField>): ReadonlyArray<FieldProblem> => {
  if (cause.problem.code !== "settings_refused") return [cause]
  const { problems } = cause.problem.params
  const own = problems.flatMap(({ setting, problem }) =>
    fields.some(({ name }) => name === setting) ? [{ path: `body.settings.${setting}`, problem }] : []
  )
  return own.length === problems.length ? own : [cause]
}

/** Puts each setting's own problem at its own input, where the provider's schema found it. */
export const bySetting =
  (fields: ReadonlyArray<SettingField>) =>
  <E>(error: E): E | ValidationError =>
    error instanceof ValidationError
      ? new ValidationError({ problems: error.problems.flatMap((each) => placed(each, fields)) })
      : error

type OfProvider = Pick<ProviderAdapter, "settings" | "sendingSettings">

/** A setting that is stored, and can go. */
const removalBox = (
  { name, isRequired }: SettingField,
  stored: ReadonlyArray<string>,
  submitted: (name: string) => string | null,
  { say }: Locale
): Html | null =>
  isRequired || !stored.includes(name)
    ? null
    : checkField({
        name: removalName(name),
        label: say("Remove the stored value", "حذف مقدار ذخیره‌شده"),
        isChecked: submitted(removalName(name)) !== null
      })

/** The inputs with which some of the stored settings are changed; what is left empty stays. */
export const changeInputs = (
  adapter: OfProvider,
  stored: ReadonlyArray<string>,
  submitted: (name: string) => string | null,
  errors: FieldErrors,
  locale: Locale
): ReadonlyArray<Html> => {
  const inputs = settingInputs(adapter, submitted, errors, locale, stored)
  return settingFields(adapter.settings).map(
    (field, index) =>
      html`<div class="setting">${inputs[index]} ${removalBox(field, stored, submitted, locale)}</div>`
  )
}

/**
 * The inputs for a provider's settings. A secret is typed and never shown again: not even after a mistake.
 *
 * @param stored the names of settings that stay as they are if their input is empty
 */
export const settingInputs = (
  adapter: OfProvider,
  submitted: (name: string) => string | null,
  errors: FieldErrors,
  locale: Locale,
  stored: ReadonlyArray<string> = []
): ReadonlyArray<Html> =>
  settingFields(adapter.settings).map((field) => {
    const name = inputName(field.name)
    const isStored = stored.includes(field.name)
    const options = {
      name,
      label: labelOf(field, adapter, locale),
      hint: hintOf(field, locale),
      isRequired: field.isRequired && !isStored,
      value: submitted(name) ?? "",
      placeholder: isStored ? locale.say("Stored; empty: unchanged", "ذخیره شده؛ خالی: بدون تغییر") : "",
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
      ? selectField({ ...options, choices: choicesOf(field, isStored, locale) })
      : inputField({ ...options, isLtr: true, isNumber: field.kind === "number" })
  })
