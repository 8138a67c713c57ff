import { Effect } from "effect"
import { calendars, monthInWords, type Calendar } from "../../domain/Calendar.ts"
import type { Instant } from "../../domain/Instant.ts"
import { bareNumber } from "../../domain/text/PastedText.ts"
import { pathOf } from "./Navigation.ts"
import { creating, formAction } from "./forms/ActionForms.ts"
import { errorSummary, type FieldErrors, inputField, selectField } from "./forms/FormFields.ts"
import { csrfField } from "./forms/Forms.ts"
import { html, type Html } from "./frame/Html.ts"
import type { Page } from "./frame/Layout.ts"
import { type ConsoleError } from "./frame/Refusals.ts"
import { seeOther } from "./frame/Responses.ts"
import type { View } from "./frame/SignedRoutes.ts"
import { withNotice } from "./parts/Notice.ts"
import { calendarOf } from "./parts/Periods.ts"
import { mayPerform } from "../../services/Action.ts"
import { type BudgetState, budgetState, setBudget } from "../../services/Budgets.ts"

export const BUDGET_PATH = `${pathOf("wallet")}/budget` as const

/** The form as it was refused. */
export interface RefusedBudget {
  readonly submitted: URLSearchParams
  readonly errors: FieldErrors
}

const calendarName = (calendar: Calendar, { say }: View["locale"]): string =>
  calendar === "jalali" ? say("Iranian months", "ماه‌های شمسی") : say("Gregorian months", "ماه‌های میلادی")

const toneOf = ({ spent, amount }: BudgetState): string =>
  spent >= amount ? "bad" : spent * 100 >= amount * 80 ? "warn" : "good"

const stateLine = (state: BudgetState, { locale }: View): Html => {
  const { say, rials, percent } = locale
  const { spent, amount, month } = state
  return html`<div class="budget ${toneOf(state)}">
    <p>
      <strong>${rials(spent)}</strong> ${say("of", "از")} ${rials(amount)}
      <span class="muted"
        >· ${percent(Math.floor((spent / amount) * 1000) / 1000)} ·
        <bdi>${monthInWords(month, locale.language)}</bdi></span
      >
    </p>
    <progress
      max="${amount}"
      value="${Math.min(spent, amount)}"
      aria-label="${say("Spent of the budget", "هزینه از بودجه")}"
    >
      ${percent(spent / amount)}
    </progress>
  </div>`
}

const budgetForm = (view: View, state: BudgetState | null, refused: RefusedBudget | null): Html => {
  const { say } = view.locale
  const errors: FieldErrors = refused?.errors ?? new Map<string, string>()
  const value = (name: string, stored: string) => refused?.submitted.get(name) ?? stored
  return html`<details class="budget-form" ${refused !== null && html`open`}>
    <summary>
      ${state === null ? say("Set a budget", "تعیین بودجه") : say("Change the budget", "تغییر بودجه")}
    </summary>
    <form class="fields inline" method="post" action="${BUDGET_PATH}">
      ${csrfField(view.csrf)} ${errorSummary(errors, view.locale)}
      ${inputField({
        name: "amount",
        label: say("Rials in a month", "ریال در ماه"),
        hint: say("Empty: no budget.", "خالی: بدون بودجه."),
        value: value("amount", state === null ? "" : String(state.amount)),
        isLtr: true,
        errors
      })}
      ${selectField({
        name: "calendar",
        label: say("Month", "ماه"),
        value: value("calendar", state?.calendar ?? calendarOf(view.locale).calendar),
        choices: calendars.map((each) => [each, calendarName(each, view.locale)] as const),
        errors
      })}
      <div><button class="button primary">${say("Save", "ذخیره")}</button></div>
    </form>
  </details>`
}

/** The budget of the month: how much of it is spent, and its form for those who may change it. */
export const budgetPart = Effect.fnUntraced(function* (
  view: View,
  now: Instant,
  refused: RefusedBudget | null
) {
  const { say } = view.locale
  const state = yield* budgetState(view.actor.customerId, now)
  const isWriter = mayPerform(view.actor, setBudget.access)
  if (state === null && !isWriter) return null
  return html`<section class="panel" aria-labelledby="budget-title">
    <div class="panel-head">
      <h2 id="budget-title">${say("Monthly budget", "بودجهٔ ماهانه")}</h2>
      <span class="muted">${say("Nothing is refused because of it.", "به خاطر آن چیزی رد نمی‌شود.")}</span>
    </div>
    <div class="panel-body">
      ${state !== null && stateLine(state, view)} ${isWriter && budgetForm(view, state, refused)}
    </div>
  </section>`
})

/** Rials are typed with Persian digits and separators too. */
const rialsIn = (text: string): number | string | null => {
  const digits = bareNumber(text).replaceAll(/[,٬،\s]/g, "")
  if (digits === "") return null
  return /^\d{1,15}$/.test(digits) ? Number(digits) : text
}

/** @param again the page of the wallet, with the form as it was refused */
export const submitBudget = <R>(
  again: (view: View, refused: RefusedBudget) => Effect.Effect<Page, ConsoleError, R>
) =>
  formAction(setBudget, {
    target: creating,
    input: (fields) => ({ amount: rialsIn(fields.get("amount") ?? ""), calendar: fields.get("calendar") }),
    done: () => seeOther(withNotice(pathOf("wallet"), "saved")),
    again: (view, submitted, errors) => again(view, { submitted, errors })
  })
