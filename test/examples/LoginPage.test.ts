import { type Browser, type BrowserContext, chromium, type Page, type Route } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
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

  it("asks once for a code, and once for the sign-in, if the buttons are double-clicked", async () => {
    await within(async (page) => {
      const phone = newPhone()
      const posted: Array<string> = []
      page.on(
        "request",
        (request) => request.method() === "POST" && posted.push(new URL(request.url()).pathname)
      )
      await page.getByLabel("شمارهٔ موبایل").fill(phone)
      await page.getByRole("button", { name: "دریافت کد" }).dblclick()
      await says(page, "کد فرستاده شد.")
      await page.getByLabel("کد", { exact: true }).fill(await codeOf(server, phone))
      await page.getByRole("button", { name: "ورود" }).dblclick()
      await says(page, `خوش آمدید ${phone}`)
      expect(posted).toEqual(["/login/send", "/login/verify"])
    })
  })

  it("does not say that a code is wrong if nobody could check it", async () => {
    await within(async (page) => {
      const phone = newPhone()
      await askFor(page, phone)
      await says(page, "کد فرستاده شد.")
      for (const fail of [
        (route: Route) => route.fulfill({ status: 503, json: { error: "service_unavailable" } }),
        (route: Route) => route.fulfill({ status: 502, body: "<html>Bad Gateway</html>" }),
        (route: Route) => route.abort()
      ]) {
        await page.route("**/login/verify", fail, { times: 1 })
        await page.getByLabel("کد", { exact: true }).fill("111111")
        await page.getByRole("button", { name: "ورود" }).click()
        await says(page, "کمی بعد دوباره تلاش کنید.")
        await page.getByRole("status").evaluate((status) => (status.textContent = ""))
      }
      await page.getByLabel("کد", { exact: true }).fill(await codeOf(server, phone))
      await page.getByRole("button", { name: "ورود" }).click()
      await says(page, `خوش آمدید ${phone}`)
    })
  })

  it("offers a new code after five wrong ones", async () => {
    await within(async (page) => {
      const phone = newPhone()
      await askFor(page, phone)
      const wrong = (await codeOf(server, phone)) === "111111" ? "222222" : "111111"
      for (let tries = 1; tries <= 6; tries++) {
        const reply = page.waitForResponse("**/login/verify")
        await page.getByLabel("کد", { exact: true }).fill(wrong)
        await page.getByRole("button", { name: "ورود" }).click()
        await reply
      }
      await says(page, "کد تازه بگیرید.")
    })
  })
})
