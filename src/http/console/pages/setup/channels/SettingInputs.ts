import { ValidationError } from "../../../../../domain/Errors.ts"
import type { ProviderAdapter } from "../../../../../services/provider/ProviderAdapter.ts"
import { type SettingField, settingFields } from "../../../../../services/provider/SettingFields.ts"
import type { Html } from "../../../frame/Html.ts"
import type { Locale } from "../../../frame/Locale.ts"
import type { FieldErrors } from "../../../parts/fields/FieldErrors.ts"
import { inputField, selectField } from "../../../parts/fields/Fields.ts"
import { hintOf, labelOf } from "./SettingWords.ts"
import { type FieldProblem } from "../../../../../domain/Problem.ts"

/** The form's name of a setting, apart from the names of its other fields. */
export const inputName = (setting: string): string => `settings.${setting}`

const choicesOf = ({ kind, choices }: SettingField, { say }: Locale) => [
  ["", say("As by default", "پیش‌فرض")] as const,
  ...(kind === "boolean"
    ? ([
        ["true", say("Yes", "بله")],
        ["false", say("No", "نه")]
      ] as const)
    : choices.map((choice) => [choice, choice] as const))
]

/** Each problem of a setting at its own input; the whole where one of them belongs to none. */
const placed = (blamed: FieldProblem, fields: ReadonlyArray<SettingField>): ReadonlyArray<FieldProblem> => {
  if (blamed.problem.code !== "settings_refused") return [blamed]
  const { problems } = blamed.problem.params
  const own = problems.flatMap(({ setting, problem }) =>
    fields.some(({ name }) => name === setting) ? [{ path: `body.settings.${setting}`, problem }] : []
  )
  return own.length === problems.length ? own : [blamed]
}

/** The same error with each setting's own problem at its own input, where the provider's schema found it. */
export const bySetting =
  (fields: ReadonlyArray<SettingField>) =>
  <E>(error: E): E | ValidationError =>
    error instanceof ValidationError
      ? new ValidationError({ problems: error.problems.flatMap((each) => placed(each, fields)) })
      : error

/** The inputs for a provider's settings. A secret is typed and never shown again: not even after a mistake. */
export const settingInputs = (
  adapter: Pick<ProviderAdapter, "settings" | "sendingSettings">,
  typed: (name: string) => string | null,
  errors: FieldErrors,
  locale: Locale
): ReadonlyArray<Html> =>
  settingFields(adapter.settings).map((field) => {
    const name = inputName(field.name)
    const options = {
      name,
      label: labelOf(field, adapter, locale),
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
