import type { Instant } from "../../../domain/Instant.ts"
import type { AttemptErrorCode, Delivery } from "../../../domain/ProviderOutcome.ts"
import { type SkipReason, skipWords } from "../../../domain/account/Pace.ts"
import type { RouteAccount } from "../../../domain/routing/RouteAccount.ts"
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
      "this phone cannot be reached there: no account, or the sender is blocked",
      "این شماره آنجا در دسترس نیست: حساب ندارد یا فرستنده را مسدود کرده است"
    ],
    todo: [
      "Nothing is wrong with the account. Put another channel after this one in the route.",
      "حساب فرستنده ایرادی ندارد. در مسیر ارسال، کانال دیگری پس از این بگذارید."
    ],
    page: "routing"
  },
  provider_rejected: {
    what: ["the provider refused the message", "سرویس‌دهنده پیام را نپذیرفت"],
    todo: [
      "Read the provider’s words in the timeline; often the template or the line is not allowed.",
      "سخن سرویس‌دهنده را در رویدادها بخوانید؛ بیشتر وقت‌ها قالب یا خط مجاز نیست."
    ],
    page: "templates"
  },
  provider_misconfigured: {
    what: [
      "the account’s credentials, sender or credit are not in order",
      "کلید، خط یا اعتبار حساب درست نیست"
    ],
    todo: ["Check the account and correct its settings.", "حساب را بررسی و تنظیماتش را درست کنید."],
    page: "channels"
  },
  provider_rate_limited: {
    what: ["the provider asked to slow down", "سرویس‌دهنده خواست آهسته‌تر بفرستید"],
    todo: ["Lower the account’s rate, or add an account.", "نرخ حساب را کم کنید یا حساب دیگری بیفزایید."],
    page: "channels"
  },
  provider_unavailable: {
    what: ["the provider could not be reached", "سرویس‌دهنده در دسترس نبود"],
    todo: [
      "It was the provider’s trouble. Another channel after this one covers it.",
      "مشکل از سرویس‌دهنده بود. کانال دیگری پس از این، آن را جبران می‌کند."
    ],
    page: "routing"
  },
  provider_outcome_unknown: {
    what: [
      "the provider’s answer was lost: it may or may not have arrived",
      "پاسخ سرویس‌دهنده گم شد: شاید رسیده باشد و شاید نه"
    ],
    todo: [
      "Peyk does not send it again over the same channel, because the person could get it twice.",
      "پیک از همان کانال دوباره نمی‌فرستد، چون شاید دو بار برسد."
    ],
    page: null
  },
  account_unavailable: {
    what: [
      "the account could not send in time, so it was not called",
      "حساب به‌موقع نمی‌توانست بفرستد و فراخوانی نشد"
    ],
    todo: [
      "See on the account’s page how much it can send. Lower its gap or raise its rate if its provider allows it, or add an account.",
      "در صفحهٔ حساب ببینید چقدر می‌تواند بفرستد. اگر سرویس‌دهنده اجازه می‌دهد فاصله‌اش را کم یا نرخش را زیاد کنید، یا حساب دیگری بیفزایید."
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
  const before = html`<span class="hidden">${say("The provider said:", "سخن سرویس‌دهنده:")} </span>`
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
    const before = isFirst ? ` (${say("standby", "پشتیبان")} ` : say(", ", "، ")
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
        what: say(`${name} reports: delivered`, `گزارش ${name}: رسید`)
      }
    : {
        at,
        tone: "bad",
        what: say(`${name} reports: not delivered`, `گزارش ${name}: نرسید`),
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
    ? html`${say("Sandbox: nothing was really sent", "محیط آزمایشی: واقعاً چیزی فرستاده نشد")}`
    : html`${isolated(label)}${provider !== channel && html` · ${provider}`}${
        messageId !== null && html` · ${say("message id", "شناسهٔ پیام")} ${mono(messageId)}`
      }`
