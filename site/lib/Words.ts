/** How texts and questions become words that can be compared, in English and Persian. */

/** Words of questions that say nothing about what is looked for. */
const EMPTY = new Set(
  [
    "a an and are as at be by can do does for from get how i if in is it its mean means me my of on or per that the",
    "their this to use want what when where which who why with without you your",
    "چگونه چطور چه چیست چیه چی را از به در و با که این آن یک هر برای روی یعنی است هست شود کنم کنید کرد کردن بدهم بگیرم می ها"
  ].flatMap((words) => words.split(" "))
)

/** Words that readers take for one another. */
const SYNONYMS: ReadonlyArray<ReadonlyArray<string>> = [
  "verify check validate signature",
  "verify enter",
  "otp code verification",
  "resend again next",
  "delete erase remove",
  "gdpr privacy erase",
  "backup restore",
  "install deploy setup",
  "database postgresql store",
  "docker compose container",
  "rotate rotation replace",
  "text template body",
  "price cost wallet charge",
  "monitor metric prometheus alert",
  "rate limit quota",
  "wait timeout delay",
  "retry repeat",
  "upgrade update",
  "login signin",
  "phone number mobile",
  "crash die stop",
  "fallback failover",
  "schedule later delay",
  "تایید بررسی امضا",
  "عوض تغییر",
  "نصب راه اجرا",
  "شارژ موجودی",
  "ارسال بفرستم بفرستید فرستاده",
  "سقف محدودیت حد",
  "رمز کد",
  "متن قالب",
  "حذف پاک",
  "لغو cancel",
  "هزینه قیمت ریال",
  "اتصال وصل",
  "گیری بگیرم",
  "خطا error"
].map((group) => group.split(" "))

/** One form of letters and digits that are written in several ways. */
const unified = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/\b(back|log|set|sign|start) (in|up)\b/g, "$1$2")
    .replaceAll(/[\u064b-\u065f\u0670\u0640]/g, "")
    .replaceAll("ي", "ی")
    .replaceAll("ك", "ک")
    .replaceAll(/[ۀة]/g, "ه")
    .replaceAll(/[أإآ]/g, "ا")
    .replaceAll(/[۰-۹]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0))
    .replaceAll(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660))

const singular = (word: string): string =>
  /^[a-z]{3,}[^s]s$/.test(word)
    ? word.slice(0, -1)
    : word.replace(/^(.{3,}?)(?:هایی|های|ها)$/, "$1").replace(/^(.+ا)ی$/, "$1")

/** A word, and the parts that it is written of: `channel_ambiguous` and وب‌هوک are found by each. */
const formsOf = (word: string): ReadonlyArray<string> => {
  const parts = word.split(/[_\u200c-]/).filter((part) => part.length > 1)
  const whole = word.replaceAll(/[\u200c-]/g, "")
  return [...new Set([whole, ...parts].map(singular))]
}

/** The words of a text; those of one place in it are next to one another. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  (unified(text).match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}_\u200c-]*/gu) ?? []).flatMap(formsOf)

/** The words of a question. One that has nothing but empty words keeps them. */
export const wordsOfQuestion = (text: string): ReadonlyArray<string> => {
  const asked = (unified(text).match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}_\u200c-]*/gu) ?? []).map((word) =>
    singular(word.replaceAll(/[\u200c-]/g, ""))
  )
  const telling = asked.filter((word) => !EMPTY.has(word))
  return telling.length > 0 ? telling : asked
}

/** What else a word of a question may be called. */
export const synonymsOf = (word: string): ReadonlyArray<string> => [
  ...new Set(
    SYNONYMS.filter((group) => group.includes(word)).flatMap((group) => group.filter((each) => each !== word))
  )
]
