import type { InvalidPhone } from "../../domain/Errors.ts"
import type { Phone } from "../../domain/Phone.ts"
import { smsSize } from "../../domain/text/SmsParts.ts"
import { blockageText } from "./account/AccountText.ts"
import { html, type Html } from "./frame/Html.ts"
import type { Locale } from "./frame/Locale.ts"
import { refusalOf } from "./frame/Refusals.ts"
import { textBubble } from "./message/TemplatePreview.ts"
import { badge } from "./parts/Badge.ts"
import { type Fact, facts } from "./parts/Panels.ts"
import { channelName, isolated, phoneText } from "./parts/Text.ts"
import type { CodePreview, PreviewedStep } from "../../services/verification/CodePreviews.ts"

/** The preview of an order, for a phone or for anybody. */
export interface Outlook {
  readonly preview: CodePreview
  readonly phone: Phone | null
  /** The order has no steps yet. */
  readonly isEmpty: boolean
}

const priceText = (price: number, { say, rials }: Locale): string =>
  price === 0 ? say("no charge", "رایگان") : say(`${rials(price)} if sent`, `${rials(price)} در صورت ارسال`)

const waitText = (
  { wait, isStandby, isOnRequest }: PreviewedStep,
  isLast: boolean,
  locale: Locale
): string => {
  const { say, seconds } = locale
  if (isStandby) return say("takes over for the account above", "جایگزین حساب بالا")
  if (isOnRequest) return say("if it is asked for", "اگر درخواست شود")
  return isLast
    ? say("last channel", "آخرین کانال")
    : say(`then waits ${seconds(wait)}`, `بعد ${seconds(wait)} انتظار`)
}

const stateBadgeOf = ({ state }: PreviewedStep, { say }: Locale): Html => {
  switch (state) {
    case "ready":
      return badge("good", say("Can send", "آمادهٔ ارسال"))
    case "gap":
      return badge("warn", say("Waits its turn", "در نوبت"))
    default:
      return badge("warn", say("Skipped now", "فعلاً امتحان نمی‌شود"))
  }
}

/** Why the account cannot send at once. */
const stateText = ({ blockage, freeAt, state }: PreviewedStep, locale: Locale): Html | null => {
  if (blockage !== null) return blockageText(blockage, locale)
  const { say, clock } = locale
  return state === "gap" && freeAt !== null
    ? html`${say("Free again at", "نوبت بعدی:")} ${clock(freeAt)}.
      ${say("A channel that can send now goes first.", "کانالی که الان می‌تواند بفرستد جلو می‌افتد.")}`
    : null
}

const stepItem = (step: PreviewedStep, isLast: boolean, isRefused: boolean, locale: Locale): Html => {
  const { say } = locale
  const name = channelName(step.name, locale)
  const onRequest = step.isOnRequest && badge("info", say("Only on request", "فقط با درخواست"))
  if (step.refusal !== null) {
    const { text, reasons } = refusalOf(step.refusal, locale)
    return html`<li>
      <span class="dot bad"></span>
      <p class="what">
        <strong>${name}</strong>${badge("bad", say("Refused", "پذیرفته نمی‌شود"))} ${onRequest}
      </p>
      <p class="more">${text} ${reasons.map((reason) => html`<bdi>${reason}</bdi> `)}</p>
    </li>`
  }
  const why = stateText(step, locale)
  return html`<li>
    <span class="dot ${isRefused ? "" : step.state === "ready" ? "good" : "warn"}"></span>
    <p class="what"><strong>${name}</strong>${stateBadgeOf(step, locale)} ${onRequest}</p>
    <p class="more">
      ${say("Account:", "حساب:")} ${isolated(step.channel.label)} · ${priceText(step.price, locale)} ·
      ${waitText(step, isLast, locale)}
    </p>
    ${why !== null && html`<p class="more">${why}</p>`}
  </li>`
}

const refusedNotice = (refused: Html | string, { say }: Locale): Html =>
  html`<p class="notice bad">
    ${say("A send with this order would be refused now.", "ارسال با این ترتیب فعلاً پذیرفته نمی‌شود.")}
    ${refused}
  </p>`

const summary = ({ preview: { whole, wouldRefuse }, isEmpty }: Outlook, locale: Locale): Html => {
  const { say, rials, duration } = locale
  if (isEmpty) {
    return html`<p class="muted">
      ${say(
        "No steps yet: requests that name no channels are refused.",
        "هنوز گامی نیست: درخواستی که کانال نداشته باشد پذیرفته نمی‌شود."
      )}
    </p>`
  }
  const refused =
    wouldRefuse === null ? null : refusedNotice(refusalOf({ _tag: wouldRefuse }, locale).text, locale)
  return html`${refused}${
    whole !== null &&
    html`<p class="muted">
      ${say(
        `The code is valid for ${duration(whole.validSeconds)} and costs at most ${rials(whole.mostRials)}.`,
        `کد ${duration(whole.validSeconds)} اعتبار دارد و حداکثر ${rials(whole.mostRials)} هزینه دارد.`
      )}
    </p>`
  }`
}

