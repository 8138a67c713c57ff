import type { Instant } from "../../../domain/Instant.ts"
import type { AttemptErrorCode, Delivery } from "../../../domain/ProviderOutcome.ts"
import { type SkipReason, skipWords } from "../../../domain/account/Pace.ts"
import type { RouteAccount } from "../../../domain/routing/Route.ts"
import type { PageName } from "../Navigation.ts"
import { html, type Html, type Part } from "../frame/Html.ts"
import type { Locale } from "../frame/Locale.ts"
import type { Tone } from "../parts/Badge.ts"
import { channelName, isolated, mono } from "../parts/Text.ts"

interface ErrorText {
  /** The end of a sentence that begins with “Bale: ”. */
  readonly what: readonly [english: string, persian: string]
  readonly todo: readonly [english: string, persian: string]
  /** The page on which to do it. */
  readonly page: PageName | null
}

const words: Readonly<Record<AttemptErrorCode, ErrorText>> = {
  recipient_unreachable: {
    what: [
      "this phone cannot be reached there: it has no account, or has blocked the sender",
      "این شماره آنجا در دسترس نیست: حساب ندارد یا فرستنده را مسدود کرده است"
    ],
    todo: [
      "Your account is fine. Put another channel after this one in the routing order.",
      "حساب شما مشکلی ندارد. در ترتیب ارسال، کانال دیگری بعد از این بگذارید."
    ],
    page: "routing"
  },
  provider_rejected: {
    what: ["the provider refused the message", "سرویس‌دهنده پیام را رد کرد"],
    todo: [
      "Read the provider’s response in the timeline. Often the template or the line is not allowed.",
      "پاسخ سرویس‌دهنده را در «مراحل» بخوانید؛ معمولاً قالب یا خط مجاز نیست."
    ],
    page: "templates"
  },
  provider_misconfigured: {
    what: ["the account’s credentials, sender or credit are not valid", "کلید، خط یا اعتبار حساب درست نیست"],
    todo: ["Check the account and correct its settings.", "حساب را بررسی کنید و تنظیماتش را درست کنید."],
    page: "channels"
  },
  provider_rate_limited: {
    what: ["the provider asked to slow down", "سرعت ارسال برای سرویس‌دهنده زیاد بود"],
    todo: [
      "Lower the account’s rate, or add an account.",
      "سرعت ارسال حساب را کم کنید یا حساب دیگری اضافه کنید."
    ],
    page: "channels"
  },
  provider_unavailable: {
    what: ["the provider was unreachable", "سرویس‌دهنده در دسترس نبود"],
    todo: [
      "The problem was at the provider. Put another channel after this one to cover for it.",
      "مشکل از سرویس‌دهنده بود. کانال دیگری بعد از این بگذارید تا جای آن را بگیرد."
    ],
    page: "routing"
  },
  provider_outcome_unknown: {
    what: [
      "the provider’s response was lost: it may or may not have been delivered",
      "پاسخ سرویس‌دهنده گم شد: معلوم نیست تحویل شده باشد"
    ],
    todo: [
      "Peyk does not send again over the same channel, because it could arrive twice.",
      "پیک از همان کانال دوباره نمی‌فرستد، چون ممکن است دو بار برسد."
    ],
    page: null
  },
  account_unavailable: {
    what: [
      "the account could not send in time, so it was skipped",
      "حساب نمی‌توانست به‌موقع بفرستد و امتحان نشد"
    ],
    todo: [
      "The account’s page shows how much it can send. If the provider allows it, lower its gap or raise its rate; or add an account.",
      "صفحهٔ حساب نشان می‌دهد چقدر می‌تواند بفرستد. اگر سرویس‌دهنده اجازه می‌دهد فاصلهٔ ارسال را کم یا سقف را زیاد کنید، یا حساب دیگری اضافه کنید."
    ],
    page: "channels"
  }
}

/** Why a step was not called. */
export const whySkipped = (reason: SkipReason, { say }: Locale): string => say(...skipWords[reason])

export const whatWentWrong = (code: AttemptErrorCode, { say }: Locale): string => say(...words[code].what)

export const whatToDo = (code: AttemptErrorCode, { say }: Locale) => ({
  text: say(...words[code].todo),
  page: words[code].page
})

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
