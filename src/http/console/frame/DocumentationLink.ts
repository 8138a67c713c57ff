import type { PageName } from "../Navigation.ts"
import type { Language, Locale } from "./Locale.ts"
import { html, type Html } from "./Html.ts"
import { REFERENCE_PATH } from "../../system/reference/Frame.ts"

type Target = Readonly<Record<Language, string>>

const CONSOLE: Target = { en: "console/", fa: "fa/console/" }

/** The page of the documentation on each page of the console. Where there is none in Persian, it is the English one. */
export const documentationTargets: Readonly<Record<PageName, Target>> = {
  overview: {
    en: "console/#where-do-the-figures-of-the-overview-come-from",
    fa: "fa/console/"
  },
  insights: {
    en: "console/#how-are-we-doing",
    fa: "fa/console/#وضعیت-ما-چطور-است"
  },
  verifications: { en: "console/#why-did-a-code-not-arrive", fa: "fa/console/#چرا-یک-کد-نرسید" },
  messages: { en: "messages/#how-do-i-read-its-status", fa: "fa/messages/#چطور-وضعیتش-را-بخوانم" },
  phones: { en: "console/#what-happened-to-one-phone", fa: "fa/console/#برای-یک-شماره-چه-اتفاقی-افتاده-است" },
  test: { en: "console/#how-do-i-send-a-test", fa: "fa/console/#چطور-یک-ارسال-آزمایشی-انجام-بدهم" },
  simulator: {
    en: "console/#how-do-i-use-the-simulator",
    fa: "fa/console/#شبیهساز-را-چطور-در-آزمون-خودکار-بخوانم"
  },
  channels: { en: "providers/", fa: "fa/providers/" },
  routing: { en: "routing/", fa: "fa/console/#کانالها-ترتیب-و-قالبها-را-کجا-تنظیم-کنم" },
  templates: {
    en: "verification/#how-do-i-change-the-text-of-a-code",
    fa: "fa/console/#کانالها-ترتیب-و-قالبها-را-کجا-تنظیم-کنم"
  },
  guard: { en: "guard/", fa: "fa/guard/" },
  alerts: { en: "alerts/", fa: "fa/alerts/" },
  keys: { en: "management/#service-keys", fa: "management/#service-keys" },
  tokens: {
    en: "management/#how-do-i-use-a-personal-access-token",
    fa: "management/#how-do-i-use-a-personal-access-token"
  },
  webhooks: { en: "webhooks/", fa: "fa/webhooks/" },
  requests: {
    en: "console/#which-requests-did-my-programs-make",
    fa: "fa/console/#برنامهٔ-من-چه-درخواستهایی-فرستاده-است"
  },
  wallet: { en: "limits/#how-does-the-wallet-work", fa: "fa/limits/#کیف-پول-چطور-کار-میکند" },
  usage: { en: "management/#usage", fa: "management/#usage" },
  users: { en: "console/#what-may-each-role-do", fa: "fa/console/#هر-نقش-چه-اجازهای-دارد" },
  audit: { en: "console/#who-changed-what", fa: "fa/console/#چه-کسی-چه-چیزی-را-تغییر-داد" },
  settings: {
    en: "console/#how-do-i-choose-the-language-and-the-theme",
    fa: "fa/console/#زبان-و-ظاهر-را-چطور-عوض-کنم"
  },
  customers: { en: "limits/#which-limits-are-there", fa: "fa/limits/#چه-سقفهایی-وجود-دارد" },
  health: {
    en: "operations/#what-do-i-check-first-when-something-is-wrong",
    fa: "fa/operations/#چطور-بفهمم-درست-کار-میکند"
  },
  "shared-accounts": {
    en: "limits/#how-do-customers-share-accounts-of-the-platform",
    fa: "fa/limits/"
  },
  "all-requests": {
    en: "console/#which-requests-did-my-programs-make",
    fa: "fa/console/#برنامهٔ-من-چه-درخواستهایی-فرستاده-است"
  },
  "all-audit": {
    en: "console/#how-do-operators-sign-in",
    fa: "fa/console/"
  }
}

/** The part of the API's reference that pages for developers are about. It is in English. */
export const referenceTargets: Readonly<Partial<Record<PageName, string>>> = {
  keys: "/management-service-keys",
  tokens: "/management-personal-access-tokens",
  webhooks: "/events",
  requests: "/errors",
  test: "/sandbox"
}

/** Links to what the documentation and the reference say on a page. */
export const documentationLink = (name: PageName | null, { language, say }: Locale): Html => {
  const target = name === null ? CONSOLE : documentationTargets[name]
  const reference = name === null ? undefined : referenceTargets[name]
  return html`${
      reference !== undefined &&
      html`<a class="choice reference-link" href="${REFERENCE_PATH}${reference}" hreflang="en">
        ${say("API reference", "مرجع API")}
      </a>`
    } <a class="choice" href="/docs/${target[language]}">${say("Documentation", "مستندات")}</a>`
}
