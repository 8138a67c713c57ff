import { Array as Arr, Clock, Effect, Result } from "effect"
import { type AccountState, type Blockage, blockageOf } from "../../../domain/account/AccountState.ts"
import type { CustomerConfiguration, RoutingStep } from "../../../domain/customer/Customer.ts"
import type { Template } from "../../../domain/message/Template.ts"
import { chargeInOrder, withPrices } from "../../../domain/money/Charging.ts"
import { previewRoute, type RouteStep, type StepPreview } from "../../../domain/routing/Route.ts"
import { validitySeconds } from "../../../domain/verification/Verification.ts"
import { blockageWords } from "../account/AccountWords.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import { refusalOf } from "../frame/Refusals.ts"
import { badge } from "../parts/Badge.ts"
import { channelName, foreign } from "../parts/Text.ts"
import { AccountStates } from "../../../services/account/Accounts.ts"
import { Customers } from "../../../services/customer/Customers.ts"
import { Billing } from "../../../services/customer/Limits.ts"

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

const isResolved = ({ resolved }: StepPreview) => Result.isSuccess(resolved)

const wholeOf = (steps: ReadonlyArray<StepOutlook>): RouteOutlook["whole"] => {
  const resolved = steps.flatMap(({ resolved }) => (Result.isSuccess(resolved) ? [resolved.success] : []))
  if (!steps.every(isResolved) || !Arr.isReadonlyArrayNonEmpty(resolved)) return null
  const priced = steps.map(({ price }) => ({ price }))
  return { validSeconds: validitySeconds(resolved), mostRials: chargeInOrder([], priced).held }
}

/** The outcome that a send along these steps would have now. Nothing is sent, held or counted. */
export const outlookOf = Effect.fnUntraced(function* (
  customerId: number,
  steps: ReadonlyArray<RoutingStep>,
  templates: ReadonlyArray<Template>
) {
  const now = yield* Clock.currentTimeMillis
  const setUp = yield* Effect.orDie((yield* Customers).configuration(customerId))
  const configuration: CustomerConfiguration = { ...setUp, routingTemplates: templates }
  const { prices } = (yield* Billing).terms(configuration)
  const previews = previewRoute(steps, configuration)
  const ids = previews.flatMap(({ resolved }) =>
    Result.isSuccess(resolved) && resolved.success.account_id !== null ? [resolved.success.account_id] : []
  )
  const states = yield* (yield* AccountStates).read(customerId, ids, now)
  const stateOf = ({ account_id }: RouteStep): AccountState | undefined =>
    account_id === null ? undefined : states.get(account_id)
  const outlooks = previews.map((preview): StepOutlook => {
    if (Result.isFailure(preview.resolved)) return { ...preview, price: 0, blockage: null }
    const state = stateOf(preview.resolved.success)
    const [{ price = 0 }] = withPrices([preview.resolved.success], prices)
    return { ...preview, price, blockage: state === undefined ? null : blockageOf(state, "code", now) }
  })
  return { steps: outlooks, whole: wholeOf(outlooks) } satisfies RouteOutlook
})

const priceWords = (price: number, { say, rials }: Locale): string =>
  price === 0
    ? say("no charge", "بی‌هزینه")
    : say(`${rials(price)} if it is sent`, `${rials(price)} اگر فرستاده شود`)

const waitWords = (seconds: number, isLast: boolean, locale: Locale): string =>
  isLast
    ? locale.say("the last channel", "آخرین کانال")
    : locale.say(
        `then ${locale.seconds(seconds)} until the next`,
        `سپس ${locale.seconds(seconds)} تا کانال بعد`
      )

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
          ? badge("good", say("Can send", "می‌تواند بفرستد"))
          : badge("warn", say("Skipped now", "اکنون از آن می‌گذرد"))
      }
    </p>
    <p class="more">
      ${say("Over", "با")} ${foreign(descriptor.label)} · ${priceWords(price, locale)} ·
      ${waitWords(wait, isLast, locale)}
    </p>
    ${blockage !== null && html`<p class="more">${blockageWords(blockage, locale)}</p>`}
  </li>`
}

const summary = ({ steps, whole }: RouteOutlook, locale: Locale): Html => {
  const { say, rials, seconds } = locale
  if (steps.length === 0) {
    return html`<p class="muted">
      ${say(
        "No step yet: a send that names no channels is refused.",
        "هنوز گامی نیست: ارسالی که کانال نبرد پذیرفته نمی‌شود."
      )}
    </p>`
  }
  if (whole === null) {
    return html`<p class="notice bad">
      ${say("A send along this order is refused now.", "ارسال با این ترتیب اکنون پذیرفته نمی‌شود.")}
    </p>`
  }
  return html`<p class="muted">
    ${say(
      `The code is valid for ${seconds(whole.validSeconds)}. It costs at most ${rials(whole.mostRials)}.`,
      `کد ${seconds(whole.validSeconds)} اعتبار دارد. حداکثر هزینه ${rials(whole.mostRials)} است.`
    )}
  </p>`
}

const outlookSteps = (outlook: RouteOutlook, locale: Locale): Html =>
  html`${summary(outlook, locale)}
    <ol class="timeline">
      ${outlook.steps.map((step, index) =>
        stepItem(step, index === outlook.steps.length - 1, outlook.whole === null, locale)
      )}
    </ol>`

const mistake = ({ say }: Locale): Html =>
  html`<p class="notice bad">
    ${say("A step has a value that is not valid. Correct it first.", "مقدار یکی از گام‌ها درست نیست. نخست آن را درست کنید.")}
  </p>`

/** The present outcome of a send, step by step. Null: a step cannot be read. */
export const outlookPanel = (outlook: RouteOutlook | null, locale: Locale): Html => {
  const { say } = locale
  return html`<section class="panel" id="outlook" aria-labelledby="outlook-title" aria-live="polite">
    <div class="panel-head">
      <h2 id="outlook-title">${say("What a send would do now", "ارسال اکنون چه می‌کند")}</h2>
    </div>
    <div class="panel-body stack-tight">
      ${outlook === null ? mistake(locale) : outlookSteps(outlook, locale)}
      <p class="hint">
        ${say(
          "This preview sends, holds and counts nothing. Once the code is entered, no later channel is tried.",
          "این پیش‌نمایش چیزی نمی‌فرستد، نگه نمی‌دارد و نمی‌شمارد. همین که کد وارد شود، کانال بعدی امتحان نمی‌شود."
        )}
      </p>
    </div>
  </section>`
}