const tooLongForApp = ({ say }: Locale): Html =>
  html`<span class="muted"
    >${say(
      "Too long for your Android app: over 140 bytes.",
      "برای برنامهٔ اندروید شما طولانی است: بیش از ۱۴۰ بایت."
    )}</span
  >`

/** The texts as their receivers see them, with a sample code. */
const textsPart = ({ texts }: CodePreview, locale: Locale): Html => {
  const { say } = locale
  return html`<h3>${say("Texts", "متن‌ها")}</h3>
    <ul class="bubbles">
      ${texts.map(({ channel, text, problem }) =>
        textBubble(
          channel,
          text ?? say("The provider's own text.", "متنی که نزد سرویس‌دهنده ثبت شده است."),
          text !== null && channel === "sms" ? smsSize(text) : null,
          locale,
          problem === null ? null : tooLongForApp(locale)
        )
      )}
    </ul>`
}

type UsedLimit = CodePreview["limits"]["phoneHour"]

const limitText = ({ limit, used, resetsAt }: UsedLimit, isUsed: boolean, locale: Locale): Html => {
  const { say, number, time } = locale
  if (limit === 0) return html`${say("No limit", "بدون سقف")}`
  if (!isUsed) return html`${say(`At most ${number(limit)}`, `حداکثر ${number(limit)}`)}`
  return html`${say(`${number(used)} of ${number(limit)}`, `${number(used)} از ${number(limit)}`)}
  ${used >= limit && badge("warn", say("Limit reached", "به سقف رسیده"))}
  ${used > 0 && resetsAt !== null && html`<span class="sub">${say("until", "تا")} ${time(resetsAt)}</span>`}`
}

const limitsPart = ({ preview: { limits }, phone }: Outlook, locale: Locale): Html => {
  const { say, rials } = locale
  const { phoneHour, phoneDay, quota, wallet } = limits
  const all: ReadonlyArray<Fact | null> = [
    phone === null ? null : [say("Phone", "شماره"), phoneText(phone, locale)],
    [say("Codes per hour", "کدها در ساعت"), limitText(phoneHour, phone !== null, locale)],
    [say("Codes per day", "کدها در روز"), limitText(phoneDay, phone !== null, locale)],
    quota === null
      ? null
      : [say("Requests this month", "درخواست‌های این ماه"), limitText(quota, true, locale)],
    wallet === null ? null : [say("Available balance", "موجودی آزاد"), rials(wallet.balance - wallet.held)]
  ]
  return html`<h3>${say("Limits", "سقف‌ها")}</h3>
    ${facts(all)}`
}

const steps = (outlook: Outlook, locale: Locale): Html => {
  const { route, texts, wouldRefuse } = outlook.preview
  const last = route.findLastIndex(({ isOnRequest, isStandby }) => !isOnRequest && !isStandby)
  return html`${summary(outlook, locale)}
    <ol class="timeline">
      ${route.map((step, index) => stepItem(step, index === last, wouldRefuse !== null, locale))}
    </ol>
    ${texts.length > 0 && textsPart(outlook.preview, locale)} ${limitsPart(outlook, locale)}`
}

const mistake = ({ say }: Locale): Html =>
  html`<p class="notice bad">
    ${say("A step has a value that is not valid. Correct it first.", "مقدار یکی از گام‌ها معتبر نیست. اول آن را درست کنید.")}
  </p>`

const contentOf = (outlook: Outlook | InvalidPhone | null, locale: Locale): Html => {
  if (outlook === null) return mistake(locale)
  return "_tag" in outlook
    ? html`<p class="notice bad">${refusalOf(outlook, locale).text}</p>`
    : steps(outlook, locale)
}

/** What a send would do now, as the API's preview says it. Null: a step cannot be read. */
export const outlookPanel = (outlook: Outlook | InvalidPhone | null, locale: Locale): Html => {
  const { say } = locale
  return html`<section class="panel" id="outlook" aria-labelledby="outlook-title" aria-live="polite">
    <div class="panel-head">
      <h2 id="outlook-title">${say("Preview of a send now", "پیش‌نمایش ارسال در همین لحظه")}</h2>
    </div>
    <div class="panel-body stack-tight">
      ${contentOf(outlook, locale)}
      <p class="hint">
        ${say(
          "This preview sends nothing and costs nothing. Once the code is entered, no later channel is tried.",
          "این پیش‌نمایش چیزی نمی‌فرستد و هزینه‌ای ندارد. وقتی کد وارد شود، کانال‌های بعدی امتحان نمی‌شوند."
        )}
      </p>
    </div>
  </section>`
}
