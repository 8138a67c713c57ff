import { Array as Arr, Clock, Effect, Option, Result } from "effect"
import type { Blockage } from "../../domain/account/AccountState.ts"
import type { CustomerConfiguration, RoutingStep, StepOrder } from "../../domain/customer/Customer.ts"
import type { Template } from "../../domain/message/Template.ts"
import { chargeInOrder } from "../../domain/money/Charging.ts"
import { previewRoute, type StepPreview } from "../../domain/routing/RouteResolution.ts"
import { validitySeconds } from "../../domain/verification/Verification.ts"
import type { ConsolePages } from "./ConsolePages.ts"
import {
  afterButton,
  type Choices,
  draftOf,
  type EditedOrder,
  MEASURED,
  ROUTING_PATH,
  routingEditor,
  rowField,
  stepsOf,
  submittedDraft
} from "./RoutingEditor.ts"
import { historyRoutes, lastVersions } from "./RoutingHistory.ts"
import { blockageText } from "./account/AccountText.ts"
import { CONNECT_PATH } from "./account/ChannelsPage.ts"
import { creating, formAction } from "./forms/ActionForms.ts"
import { type FieldErrors, fieldErrorsOf, noFieldErrors } from "./forms/FormFields.ts"
import { isOwnDraft } from "./forms/Forms.ts"
import { pageResponse, seeOther } from "./frame/Responses.ts"
import { html, type Html } from "./frame/Html.ts"
import type { Page } from "./frame/Layout.ts"
import type { Locale } from "./frame/Locale.ts"
import { type ConsoleError, refusalOf } from "./frame/Refusals.ts"
import { change, page, type View } from "./frame/SignedRoutes.ts"
import { badge } from "./parts/Badge.ts"
import { emptyState } from "./parts/Lists.ts"
import { withNotice } from "./parts/Notice.ts"
import { channelName, isolated } from "./parts/Text.ts"
import { Customers } from "../../services/customer/Customers.ts"
import { TemplateRecords } from "../../services/message/Templates.ts"
import { outlooksOf } from "../../services/routing/RouteOutlooks.ts"
import { saveRouting } from "../../services/routing/RoutingActions.ts"
import { RoutingOrders } from "../../services/routing/RoutingOrders.ts"

/** The outcome that one step would have now. */
interface StepOutlook extends StepPreview {
  /** The price of a successful send, in rials. */
  readonly price: number
  readonly blockage: Blockage | null
}

interface RouteOutlook {
  readonly steps: ReadonlyArray<StepOutlook>
  /** Null: a send would be refused. */
  readonly whole: { readonly validSeconds: number; readonly mostRials: number } | null
}

const isInTurn = ({ step }: StepPreview) => step.on_request !== true
const isResolved = ({ resolved }: StepPreview) => Result.isSuccess(resolved)

const wholeOf = (steps: ReadonlyArray<StepOutlook>): RouteOutlook["whole"] => {
  const resolved = steps
    .filter(isInTurn)
    .flatMap(({ resolved }) => (Result.isSuccess(resolved) ? [resolved.success] : []))
  const planned = steps.filter(isInTurn)
  if (!planned.every(isResolved) || !Arr.isReadonlyArrayNonEmpty(resolved)) return null
  const priced = planned.map(({ price }) => ({ price }))
  return { validSeconds: validitySeconds(resolved), mostRials: chargeInOrder([], priced).held }
}

/** The outcome that a send along these steps would have now. Nothing is sent, held or counted. */
const outlookOf = Effect.fnUntraced(function* (
  customerId: number,
  steps: ReadonlyArray<RoutingStep>,
  templates: ReadonlyArray<Template>
) {
  const now = yield* Clock.currentTimeMillis
  const setUp = yield* Effect.orDie((yield* Customers).configuration(customerId))
  const configuration: CustomerConfiguration = { ...setUp, routingTemplates: templates }
  const outlooks: ReadonlyArray<StepOutlook> = yield* outlooksOf(
    configuration,
    previewRoute(steps, configuration),
    now
  )
  return { steps: outlooks, whole: wholeOf(outlooks) } satisfies RouteOutlook
})

const priceText = (price: number, { say, rials }: Locale): string =>
  price === 0 ? say("no charge", "رایگان") : say(`${rials(price)} if sent`, `${rials(price)} در صورت ارسال`)

