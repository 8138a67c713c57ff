import { Result } from "effect"
import { html, type Html } from "../../../frame/Html.ts"
import type { Locale } from "../../../frame/Locale.ts"
import { refusalOf } from "../../../frame/Refusals.ts"
import { badge } from "../../../parts/Badge.ts"
import { channelName, foreign } from "../../../parts/Text.ts"
import { blockageWords } from "../channels/AccountWords.ts"
import type { RouteOutlook, StepOutlook } from "./RouteOutlook.ts"

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
