import type { Instant } from "../../../domain/Instant.ts"
import type { Delivery } from "../../../domain/ProviderOutcome.ts"
import type { RouteAccount } from "../../../domain/routing/Route.ts"
import { html, type Html, type Part } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import type { Tone } from "../parts/Badge.ts"
import { channelName, isolated, mono } from "../parts/Text.ts"

/** One event of a send, past or future. */
export interface Moment {
  /** Null: the time is not known. */
  readonly at: Instant | null
  readonly tone: Tone
  readonly what: Part
  /** Details, a line each. */
  readonly more?: ReadonlyArray<Part>
  /** The provider's own words. */
  readonly words?: string | null
  readonly isToCome?: boolean
}

/** The element has no spaces around the words, because the page would show them. */
const saidPart = (words: string, { say }: Locale): Html => {
  const before = html`<span class="hidden">${say("The provider said:", "پاسخ سرویس‌دهنده:")} </span>`
  return html`<p class="words">${before}${words}</p>`
}

const entry = ({ at, tone, what, more = [], words, isToCome }: Moment, locale: Locale): Html =>
  html`<li class="${isToCome === true && "to-come"}">
    <span class="dot ${tone}"></span>
    <p class="what"><strong>${what}</strong>${at !== null && locale.clock(at)}</p>
    ${more.map((line) => line !== null && line !== false && html`<p class="more">${line}</p>`)}
    ${words != null && words !== "" && saidPart(words, locale)}
  </li>`

/** Moments by their time. One without a time comes after all before it in the list; future ones are last. */
const inOrder = (moments: ReadonlyArray<Moment>): ReadonlyArray<Moment> => {
  let known = 0
  return moments
    .map((moment, index) => {
      known = Math.max(known, moment.at ?? known)
      return { moment, index, at: moment.isToCome === true ? Number.MAX_SAFE_INTEGER : (moment.at ?? known) }
    })
    .toSorted((one, other) => one.at - other.at || one.index - other.index)
    .map(({ moment }) => moment)
}

/** A list of the moments, oldest first. */
export const timeline = (moments: ReadonlyArray<Moment>, locale: Locale): Html =>
  html`<ol class="timeline">
    ${inOrder(moments).map((moment) => entry(moment, locale))}
  </ol>`

interface ShownStep extends Pick<RouteAccount, "channel" | "descriptor"> {
  readonly standby?: true
}

/** “Bale → Eitaa → SMS (standby SMS.ir)”, in the direction of the language. */
export const routeText = (route: ReadonlyArray<ShownStep>, locale: Locale): Html => {
  const { say } = locale
  return html`${route.map(({ channel, descriptor, standby }, index) => {
    if (standby !== true) return html`${index > 0 && say(" → ", " ← ")}${channelName(channel, locale)}`
    const isFirst = route[index - 1]?.standby !== true
    const isLast = route[index + 1]?.standby !== true
    const before = isFirst ? ` (${say("standby", "جایگزین:")} ` : say(", ", "، ")
    return html`${before}${isolated(descriptor.label)}${isLast && ")"}`
  })}`
}

/** The later delivery report on a message that the provider accepted. */
export const deliveryMoment = (
  { status, at, provider_error }: Delivery,
  name: string,
  locale: Locale
): Moment => {
  const { say } = locale
  return status === "delivered"
    ? {
        at,
        tone: "good",
        what: say(`${name} reported: delivered`, `گزارش ${name}: تحویل شد`)
      }
    : {
        at,
        tone: "bad",
        what: say(`${name} reported: not delivered`, `گزارش ${name}: تحویل نشد`),
        words: provider_error
      }
}

/** The account that was called, and the id that the provider gave the message. */
export const callText = (
  { account_id, channel, descriptor: { label, provider } }: RouteAccount,
  messageId: string | null,
  { say }: Locale
): Html =>
  account_id === null
    ? html`${say("Sandbox: nothing was sent", "محیط آزمایشی: چیزی ارسال نشد")}`
    : html`${isolated(label)}${provider !== channel && html` · ${provider}`}${
        messageId !== null && html` · ${say("message id", "شناسهٔ پیام")} ${mono(messageId)}`
      }`
