import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { slugOf } from "../../site/lib/Documents.ts"
import { type Part, partsOf } from "../../site/lib/SearchParts.ts"
import { hasGenerator } from "../support/BuiltSite.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const sources = ["README.md", ...globSync("docs/**/*.md", { cwd: root })]
const isPersian = (page: string): boolean => page.startsWith("fa/")
const parts = sources.flatMap((file) => partsOf(slugOf(file), readFileSync(`${root}${file}`, "utf8")))

type Language = "en" | "fa"

const searchIn = async (language: Language) => {
  const { makeSearch } = await import("../../site/lib/Search.ts")
  const own = ({ page }: Part) => isPersian(page) === (language === "fa")
  return makeSearch(language === "fa" ? parts : parts.filter(own), own)
}

/** Each is made once: it reads all documents. */
const searches = new Map<Language, ReturnType<typeof searchIn>>()

/** What a reader of a page in this language is offered first: pages, each with its best part. */
const find = async (question: string, language: Language) => {
  const made = searches.get(language) ?? searchIn(language)
  searches.set(language, made)
  const search = await made
  return search(question).map((page) => `${page.page}#${page.parts[0]?.anchor ?? ""}`)
}

/** A question as a newcomer asks it, and where its answer is. */
const questions = [
  ["how do I verify a webhook in PHP", "webhooks#how-do-i-verify-a-webhook-in-typescript-python-or-php"],
  ["what does channel_ambiguous mean", "errors#channel_ambiguous"],
  ["what is the limit per phone", "limits#which-limits-are-there"],
  ["how do I change the text of the SMS", "verification#how-do-i-change-the-text-of-a-code"],
  ["install python client", "clients#how-do-i-install-one"],
  ["resend code button", "verification#how-do-i-try-the-next-channel-now"],
  ["send otp with laravel", "quickstarts#which-example-is-for-my-framework"],
  ["why did my code not arrive", "console#why-did-a-code-not-arrive"],
  ["rotate api key", "management#service-keys"],
  ["backup database", "operations#how-do-i-back-up-and-restore"],
  ["test without sending real sms", "messages#how-do-i-test-without-sending"],
  ["delete user data gdpr", "management#erase-a-phone"],
  ["how long is a code valid", "verification#how-long-is-a-code-valid"],
  ["webhook retry schedule", "webhooks#when-does-peyk-retry"],
  ["insufficient balance", "errors#insufficient_balance"],
  ["چطور وب‌هوک را تأیید کنم", "fa/webhooks#چطور-امضا-را-بررسی-کنم"],
  ["سقف هر شماره چقدر است", "fa/limits#چه-سقفهایی-وجود-دارد"],
  ["کد نرسید", "fa/console#چرا-یک-کد-نرسید"],
  ["متن پیامک را عوض کنم", "fa/verification#چطور-متن-کد-را-عوض-کنم"],
  ["channel_ambiguous یعنی چه", "fa/errors#channel_ambiguous"],
  ["خطای ۴۰۲", "fa/errors#insufficient_balance"],
  ["پشتیبان گیری", "fa/operations#چطور-پشتیبان-بگیرم"],
  ["نصب روی سرور", "fa/operations#چطور-پیک-را-روی-سرور-راه-بیندازم"],
  ["rate limit headers", "limits#how-much-of-a-keys-minute-is-left"]
] as const

describe.runIf(hasGenerator())("a search for", () => {
  it.each(questions)("%s finds %s among the first two pages", async (question, answer) => {
    const found = await find(question, /[\u0600-\u06ff]/.test(question) ? "fa" : "en")
    expect(found.slice(0, 2)).toContain(answer)
  })

  it("what is nowhere finds nothing", async () => {
    expect(await find("jjvwkkzt", "en")).toEqual([])
  })
})
