/** The order of the pages, in groups. A test says which page is missing. */
interface Entry {
  readonly slug: string
  readonly label: string
  readonly translations: { readonly fa: string }
}

const page = (slug: string, label: string, fa: string): Entry => ({ slug, label, translations: { fa } })

const group = <Item>(label: string, fa: string, items: ReadonlyArray<Item>, collapsed = false) => ({
  label,
  translations: { fa },
  collapsed,
  items: [...items]
})

/** The reference is a page of the server, not of the site: its link is mended after the build. */
const REFERENCE = { label: "API reference", translations: { fa: "مرجع API" }, link: "/api/" }

/** @param decisions the slugs and titles of the decision records */
export const sidebarOf = (decisions: ReadonlyArray<{ readonly slug: string; readonly label: string }>) => [
  group("Start", "شروع", [
    page("overview", "Overview", "معرفی"),
    page("quickstarts", "Quickstarts", "شروع سریع"),
    page("login", "Login page", "صفحهٔ ورود"),
    page("clients", "Client libraries", "کتابخانه‌ها"),
    page("glossary", "Words", "واژه‌ها"),
    page("moving", "Move to Peyk", "مهاجرت به پیک"),
    page("status", "What is tested", "چه چیزی تست شده")
  ]),
  group("Send and verify", "ارسال و تأیید", [
    page("verification", "One-time codes", "کد یک‌بارمصرف"),
    page("routing", "Order of channels", "ترتیب کانال‌ها"),
    page("guard", "Guard against abuse", "محافظت از سوءاستفاده"),
    page("limits", "Limits and wallet", "سقف‌ها و کیف پول")
  ]),
  group("Messages", "پیام‌ها", [
    page("messages", "Messages", "ارسال پیام"),
    page("alerts", "Alerts", "اعلان‌ها"),
    page("webhooks", "Webhooks", "وب‌هوک‌ها")
  ]),
  group("Set up", "پیکربندی", [
    page("providers", "Accounts and providers", "حساب‌ها و سرویس‌دهنده‌ها"),
    page("bridge", "Your own gateway", "درگاه خودتان"),
    page("management", "Management API", "API مدیریت"),
    page("console", "Console", "کنسول"),
    page("command-line", "Command line", "خط فرمان")
  ]),
  group("Operate", "اجرا و نگهداری", [
    page("operations", "Run in production", "اجرا در محیط واقعی"),
    page("sizing", "Sizing", "برآورد سرور"),
    page("cells", "Cells and Citus", "سلول‌ها و Citus"),
    page("runbooks", "Runbooks", "راهنمای هشدارها"),
    page("retention", "Retention", "نگهداری داده‌ها")
  ]),
  group<Entry | typeof REFERENCE>("Reference", "مرجع", [
    REFERENCE,
    page("calling-the-api", "Calling the API", "صدا زدن API"),
    page("errors", "Errors", "خطاها"),
    page("configuration", "Settings", "تنظیمات"),
    page("guarantees", "Guarantees", "تضمین‌ها"),
    page("performance", "Performance", "کارایی"),
    page("layers", "Inside Peyk", "درون پیک")
  ]),
  group(
    "Decisions",
    "تصمیم‌ها",
    [{ ...page("decisions", "Why it is so", "چرا این‌طور است") }, ...decisions],
    true
  )
]
