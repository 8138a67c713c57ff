import { Result } from "effect"
import { MAX_TEXT_LENGTH } from "../../../domain/message/Message.ts"
import { checkCodeTemplate, placeholders, render, templateProblem } from "../../../domain/message/Template.ts"
import { type Channel, textChannels } from "../../../domain/routing/Channel.ts"
import { type SmsSize, smsSize } from "../../../domain/text/SmsParts.ts"
import { fieldMessage } from "../forms/FieldMessages.ts"
import { html, type Html } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import { badge } from "../parts/Badge.ts"
import { channelName, ltr } from "../parts/Text.ts"

/** The default samples for placeholders. */
const samples: Readonly<Record<string, string>> = {
  code: "123456",
  minutes: "5",
  name: "سارا",
  order: "1024",
  amount: "250,000",
  date: "1405/09/03"
}

export const sampleName = (placeholder: string): string => `sample.${placeholder}`

/** The text for a placeholder, else its sample; an unknown placeholder shows its own name. */
export const sampleOf = (placeholder: string, submitted: (name: string) => string | null): string =>
  submitted(sampleName(placeholder)) ?? samples[placeholder] ?? `[${placeholder}]`

const partText = ({ encoding, length, parts, left }: SmsSize, { say, number }: Locale): Html => {
  const alphabet = encoding === "gsm7" ? "GSM-7" : "UCS-2"
  return html`${say(
      `${number(parts)} SMS ${parts === 1 ? "part" : "parts"} · ${number(length)} characters, ${number(left)} left\u00a0·`,
      `${number(parts)} بخش پیامک · ${number(length)} نویسه، ${number(left)} مانده\u00a0·`
    )} <bdi dir="ltr" class="nowrap">${alphabet}</bdi>`
}

/** A text as its receiver sees it. */
export const textBubble = (
  channel: Channel,
  text: string,
  size: SmsSize | null,
  locale: Locale,
  problem: Html | null = null
): Html =>
  html`<li class="bubble-row">
    <p class="bubble-head">
      <strong>${channelName(channel, locale)}</strong>
      ${size !== null && html`<span class="muted">${partText(size, locale)}</span>`} ${problem}
    </p>
    <p class="bubble" dir="auto">${text === "" ? "…" : text}</p>
  </li>`

const uses = (body: string, locale: Locale): Html => {
  const { say } = locale
  const problem = templateProblem(body)
  if (problem !== null) return badge("bad", fieldMessage(problem, locale))
  const carriesCodes = Result.isSuccess(checkCodeTemplate({ id: 0, name: "", body, active: true }))
  return carriesCodes
    ? badge("good", say("For codes and messages", "برای کد و پیام"))
    : badge("info", say("For messages", "برای پیام"))
}

/** How a text looks on each channel, with samples in place of its placeholders. */
export const templatePreview = (
  body: string,
  submitted: (name: string) => string | null,
  locale: Locale
): Html => {
  const { say, number } = locale
  const names = placeholders(body)
  const text = render(body, new Map(names.map((name) => [name, sampleOf(name, submitted)])))
  const length = Array.from(text).length
  const isLong = length > MAX_TEXT_LENGTH
  return html`<section class="panel" id="template-preview" aria-labelledby="preview-title">
    <div class="panel-head">
      <h2 id="preview-title">${say("Preview", "پیش‌نمایش")}</h2>
      ${uses(body, locale)}
    </div>
    <div class="panel-body stack-tight">
      <p class="muted" aria-live="polite">
        ${say(`${number(length)} characters`, `${number(length)} نویسه`)}
        ${
          isLong &&
          badge(
            "bad",
            say(
              `More than ${number(MAX_TEXT_LENGTH)}: messages are refused`,
              `بیش از ${number(MAX_TEXT_LENGTH)}: پیام پذیرفته نمی‌شود`
            )
          )
        }
      </p>
      <ul class="bubbles">
        ${textChannels.map((channel) =>
          textBubble(channel, text, channel === "sms" ? smsSize(text) : null, locale)
        )}
      </ul>
      <p class="hint">
        ${say(
          "Codes by SMS use the template registered at the SMS provider. Write placeholders as",
          "کد پیامکی با قالبی ارسال می‌شود که در پنل سرویس‌دهندهٔ پیامک ثبت شده است. متغیر را این‌طور بنویسید:"
        )}
        ${ltr("{{name}}")}.
      </p>
    </div>
  </section>`
}
