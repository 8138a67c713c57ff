import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** A whole word: Persian has no `\b`, and a zero-width non-joiner joins two parts of one word. */
const word = (text: string): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{M}\u200c])${text}(?![\p{L}\p{M}\u200c])`, "u")

const anywhere = (text: string): RegExp => new RegExp(text, "u")

/**
 * Words that no Persian text of Peyk uses: they are archaic, translated letter by letter, or second words for one
 * thing. Next to each is what to write. docs/glossary.md has the words for the things of Peyk.
 */
const forbidden: ReadonlyArray<readonly [wrong: RegExp, right: string]> = [
  [anywhere("سنجید|می‌سنج|بسنج|سنجش"), "تأیید، بررسی، مقایسه، اندازه‌گیری"],
  [anywhere("آزمود|می‌آزما|بیازما"), "تست، امتحان"],
  [anywhere("نخست"), "اول، اولین"],
  [anywhere("پالایه"), "فیلتر"],
  [anywhere("برگزی"), "انتخاب کنید"],
  [anywhere("چرخاندن (?:کلید|راز)"), "تعویض کلید"],
  [anywhere("گردانند"), "مدیر سامانه"],
  [anywhere("کلید (?:اصلی|زنده)"), "کلید واقعی"],
  [anywhere("استراحت"), "توقف موقت"],
  [anywhere(String.raw`(?:\}|پیامک|بله|ایتا) گذشت`), "امتحان نشد"],
  [anywhere("(?<!پیام‌رسان )بله (?:ناموفق|امتحان نشد|فراخوانی)"), "پیام‌رسان بله …"],
  [/(?<!از )\$\{(?:name|channelName\([^}]*\))\} (?:ناموفق|فراخوانی)/u, "ارسال از … ناموفق بود"],
  [anywhere("بر سر(?:ش|شان)? (?:آمد|آمده)"), "نتیجه"],
  [anywhere("به سر رسید|از کار افتاده"), "تمام شد، در دسترس نیست"],
  [anywhere("از آنِ"), "متعلق به، مشتری"],
  [word("تنها"), "فقط"],
  [word("پیش‌تر"), "قبلاً"],
  [word("بس نیست"), "کافی نیست"],
  [anywhere("بی‌درنگ"), "فوراً"],
  [word("درنگ"), "تأخیر"],
  [anywhere("بی‌سقف|بی‌حد"), "بدون سقف"],
  [word("بی‌هزینه"), "رایگان"],
  [anywhere("سرآیند"), "هدر"],
  [anywhere("پروند[هٔ]"), "فایل"],
  [anywhere("فراداده"), "متادیتا"],
  [anywhere("زمان‌سنج"), "تایمر"],
  [anywhere("جای‌نما"), "متغیر"],
  [anywhere("نقطهٔ پایانی"), "نشانی"],
  [anywhere("راهبرد"), "روش ارسال"],
  [anywhere("دفتر کل"), "تراکنش‌ها"],
  [anywhere("نگه‌داشته"), "رزروشده"],
  [anywhere("افزایش موجودی"), "شارژ"],
  [word("طرح(?:‌های)?"), "پلن"],
  [word("بات"), "ربات"],
  [word("پیوند(?:ی|ها|های)?"), "لینک"],
  [anywhere("مسیر ارسال"), "ترتیب ارسال"],
  [anywhere("فرستندهٔ اشتراکی|حساب اشتراکی"), "مشترک"],
  [word("رونوشت"), "کپی"],
  [word("تازه(?:‌ای|ترین)?"), "جدید"],
  [anywhere("تازه‌ترین"), "جدیدترین"],
  [anywhere("رمز یک‌بارمصرف"), "کد یک‌بارمصرف"],
  [word("هیچ‌گاه|هرگاه|چنانچه|همانا|نیز"), "هیچ‌وقت، اگر، هم"],
  // Two spellings of one word.
  [word("گفتگو(?:ی)?"), "گفت‌وگو"],
  [word("جستجو(?:ی)?"), "جست‌وجو"],
  [word("همزمان"), "هم‌زمان"],
  [word("تایید"), "تأیید"]
]

const texts = globSync(
  [
    "src/**/*.{ts,js}",
    "packages/*/src/**/*.ts",
    "examples/**/*.{html,js,mjs,ts,tsx,py,php}",
    "docs/fa/**/*.md",
    "docs/glossary.md",
    "site/{lib,src}/**/*.{ts,astro}"
  ],
  { cwd: root }
  // the last is what readers may type into the search
).filter((file) => !/node_modules|^site\/src\/content|^site\/lib\/Words\.ts/.test(file))

const persianLines = texts.flatMap((file) =>
  readFileSync(`${root}${file}`, "utf8")
    .split("\n")
    .flatMap((line, index) => (/[\u0600-\u06ff]/.test(line) ? [{ place: `${file}:${index + 1}`, line }] : []))
)

describe("a Persian text", () => {
  it("is found in the console, the packages, the examples, the site and the documents", () => {
    for (const part of ["src/http/console/", "packages/client/", "examples/login/", "docs/fa/", "site/lib/"])
      expect(persianLines.filter(({ place }) => place.startsWith(part)).length, part).toBeGreaterThan(0)
  })

  it.each(forbidden)("has no %s, but %s", (wrong) => {
    expect(
      persianLines.filter(({ line }) => wrong.test(line)).map(({ place, line }) => `${place}: ${line.trim()}`)
    ).toEqual([])
  })
})
