import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, describe, it } from "vitest"
import { hasTools } from "../clients/packages/Packed.ts"
import { findChromium } from "../console/browser/kit/Chromium.ts"
import { newPhone } from "../contract/Client.ts"
import { codeOf } from "../contract/Operator.ts"
import { type SharedServer, sharedServer } from "../contract/SharedServer.ts"
import { type Quickstart, quickstarts } from "./QuickstartPrograms.ts"

const executablePath = findChromium()

const inPersian = (digits: string) => digits.replaceAll(/\d/g, (digit) => "۰۱۲۳۴۵۶۷۸۹"[Number(digit)] ?? "")

describe.runIf(executablePath !== undefined && hasTools)("the login page of the quickstarts", () => {
  let server: SharedServer
  let example: Quickstart
  let browser: Browser
  beforeAll(async () => {
    server = sharedServer()
    example = await quickstarts.Express(server)
    browser = await chromium.launch({ executablePath: executablePath ?? "", args: ["--no-sandbox"] })
  })
  afterAll(async () => {
    await browser?.close()
    await example?.stop()
  })

  const within = async (
    use: (page: Page) => Promise<void>,
    prepare = (_context: BrowserContext): Promise<void> => Promise.resolve()
  ) => {
    const context = await browser.newContext({ locale: "fa-IR" })
    await prepare(context)
    const page = await context.newPage()
    await page.goto(example.url)
    await use(page).finally(() => context.close())
  }

  const askFor = async (page: Page, phone: string) => {
    await page.getByLabel("شمارهٔ موبایل").fill(phone)
    await page.getByRole("button", { name: "دریافت کد" }).click()
  }
  const says = (page: Page, text: string) => page.getByRole("status").filter({ hasText: text }).waitFor()

  it("signs in with a phone and a code in Persian digits", async () => {
    await within(async (page) => {
      const phone = newPhone()
      await askFor(page, inPersian(phone.replace("+98", "0")))
      await says(page, "کد فرستاده شد.")
      await page.getByLabel("کد", { exact: true }).fill(inPersian(await codeOf(server, phone)))
      await page.getByRole("button", { name: "ورود" }).click()
      await says(page, `خوش آمدید ${phone}`)
    })
  })

  it("signs in by itself where the browser reads the code of an SMS (WebOTP)", async () => {
    let giveCode = (_code: string) => {}
    const code = new Promise<string>((resolve) => (giveCode = resolve))
    await within(
      async (page) => {
        const phone = newPhone()
        await askFor(page, phone)
        await says(page, "کد فرستاده شد.")
        giveCode(await codeOf(server, phone))
        await says(page, `خوش آمدید ${phone}`)
      },
      async (context) => {
        await context.exposeFunction("codeOfSms", () => code)
        await context.addInitScript(`
          window.OTPCredential = class {}
          navigator.credentials.get = async ({ otp }) =>
            otp.transport[0] === "sms" ? { code: await window.codeOfSms() } : null`)
      }
    )
  })

  it("says what is wrong with a phone and with a code", async () => {
    await within(async (page) => {
      await askFor(page, "12")
      await says(page, "شماره نادرست است.")
      const phone = newPhone()
      await askFor(page, phone)
      const wrong = (await codeOf(server, phone)) === "111111" ? "222222" : "111111"
      await page.getByLabel("کد", { exact: true }).fill(wrong)
      await page.getByRole("button", { name: "ورود" }).click()
      await says(page, "کد نادرست است.")
    })
  })
})