const waitText = (seconds: number, isLast: boolean, locale: Locale): string =>
  isLast
    ? locale.say("last channel", "آخرین کانال")
    : locale.say(`then waits ${locale.seconds(seconds)}`, `بعد ${locale.seconds(seconds)} انتظار`)

const stepItem = (
  { step, resolved, price, blockage }: StepOutlook,
  isLast: boolean,
  isRefused: boolean,
  locale: Locale
): Html => {
  const { say } = locale
  const name = channelName(step.channel, locale)
  if (Result.isFailure(resolved)) {
    const { text, reasons } = refusalOf(resolved.failure, locale)
    return html`<li>
      <span class="dot bad"></span>
      <p class="what"><strong>${name}</strong>${badge("bad", say("Refused", "پذیرفته نمی‌شود"))}</p>
      <p class="more">${text} ${reasons.map((reason) => html`<bdi>${reason}</bdi> `)}</p>
    </li>`
  }
  const { descriptor, wait } = resolved.success
  return html`<li>
    <span class="dot ${isRefused ? "" : blockage === null ? "good" : "warn"}"></span>
    <p class="what">
      <strong>${name}</strong>
      ${
        blockage === null
          ? badge("good", say("Can send", "آمادهٔ ارسال"))
          : badge("warn", say("Skipped now", "فعلاً امتحان نمی‌شود"))
      }
      ${step.on_request === true && badge("info", say("Only on request", "فقط با درخواست"))}
    </p>
    <p class="more">
      ${say("Account:", "حساب:")} ${isolated(descriptor.label)} · ${priceText(price, locale)} ·
      ${waitText(wait, isLast, locale)}
    </p>
    ${blockage !== null && html`<p class="more">${blockageText(blockage, locale)}</p>`}
  </li>`
}

const summary = ({ steps, whole }: RouteOutlook, locale: Locale): Html => {
  const { say, rials, seconds } = locale
  if (steps.length === 0) {
    return html`<p class="muted">
      ${say(
        "No steps yet: requests that name no channels are refused.",
        "هنوز گامی نیست: درخواستی که کانال نداشته باشد پذیرفته نمی‌شود."
      )}
    </p>`
  }
  if (whole === null) {
    return html`<p class="notice bad">
      ${say("A send with this order would be refused now.", "ارسال با این ترتیب فعلاً پذیرفته نمی‌شود.")}
    </p>`
  }
  return html`<p class="muted">
    ${say(
      `The code is valid for ${seconds(whole.validSeconds)} and costs at most ${rials(whole.mostRials)}.`,
      `کد ${seconds(whole.validSeconds)} اعتبار دارد و حداکثر ${rials(whole.mostRials)} هزینه دارد.`
    )}
  </p>`
}

const outlookSteps = (outlook: RouteOutlook, locale: Locale): Html =>
  html`${summary(outlook, locale)}
    <ol class="timeline">
      ${outlook.steps.map((step, index) =>
        stepItem(step, index === outlook.steps.findLastIndex(isInTurn), outlook.whole === null, locale)
      )}
    </ol>`

const mistake = ({ say }: Locale): Html =>
  html`<p class="notice bad">
    ${say("A step has a value that is not valid. Correct it first.", "مقدار یکی از گام‌ها معتبر نیست. اول آن را درست کنید.")}
  </p>`

/** The present outcome of a send, step by step. Null: a step cannot be read. */
const outlookPanel = (outlook: RouteOutlook | null, locale: Locale): Html => {
  const { say } = locale
  return html`<section class="panel" id="outlook" aria-labelledby="outlook-title" aria-live="polite">
    <div class="panel-head">
      <h2 id="outlook-title">${say("Preview of a send now", "پیش‌نمایش ارسال در همین لحظه")}</h2>
    </div>
    <div class="panel-body stack-tight">
      ${outlook === null ? mistake(locale) : outlookSteps(outlook, locale)}
      <p class="hint">
        ${say(
          "This preview sends nothing and costs nothing. Once the code is entered, no later channel is tried.",
          "این پیش‌نمایش چیزی نمی‌فرستد و هزینه‌ای ندارد. وقتی کد وارد شود، کانال‌های بعدی امتحان نمی‌شوند."
        )}
      </p>
    </div>
  </section>`
}

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
  const outlook = Option.isNone(steps) ? null : yield* outlookOf(customerId, steps.value, choices.templates)
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
    return Effect.map(routingPage(view, { rows: next, order, version, errors: noFieldErrors }), (shown) =>
      pageResponse(view, shown)
    )
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
