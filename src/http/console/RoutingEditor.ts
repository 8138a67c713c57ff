import { Result } from "effect"
import { MAX_STEPS } from "../../domain/routing/Route.ts"
import type { Plan, SendingAccount, StepOrder } from "../../domain/customer/Customer.ts"
import { checkCodeTemplate, type Template } from "../../domain/message/Template.ts"
import { type Channel, codeChannels } from "../../domain/routing/Channel.ts"
import { DEFAULT_WAIT_SECONDS, WAIT_CHOICES } from "../../domain/routing/Waits.ts"
import { carries } from "../../domain/routing/AccountSelection.ts"
import { pathOf } from "./Navigation.ts"
import { errorSummary, type FieldErrors, inputField, noFieldErrors, selectField } from "./forms/FormFields.ts"
import { csrfField, draftField } from "./forms/Forms.ts"
import { icon } from "./frame/Document.ts"
import { html, type Html } from "./frame/Html.ts"
import type { Locale } from "./frame/Locale.ts"
import type { View } from "./frame/SignedRoutes.ts"
import { channelName } from "./parts/Text.ts"
import type { SavedRouting } from "../../services/routing/RoutingOrders.ts"
import { draftOf, type DraftStep, MEASURED, NEW_STEP, ON_REQUEST } from "./RoutingDraft.ts"

/** The choices for a step. */
export interface Choices {
  readonly plan: Plan
  readonly accounts: ReadonlyArray<SendingAccount>
  readonly sharedChannels: ReadonlySet<Channel>
  readonly templates: ReadonlyArray<Template>
}

const targets = (channel: Channel, chosen: string, choices: Choices, { say }: Locale) => [
  [`${channel}:`, say("default", "پیش‌فرض")] as const,
  ...choices.accounts
    .filter((account) => account.channel === channel && carries("code", account))
    .map(({ id, label, active }) => ({ value: `${channel}:${id}`, label, active }))
    .filter(({ value, active }) => active || value === chosen)
    .map(
      ({ value, label, active }) =>
        [value, active ? label : `${label} (${say("disabled", "غیرفعال")})`] as const
    ),
  ...(choices.plan === "start" && choices.sharedChannels.has(channel)
    ? [[`${channel}:shared`, say("shared sender", "فرستندهٔ مشترک")] as const]
    : [])
]

const openedByAccount: ReadonlyArray<Channel> = ["telegram", "voice"]

/** Codes go over telegram, or by a call, only where an account opens it. */
const offered = ({ accounts, plan, sharedChannels }: Choices): ReadonlyArray<Channel> => [
  ...codeChannels,
  ...openedByAccount.filter(
    (name) =>
      accounts.some(({ channel, sendsCodes }) => channel === name && sendsCodes) ||
      (name === "voice" && plan === "start" && sharedChannels.has(name))
  )
]

export const targetOptions = (chosen: string, choices: Choices, locale: Locale): Html => {
  const groups = offered(choices).map((channel) => ({
    name: channelName(channel, locale),
    options: targets(channel, chosen, choices, locale)
  }))
  const isKnown = groups.some(({ options }) => options.some(([value]) => value === chosen))
  return html`${
    !isKnown && chosen !== "" && html`<option value="${chosen}" selected>${chosen}</option>`
  }${groups.map(
    ({ name, options }) =>
      html`<optgroup label="${name}">
        ${options.map(
          ([value, label]) =>
            html`<option value="${value}" ${value === chosen && html`selected`}>${name} · ${label}</option>`
        )}
      </optgroup>`
  )}`
}

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

const WAITS_HINT = "waits-hint"

