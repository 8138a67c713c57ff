import { Result } from "effect"
import { checkCodeTemplate } from "../../../../../domain/message/Template.ts"
import { DEFAULT_WAIT_SECONDS } from "../../../../../domain/routing/RouteResolution.ts"
import { icon } from "../../../frame/Document.ts"
import { html, type Html } from "../../../frame/Html.ts"
import type { Locale } from "../../../frame/Locale.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import type { FieldErrors } from "../../../parts/fields/FieldErrors.ts"
import { inputField, selectField } from "../../../parts/fields/Fields.ts"
import type { DraftStep } from "./RoutingDraft.ts"
import { type Choices, targetOptions } from "./StepTargets.ts"

const usable = ({ templates }: Choices) =>
  templates.filter((template) => Result.isSuccess(checkCodeTemplate(template)))

const moveButton = (verb: "up" | "down" | "remove", row: number, label: string, isOff: boolean): Html =>
  html`<button
    class="button quiet small"
    name="do"
    value="${verb}:${row}"
    formnovalidate
    data-move="${verb}"
    ${isOff && html`disabled`}
  >
    ${icon(verb)}<span class="hidden">${label}</span>
  </button>`

export const WAITS_HINT = "waits-hint"

/** The fields of one step. Those of all steps have the same names; errors blame them by their row. */
const stepFields = (
  { target, wait, template }: DraftStep,
  row: number,
  choices: Choices,
  errors: FieldErrors,
  locale: Locale
): Html => {
  const { say, number } = locale
  const inRow = (name: string) => ({
    name,
    key: `${name}.${row}`,
    place: say(`Step ${number(row + 1)}:`, `گام ${number(row + 1)}:`),
    errors
  })
  return html`<div class="route-fields">
    ${selectField({
      ...inRow("target"),
      label: say("Channel and account", "کانال و حساب"),
      choices: targetOptions(target, choices, locale)
    })}
    ${inputField({
      ...inRow("wait"),
      label: say("Wait (s)", "انتظار (ثانیه)"),
      value: wait,
      placeholder: String(DEFAULT_WAIT_SECONDS),
      suggestions: "waits",
      describedBy: WAITS_HINT,
      isLtr: true
    })}
    ${selectField({
      ...inRow("template"),
      label: say("Text of the code", "متن کد"),
      value: template,
      choices: [
        ["", say("Default", "پیش‌فرض")],
        ...usable(choices).map(({ id, name }) => [String(id), name] as const)
      ]
    })}
  </div>`
}

export const stepRow = (
  step: DraftStep,
  row: number,
  count: number,
  choices: Choices,
  errors: FieldErrors,
  { locale }: View
): Html => {
  const { say, number } = locale
  const place = number(row + 1)
  return html`<li class="route-step" data-step>
    <span class="grip" data-grip aria-hidden="true">${icon("grip")}</span>
    <span class="place" data-place>${place}</span>
    ${stepFields(step, row, choices, errors, locale)}
    <div class="row-actions">
      ${moveButton("up", row, say(`Move step ${place} up`, `گام ${place} بالاتر`), row === 0)}
      ${moveButton("down", row, say(`Move step ${place} down`, `گام ${place} پایین‌تر`), row === count - 1)}
      ${moveButton("remove", row, say(`Remove step ${place}`, `حذف گام ${place}`), false)}
    </div>
  </li>`
}
