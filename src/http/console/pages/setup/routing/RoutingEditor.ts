import type { StepOrder } from "../../../../../domain/customer/Customer.ts"
import { icon } from "../../../frame/Document.ts"
import { csrfField, draftField } from "../../../frame/forms/Forms.ts"
import { html, type Html } from "../../../frame/Html.ts"
import type { Locale } from "../../../frame/Locale.ts"
import type { View } from "../../../frame/SignedRoutes.ts"
import { pathOf } from "../../../Navigation.ts"
import { errorSummary } from "../../../parts/fields/ErrorSummary.ts"
import { type FieldErrors, noFieldErrors } from "../../../parts/fields/FieldErrors.ts"
import { selectField } from "../../../parts/fields/Fields.ts"
import { type DraftStep, MAX_STEPS, MEASURED } from "./RoutingDraft.ts"
import { stepRow, WAITS_HINT } from "./StepRow.ts"
import { type Choices, targetOptions } from "./StepTargets.ts"

export const ROUTING_PATH = pathOf("routing")

const orderField = (order: StepOrder, errors: FieldErrors, { say }: Locale): Html =>
  selectField({
    name: "order",
    label: say("Which channel is first", "کدام کانال نخست است"),
    choices: [
      ["saved", say("As the steps stand", "به ترتیب گام‌ها")],
      [MEASURED, say("The cheapest of the best, as measured", "ارزان‌ترینِ نزدیک به بهترین، طبق سنجش")]
    ],
    value: order,
    errors
  })

const waitsHint = ({ say }: Locale): Html =>
  html`<p class="hint" id="${WAITS_HINT}">
      ${say(
        "The wait before the next step: 45 to 120 seconds, or the word measured for the time in which most codes of that channel are verified. Empty: 60.",
        "انتظار تا گام بعد: ۴۵ تا ۱۲۰ ثانیه، یا واژهٔ measured برای زمانی که بیشتر کدهای آن کانال در آن تأیید می‌شوند. خالی: ۶۰."
      )}
    </p>
    <datalist id="waits"><option value="${MEASURED}"></option></datalist>`

const addedStep = (choices: Choices, locale: Locale): Html => {
  const { say } = locale
  return html`<div class="route-add">
    <label class="field">
      <span>${say("Another step", "گامی دیگر")}</span>
      <select name="added">
        ${targetOptions("", choices, locale)}
      </select>
    </label>
    <button class="button" name="do" value="add" formnovalidate>
      ${icon("plus")}${say("Add", "افزودن")}
    </button>
  </div>`
}

/** What a script copies for another step, so that adding one touches no other. */
const NEW_STEP: DraftStep = { target: "", wait: "", template: "" }

/** An order as the form has it. */
export interface EditedOrder {
  readonly rows: ReadonlyArray<DraftStep>
  readonly order: StepOrder
  readonly version: string
}

/** The form in which an order is made. Its buttons work without JavaScript: each shows the page with the new draft. */
export const routingEditor = (
  view: View,
  { rows, order, version }: EditedOrder,
  choices: Choices,
  errors: FieldErrors
): Html => {
  const { say } = view.locale
  return html`<form
    class="panel"
    method="post"
    action="${ROUTING_PATH}"
    id="routing-form"
    data-preview="outlook"
    data-kept="draft version order target wait template"
    autocomplete="off"
    data-reorder
  >
    <div class="panel-head">
      <h2>${say("The order", "ترتیب")}</h2>
      <p class="muted">
        ${say("Drag the steps, or move them by the arrows.", "گام‌ها را بکشید یا با پیکان‌ها جابه‌جا کنید.")}
      </p>
    </div>
    <div class="panel-body stack-tight">
      ${csrfField(view.csrf)} ${draftField(view)} <input type="hidden" name="version" value="${version}" />
      ${errorSummary(errors, view.locale)}
      <button class="hidden" name="do" value="preview" tabindex="-1" aria-hidden="true">
        ${say("Preview", "پیش‌نمایش")}
      </button>
      ${orderField(order, errors, view.locale)} ${waitsHint(view.locale)}
      <ol class="route-steps" data-steps>
        ${rows.map((step, row) => stepRow(step, row, rows.length, choices, errors, view))}
      </ol>
      <template data-new-step data-most="${MAX_STEPS}"
        >${stepRow(NEW_STEP, MAX_STEPS, MAX_STEPS, choices, noFieldErrors, view)}</template
      >
      ${addedStep(choices, view.locale)}
    </div>
    <div class="panel-body actions">
      <button class="button primary" name="do" value="save">${say("Save the order", "ذخیرهٔ ترتیب")}</button>
      <button class="button" name="do" value="preview">${say("Preview", "پیش‌نمایش")}</button>
      <a class="button quiet" href="${ROUTING_PATH}">${say("Undo changes", "بازگرداندن")}</a>
    </div>
  </form>`
}
