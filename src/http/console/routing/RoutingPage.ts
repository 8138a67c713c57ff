import { Effect, Option } from "effect"
import type { RoutingStep, StepOrder } from "../../../domain/customer/Customer.ts"
import type { ConsolePages } from "../ConsolePages.ts"
import { CONNECT_PATH } from "../account/ChannelsPage.ts"
import { creating, formAction } from "../forms/ActionForms.ts"
import { type FieldErrors, fieldErrorsOf, noFieldErrors } from "../forms/FieldErrors.ts"
import { isOwnDraft } from "../forms/Forms.ts"
import { answerPage, seeOther } from "../frame/Answers.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Page } from "../frame/Layout.ts"
import { type ConsoleError, refusalOf } from "../frame/Refusals.ts"
import { change, page, type View } from "../frame/SignedRoutes.ts"
import { emptyState } from "../parts/Lists.ts"
import { withNotice } from "../parts/Notice.ts"
import { outlookOf, outlookPanel } from "./OutlookPart.ts"
import { afterButton, draftOf, MEASURED, rowField, stepsOf, typedDraft } from "./RoutingDraft.ts"
import { type Choices, type EditedOrder, ROUTING_PATH, routingEditor } from "./RoutingEditor.ts"
import { Customers } from "../../../services/customer/Customers.ts"
import { TemplateRecords } from "../../../services/message/Templates.ts"
import { saveRouting } from "../../../services/routing/RoutingActions.ts"
import { RoutingOrders } from "../../../services/routing/RoutingOrders.ts"

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
  readonly errors: FieldErrors
}

const noAccounts = ({ actor, locale: { say } }: View): Html =>
  html`<div class="panel">
    ${emptyState(
      say("Connect an account first", "نخست حسابی وصل کنید"),
      say("The order says which of your accounts sends first.", "ترتیب می‌گوید کدام حساب شما نخست بفرستد."),
      actor.scope === "full" ? { href: CONNECT_PATH, label: say("Connect an account", "اتصال حساب") } : null
    )}
  </div>`

const routingPage = Effect.fnUntraced(function* (view: View, draft: Draft) {
  const { rows, errors } = draft
  const { say } = view.locale
  const { customerId } = view.actor
  const choices = yield* choicesOf(customerId)
  const steps = yield* Effect.option(stepsOf(rows))
  const outlook = Option.isNone(steps) ? null : yield* outlookOf(customerId, steps.value, choices.templates)
  const editor =
    view.actor.scope === "full"
      ? html`<div class="stack">${routingEditor(view, draft, choices, errors)}</div>`
      : null
  const made: Page = {
    title: say("Routing", "مسیر ارسال"),
    name: "routing",
    lead: say(
      "The channels that a code tries, in order, when the request names none.",
      "کانال‌هایی که یک کد به ترتیب امتحان می‌کند، اگر درخواست کانالی نبرد."
    ),
    content:
      choices.accounts.length === 0 && rows.length === 0
        ? noAccounts(view)
        : html`<div class="${editor === null ? "" : "columns even"}">
            ${editor}${outlookPanel(outlook, view.locale)}
          </div>`
  }
  return made
})

const typedOrder = (typed: URLSearchParams): EditedOrder => ({
  rows: typedDraft(typed),
  order: typed.get("order") === MEASURED ? MEASURED : "saved",
  version: typed.get("version") ?? ""
})

/** The saved order; or the draft that this page has put into its address, which nobody has saved yet. */
const showRouting = Effect.fnUntraced(function* (view: View) {
  const { query } = view
  if (query.has("version") && isOwnDraft(view))
    return yield* routingPage(view, { ...typedOrder(query), errors: noFieldErrors })
  const { steps, order, version } = yield* (yield* RoutingOrders).find(view.actor.customerId)
  return yield* routingPage(view, {
    rows: draftOf(steps),
    order,
    version: String(version),
    errors: noFieldErrors
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
const submitRouting = (view: View, typed: URLSearchParams) => {
  const button = typed.get("do") ?? "preview"
  const { rows, order, version } = typedOrder(typed)
  if (button !== "save") {
    const next = afterButton(rows, button, typed.get("added") ?? "")
    return Effect.map(routingPage(view, { rows: next, order, version, errors: noFieldErrors }), (shown) =>
      answerPage(view, shown)
    )
  }
  return stepsOf(rows).pipe(
    Effect.flatMap((steps) => saveSteps(steps, order)(view, typed)),
    Effect.catch((error: ConsoleError) => {
      const { status, headers } = refusalOf(error, view.locale)
      return Effect.map(routingPage(view, { rows, order, version, errors: errorsOf(error, view) }), (shown) =>
        answerPage(view, shown, { status, headers })
      )
    })
  )
}

/** The customer's default order of channels. */
export const routingPages = {
  name: "routing",
  routes: [page(ROUTING_PATH, showRouting), change(ROUTING_PATH, submitRouting)]
} as const satisfies ConsolePages
