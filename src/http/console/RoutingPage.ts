import { Effect, Option, Result } from "effect"
import { parsePhone } from "../../domain/Phone.ts"
import type { RoutingStep, StepOrder } from "../../domain/customer/Customer.ts"
import type { Template } from "../../domain/message/Template.ts"
import type { ConsolePages } from "./ConsolePages.ts"
import { afterButton, draftOf, MEASURED, rowField, stepsOf, submittedDraft } from "./RoutingDraft.ts"
import { type Choices, type EditedOrder, ROUTING_PATH, routingEditor } from "./RoutingEditor.ts"
import { historyRoutes, lastVersions } from "./RoutingHistory.ts"
import { type Outlook, outlookPanel } from "./RoutingOutlook.ts"
import { CONNECT_PATH } from "./account/ChannelsPage.ts"
import { creating, formAction } from "./forms/ActionForms.ts"
import { type FieldErrors, fieldErrorsOf, noFieldErrors } from "./forms/FormFields.ts"
import { isOwnDraft } from "./forms/Forms.ts"
import { pageResponse, seeOther } from "./frame/Responses.ts"
import { html, type Html } from "./frame/Html.ts"
import type { Page } from "./frame/Layout.ts"
import { type ConsoleError, refusalOf } from "./frame/Refusals.ts"
import { change, page, type View } from "./frame/SignedRoutes.ts"
import { emptyState } from "./parts/Lists.ts"
import { withNotice } from "./parts/Notice.ts"
import { Customers } from "../../services/customer/Customers.ts"
import { TemplateRecords } from "../../services/message/Templates.ts"
import { saveRouting } from "../../services/routing/RoutingActions.ts"
import { RoutingOrders } from "../../services/routing/RoutingOrders.ts"
import { CodePreviews } from "../../services/verification/CodePreviews.ts"

const MAX_TEMPLATES = 100

/** The choices for a step. */
export const choicesOf = Effect.fnUntraced(function* (customerId: number) {
  const { plan, accounts, sharedAccounts } = yield* Effect.orDie((yield* Customers).configuration(customerId))
  const page = { limit: MAX_TEMPLATES, after: null }
  const { items: templates } = yield* (yield* TemplateRecords).list(customerId, page)
  const sharedChannels = new Set(sharedAccounts.flatMap(({ active, channel }) => (active ? [channel] : [])))
  return { plan, accounts, sharedChannels, templates } satisfies Choices
})

interface Draft extends EditedOrder {
  /** Whose limits the preview shows; empty: nobody's. */
  readonly phone?: string
  readonly errors: FieldErrors
  /** Another page has put its account behind the saved steps. */
  readonly isStepAdded?: boolean
}

const noAccounts = ({ actor, locale: { say } }: View): Html =>
  html`<div class="panel">
    ${emptyState(
      say("Connect an account first", "اول یک حساب وصل کنید"),
      say(
        "The order sets which of your accounts sends first.",
        "ترتیب ارسال تعیین می‌کند کدام حساب شما اول بفرستد."
      ),
      actor.scope === "full" ? { href: CONNECT_PATH, label: say("Connect account", "اتصال حساب") } : null
    )}
  </div>`

/** Shows what a send along these steps would do now. It sends, reserves and counts nothing. */
const outlookOf = Effect.fnUntraced(function* (
  { actor: { customerId } }: View,
  steps: ReadonlyArray<RoutingStep>,
  { order, phone: submitted = "" }: Draft,
  templates: ReadonlyArray<Template>
) {
  const parsed = submitted.trim() === "" ? null : parsePhone(submitted)
  if (parsed !== null && Result.isFailure(parsed)) return parsed.failure
  const phone = parsed === null ? null : parsed.success
  const previews = yield* CodePreviews
  const preview = yield* previews.previewOrder({ customerId, steps, order, templates, phone })
  return { preview, phone, isEmpty: steps.length === 0 } satisfies Outlook
})

const addedNotice = ({ locale: { say } }: View): Html =>
  html`<p class="notice" role="status">
    ${say(
      "The account is the last step, not saved yet. Set the waits, then save.",
      "حساب در آخرین گام آمده، ولی هنوز ذخیره نشده است. انتظارها را تعیین و ذخیره کنید."
    )}
  </p>`

