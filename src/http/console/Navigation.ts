import { CONSOLE_PATH } from "./ConsolePaths.ts"

const pages = {
  overview: ["Overview", "نمای کلی"],
  insights: ["Insights", "تحلیل"],
  verifications: ["Verifications", "کدهای تأیید"],
  messages: ["Messages", "پیام‌ها"],
  phones: ["Phones", "شماره‌ها"],
  test: ["Send a test", "ارسال آزمایشی"],
  simulator: ["Simulator", "شبیه‌ساز"],
  channels: ["Channels", "کانال‌ها"],
  routing: ["Routing", "ترتیب ارسال"],
  templates: ["Templates", "قالب‌ها"],
  guard: ["Guard", "نگهبان"],
  alerts: ["Alerts", "اعلان‌ها"],
  keys: ["API keys", "کلیدهای API"],
  tokens: ["Tokens", "توکن‌ها"],
  webhooks: ["Webhooks", "وب‌هوک‌ها"],
  requests: ["Requests", "درخواست‌ها"],
  wallet: ["Wallet", "کیف پول"],
  usage: ["Usage", "مصرف"],
  users: ["Users", "کاربران"],
  audit: ["Audit log", "گزارش تغییرات"],
  settings: ["Settings", "تنظیمات"],
  customers: ["Customers", "مشتری‌ها"],
  health: ["Health", "وضعیت سامانه"],
  "shared-accounts": ["Shared accounts", "حساب‌های مشترک"],
  "all-requests": ["All requests", "همهٔ درخواست‌ها"],
  "all-audit": ["All changes", "همهٔ تغییرها"]
} as const satisfies Readonly<Record<string, readonly [english: string, persian: string]>>

export type PageName = keyof typeof pages

/** The simulator is a page for people who are not signed in, too: it is not below the console's path. */
export const SIMULATOR_PATH = "/simulator"

export const pathOf = (name: PageName): `/${string}` =>
  name === "simulator" ? SIMULATOR_PATH : `${CONSOLE_PATH}/${name}`

const group = (english: string, persian: string, names: ReadonlyArray<PageName>) => ({
  english,
  persian,
  pages: names.map((name) => {
    const [inEnglish, inPersian] = pages[name]
    return { name, path: pathOf(name), english: inEnglish, persian: inPersian }
  })
})
export type NavigationGroup = ReturnType<typeof group>

/** All pages, in the order in which they are listed. */
const groups: ReadonlyArray<NavigationGroup> = [
  group("Activity", "فعالیت", [
    "overview",
    "insights",
    "verifications",
    "messages",
    "phones",
    "test",
    "simulator"
  ]),
  group("Configuration", "پیکربندی", ["channels", "routing", "templates", "guard", "alerts"]),
  group("Developers", "توسعه‌دهندگان", ["keys", "tokens", "webhooks", "requests"]),
  group("Billing", "مالی", ["wallet", "usage"]),
  group("Team", "تیم", ["users", "audit", "settings"])
]

/** For those who run the installation. */
const operatorPages = ["customers", "health", "shared-accounts", "all-requests", "all-audit"] as const
const operatorGroup = group("Operator", "مدیر سامانه", operatorPages)

/** Paths below which an operator is who has entered no customer's console. */
export const operatorPaths: ReadonlyArray<string> = operatorPages.map((name) => pathOf(name))

/** The groups with those pages that are served. */
export const navigationOf = (served: ReadonlySet<PageName>): ReadonlyArray<NavigationGroup> =>
  [operatorGroup, ...groups]
    .map((each) => ({ ...each, pages: each.pages.filter(({ name }) => served.has(name)) }))
    .filter((each) => each.pages.length > 0)

const isForOperators = ({ pages }: NavigationGroup): boolean => pages.some(({ name }) => name === "customers")

/** What operators have without a customer, next to their own pages. */
const withoutCustomer = (each: NavigationGroup): NavigationGroup => ({
  ...each,
  pages: each.pages.filter(({ name }) => name === "settings" || name === "alerts")
})

/** The entries that a visitor sees. Operators see the customers, and the rest once they have entered a customer. */
export const navigationFor = (
  all: ReadonlyArray<NavigationGroup>,
  who: { readonly isOperator: boolean; readonly hasCustomer: boolean }
): ReadonlyArray<NavigationGroup> =>
  all
    .filter((each) => who.isOperator || !isForOperators(each))
    .map((each) => (who.hasCustomer || isForOperators(each) ? each : withoutCustomer(each)))
    .filter(({ pages }) => pages.length > 0)
