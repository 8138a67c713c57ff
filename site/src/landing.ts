/** Figures and claims of the first page. Figures are those of docs/performance.md and decision 0034. */
interface Words {
  readonly en: string
  readonly fa: string
}

export const numbers: ReadonlyArray<{ readonly value: Words } & Words> = [
  {
    value: { en: "166 µs", fa: "۱۶۶ میکروثانیه" },
    en: "of processor time for a send, and 125 µs of PostgreSQL’s",
    fa: "زمان پردازنده برای هر ارسال، و ۱۲۵ میکروثانیه در PostgreSQL"
  },
  {
    value: { en: "1.25 ×", fa: "۱٫۲۵ برابر" },
    en: "the sends of a hand-written Fastify service that is as crash-safe",
    fa: "ارسالِ سرویسی که با Fastify و با همین ایمنی نوشته شود"
  },
  {
    value: { en: "0.93 ×", fa: "۰٫۹۳ برابر" },
    en: "the sends of one that can forget a code in a crash",
    fa: "ارسالِ سرویسی که در خرابی ممکن است کد را فراموش کند"
  },
  {
    value: { en: "174 MB", fa: "۱۷۴ مگابایت" },
    en: "memory of an idle server",
    fa: "حافظهٔ سرور بیکار"
  }
]

/** Under which these were measured. */
export const conditions: Words = {
  en: "Measured on 2 shared cores (AMD EPYC) that also ran the load and PostgreSQL: 1000 connections, a provider of 100 ms, 2026-11-29. Memory: 2026-11-29. Never run against a live provider.",
  fa: "روی ۲ هستهٔ اشتراکی (AMD EPYC) که بار آزمایش و PostgreSQL هم روی آن‌ها بود: ۱۰۰۰ اتصال، سرویس‌دهنده‌ای با ۱۰۰ میلی‌ثانیه، ۲۹ نوامبر ۲۰۲۶. حافظه: ۲۹ نوامبر ۲۰۲۶. با سرویس‌دهندهٔ واقعی اجرا نشده است."
}

const words = (en: string, fa: string): Words => ({ en, fa })
const yours = words("you write it", "خودتان می‌نویسید")

/** Peyk, Twilio Verify, a Kavenegar lookup, own code. What is said of others is what docs/moving.md says. */
export const comparison: ReadonlyArray<{ readonly what: Words; readonly cells: ReadonlyArray<Words> }> = [
  {
    what: words("Iranian messengers", "پیام‌رسان‌های ایرانی"),
    cells: [
      words("Bale, Eitaa, Rubika, Soroush Plus", "بله، ایتا، روبیکا، سروش‌پلاس"),
      words("none", "ندارد"),
      words("none: SMS and calls", "ندارد؛ پیامک و تماس"),
      words("one integration for each", "برای هر کدام یک اتصال")
    ]
  },
  {
    what: words("Falls back by itself", "خودش کانال بعدی را امتحان می‌کند"),
    cells: [
      words("yes, after the wait you choose", "بله، پس از زمانی که شما تعیین می‌کنید"),
      words("your code requests the next channel", "برنامهٔ شما کانال بعدی را درخواست می‌کند"),
      words("no", "خیر"),
      yours
    ]
  },
  {
    what: words("Makes, stores and compares the code", "ساخت، نگهداری و بررسی کد"),
    cells: [words("yes", "بله"), words("yes", "بله"), words("you do", "با شما"), yours]
  },
  {
    what: words("A repeated request sends no second code", "درخواست تکراری کد دوم نمی‌فرستد"),
    cells: [
      words("yes, by Idempotency-Key", "بله، با Idempotency-Key"),
      words("no such key", "چنین کلیدی ندارد"),
      words("no such key", "چنین کلیدی ندارد"),
      yours
    ]
  },
  {
    what: words("Survives a crash in the middle", "ادامهٔ کار پس از خرابی"),
    cells: [
      words("yes: a test kills it", "بله؛ آزمون‌ها وسط کار متوقفش می‌کنند"),
      words("theirs to care for", "با خودشان"),
      words("your code’s part is yours", "بخش برنامهٔ شما با خودتان"),
      yours
    ]
  },
  {
    what: words("What you run", "چه چیزی اجرا می‌کنید"),
    cells: [
      words("one process and PostgreSQL", "یک برنامه و PostgreSQL"),
      words("nothing", "هیچ"),
      words("storage for your codes", "جایی برای نگهداری کدها"),
      words("all of it", "همه‌چیز")
    ]
  },
  {
    what: words("What a code costs", "هزینهٔ هر کد"),
    cells: [
      words("what your own accounts charge", "هزینهٔ حساب‌های خودتان"),
      words("a fee per verification and the SMS", "کارمزد هر تأیید و هزینهٔ پیامک"),
      words("an SMS each time", "هر بار یک پیامک"),
      words("what your own accounts charge", "هزینهٔ حساب‌های خودتان")
    ]
  }
]
