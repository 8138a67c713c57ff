import { type SkipReason, skipWords } from "../../../domain/account/Pace.ts"
import type { AttemptErrorCode } from "../../../domain/ProviderOutcome.ts"
import type { PageName } from "../Navigation.ts"
import type { Locale } from "../frame/Locale.ts"

interface ErrorWords {
  /** The end of a sentence that begins with “Bale: ”. */
  readonly what: readonly [english: string, persian: string]
  readonly todo: readonly [english: string, persian: string]
  /** The page on which to do it. */
  readonly page: PageName | null
}

const words: Readonly<Record<AttemptErrorCode, ErrorWords>> = {
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