/** The fields of one step. Those of all steps have the same names; errors name them by their row. */
const stepFields = (
  { target, wait, template, on_request }: DraftStep,
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
    ${selectField({
      ...inRow("wait"),
      label: say("Wait (s)", "انتظار (ثانیه)"),
      value: wait,
      choices: waitChoices(wait, locale),
      describedBy: WAITS_HINT
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
    ${selectField({
      ...inRow("on_request"),
      label: say("When it is tried", "زمان امتحان"),
      value: on_request,
      choices: [
        ["", say("In its turn", "به نوبت")],
        [ON_REQUEST, say("Only on request", "فقط با درخواست")]
      ]
    })}
  </div>`
}

const stepRow = (
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
      ${moveButton("up", row, say(`Move step ${place} up`, `بردن گام ${place} به بالا`), row === 0)}
      ${moveButton("down", row, say(`Move step ${place} down`, `بردن گام ${place} به پایین`), row === count - 1)}
      ${moveButton("remove", row, say(`Remove step ${place}`, `حذف گام ${place}`), false)}
    </div>
  </li>`
}

export const ROUTING_PATH = pathOf("routing")

const orderField = (order: StepOrder, errors: FieldErrors, { say }: Locale): Html =>
  selectField({
    name: "order",
    label: say("First channel", "کانال اول"),
    choices: [
      ["saved", say("In the order of the steps", "به ترتیب گام‌ها")],
      [MEASURED, say("The cheapest of the best (measured)", "ارزان‌ترین از بین بهترین‌ها (بر اساس آمار)")]
    ],
    value: order,
    errors
  })

const waitsHint = ({ say }: Locale): Html =>
  html`<p class="hint" id="${WAITS_HINT}">
    ${say(
      "Wait before the next step. Measured: the time in which most codes of that channel are verified.",
      "زمان انتظار تا گام بعد. بر اساس آمار: زمانی که بیشتر کدهای آن کانال تا آن وقت تأیید می‌شوند."
    )}
  </p>`

/** A wait that was saved elsewhere, or cannot be read, stays one of the choices. */
const waitChoices = (wait: string, { say, number, seconds }: Locale) => {
  const standard = DEFAULT_WAIT_SECONDS
  const choices: ReadonlyArray<readonly [value: string, label: string]> = [
    ["", say(`Default (${number(standard)} s)`, `پیش‌فرض (${number(standard)})`)],
    [MEASURED, say("Measured", "بر اساس آمار")],
    ...WAIT_CHOICES.map((each) => [String(each), seconds(each)] as const)
  ]
  return choices.some(([value]) => value === wait) ? choices : [...choices, [wait, wait] as const]
}

const addedStep = (choices: Choices, locale: Locale): Html => {
  const { say } = locale
  return html`<div class="route-add">
    <label class="field">
      <span>${say("New step", "گام جدید")}</span>
      <select name="added">
        ${targetOptions("", choices, locale)}
      </select>
    </label>
    <button class="button" name="do" value="add" formnovalidate>
      ${icon("plus")}${say("Add", "افزودن")}
    </button>
  </div>`
}

/** Not in the page's address, and not saved. */
const previewedPhone = (phone: string, { say }: Locale): Html =>
  inputField({
    name: "phone",
    label: say("Preview for a phone", "پیش‌نمایش برای یک شماره"),
    type: "tel",
    value: phone,
    isLtr: true,
    hint: say(
      "Optional: the preview then has its limits and your guard's lists.",
      "اختیاری: سقف‌های آن و فهرست‌های نگهبان هم در پیش‌نمایش می‌آید."
    ),
    errors: noFieldErrors
  })

/** An order as the form has it. */
export interface EditedOrder {
  readonly rows: ReadonlyArray<DraftStep>
  readonly order: StepOrder
  readonly version: string
}

/** What a form of this order contains, for scripts to compare with. */
const fieldsOf = ({ rows, order }: Pick<EditedOrder, "rows" | "order">): string =>
  JSON.stringify([
    order,
    ...rows.flatMap(({ target, wait, template, on_request }) => [target, wait, template, on_request])
  ])

/** The form in which an order is made. Its buttons work without JavaScript: each shows the page with the new draft. */
export const routingEditor = (
  view: View,
  { rows, order, version, phone = "" }: EditedOrder & { readonly phone?: string },
  saved: SavedRouting,
  choices: Choices,
  errors: FieldErrors
): Html => {
  const { say } = view.locale
  const now = fieldsOf({ rows: draftOf(saved.steps), order: saved.order })
  const isUnsaved = fieldsOf({ rows, order }) !== now
  return html`<form
    class="panel"
    method="post"
    action="${ROUTING_PATH}"
    data-saved="${now}"
    id="routing-form"
    data-preview="outlook"
    data-kept="draft version order target wait template on_request"
    autocomplete="off"
    data-reorder
  >
    <div class="panel-head">
      <h2>
        ${say("Order", "ترتیب")}
        <span class="badge warn" data-unsaved ${!isUnsaved && html`hidden`}
          >${say("Not saved", "ذخیره نشده")}</span
        >
      </h2>
      <p class="muted">
        ${say("Drag the steps, or use the arrows.", "گام‌ها را بکشید یا با دکمه جابه‌جا کنید.")}
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
      ${addedStep(choices, view.locale)} ${previewedPhone(phone, view.locale)}
    </div>
    <div class="panel-body actions">
      <button class="button primary" name="do" value="save">${say("Save order", "ذخیرهٔ ترتیب")}</button>
      <button class="button" name="do" value="preview">${say("Preview", "پیش‌نمایش")}</button>
      <a class="button quiet" href="${ROUTING_PATH}" data-discard>${say("Discard changes", "لغو تغییرها")}</a>
    </div>
  </form>`
}
