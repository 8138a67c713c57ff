import type { AttemptErrorCode } from "../../../domain/ProviderOutcome.ts"
import { type SkipReason, skipWords } from "../../../domain/account/Pace.ts"
import type { PageName } from "../Navigation.ts"
import type { Locale } from "../frame/Locale.ts"

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
