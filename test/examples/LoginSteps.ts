/** What a visitor does on the login page. */
import { type Browser, type BrowserContext, type Page } from "playwright-core"
import { expect } from "vitest"
import type { Quickstart } from "./QuickstartPrograms.ts"

/** In a browser of its own, in the page's language. */
export const visitLogin = async (
  browser: Browser,
  example: Quickstart,
  use: (page: Page) => Promise<void>,
  prepare = (_context: BrowserContext): Promise<void> => Promise.resolve()
): Promise<void> => {
  const context = await browser.newContext({ locale: "fa-IR" })
  await prepare(context)
  const page = await context.newPage()
  await page.goto(`${example.url}${example.page}`)
  await use(page).finally(() => context.close())
}

export const inPersian = (digits: string): string =>
  digits.replaceAll(/\d/g, (digit) => "۰۱۲۳۴۵۶۷۸۹"[Number(digit)] ?? "")

export const codeField = (page: Page) => page.getByLabel("کد تأیید", { exact: true })

export const askForCode = async (page: Page, phone: string): Promise<void> => {
  await page.getByLabel("شماره موبایل").fill(phone)
  await page.getByRole("button", { name: "دریافت کد تأیید" }).click()
  await codeField(page).waitFor()
}

/** Of six digits, and not this one. */
export const wrongFor = (code: string): string => (code === "111111" ? "222222" : "111111")

/** Any text that the page shows. */
export const shows = (page: Page, text: string): Promise<void> =>
  expect.poll(() => page.getByText(text).first().isVisible(), { message: text }).toBe(true)