const routingPage = Effect.fnUntraced(function* (view: View, draft: Draft) {
  const { rows, errors } = draft
  const { say } = view.locale
  const { customerId } = view.actor
  const choices = yield* choicesOf(customerId)
  const steps = yield* Effect.option(stepsOf(rows))
  const outlook = Option.isNone(steps) ? null : yield* outlookOf(view, steps.value, draft, choices.templates)
  const saved = yield* (yield* RoutingOrders).find(customerId)
  const editor =
    view.actor.scope === "full"
      ? html`<div class="stack">${routingEditor(view, draft, saved, choices, errors)}</div>`
      : null
  return {
    title: say("Routing", "ترتیب ارسال"),
    name: "routing",
    lead: say(
      "The channels that are tried, in order, if a request names none.",
      "اگر درخواست کانالی نداشته باشد، این کانال‌ها به ترتیب امتحان می‌شوند."
    ),
    content:
      choices.accounts.length === 0 && rows.length === 0
        ? noAccounts(view)
        : html`${draft.isStepAdded === true && addedNotice(view)}
            <div class="${editor === null ? "" : "columns even"}">
              ${editor}${outlookPanel(outlook, view.locale)}
            </div>
            ${yield* lastVersions(view)}`
  } satisfies Page
})

const submittedOrder = (submitted: URLSearchParams): EditedOrder => ({
  rows: submittedDraft(submitted),
  order: submitted.get("order") === MEASURED ? MEASURED : "saved",
  version: submitted.get("version") ?? ""
})

/** The saved order; or the draft that this page has put into its address, which nobody has saved yet. */
const showRouting = Effect.fnUntraced(function* (view: View) {
  const { query } = view
  if (query.has("version") && isOwnDraft(view))
    return yield* routingPage(view, { ...submittedOrder(query), errors: noFieldErrors })
  const { steps, order, version } = yield* (yield* RoutingOrders).find(view.actor.customerId)
  const added = isOwnDraft(view) ? (query.get("add") ?? "") : ""
  return yield* routingPage(view, {
    rows: afterButton(draftOf(steps), "add", added),
    order,
    version: String(version),
    errors: noFieldErrors,
    isStepAdded: added !== ""
  })
})

const saveSteps = (steps: ReadonlyArray<RoutingStep>, order: StepOrder) =>
  formAction(saveRouting, {
    target: creating,
    input: () => ({ steps, order }),
    done: () => seeOther(withNotice(ROUTING_PATH, "saved"))
  })

/** `steps[2].wait` is the field of the third row. */
const inRows = (errors: FieldErrors): FieldErrors =>
  new Map(
    [...errors].map(([name, message]) => {
      const [, row, field] = /^steps\[(\d+)\]\.(\w+)$/.exec(name) ?? []
      return [field === undefined ? name : rowField(field, Number(row)), message]
    })
  )

const errorsOf = (error: ConsoleError, view: View): FieldErrors => {
  const errors = fieldErrorsOf(error, view.locale)
  return errors.size > 0 ? inRows(errors) : new Map([["steps", refusalOf(error, view.locale).text]])
}

/** Saves the order of the form; every other button shows the page with the order that it makes. */
const submitRouting = (view: View, submitted: URLSearchParams) => {
  const button = submitted.get("do") ?? "preview"
  const { rows, order, version } = submittedOrder(submitted)
  if (button !== "save") {
    const next = afterButton(rows, button, submitted.get("added") ?? "")
    const phone = submitted.get("phone") ?? ""
    const draft = { rows: next, order, version, phone, errors: noFieldErrors }
    return Effect.map(routingPage(view, draft), (shown) => pageResponse(view, shown))
  }
  return stepsOf(rows).pipe(
    Effect.flatMap((steps) => saveSteps(steps, order)(view, submitted)),
    Effect.catch((error: ConsoleError) => {
      const { status, headers } = refusalOf(error, view.locale)
      return Effect.map(routingPage(view, { rows, order, version, errors: errorsOf(error, view) }), (shown) =>
        pageResponse(view, shown, { status, headers })
      )
    })
  )
}

/** The customer's default order of channels. */
export const routingPages = {
  name: "routing",
  routes: [page(ROUTING_PATH, showRouting), change(ROUTING_PATH, submitRouting), ...historyRoutes]
} as const satisfies ConsolePages
