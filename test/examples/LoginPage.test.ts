import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { type Browser, type BrowserContext, chromium, type Page, type Route } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bundleLogin } from "../../scripts/LoginBundle.ts"
import { hasTools, root } from "../clients/packages/Packed.ts"
import { findChromium } from "../console/browser/kit/Chromium.ts"
import { newPhone } from "../contract/Client.ts"
import { codeOf, newAccount, newCustomer, simulated } from "../contract/Operator.ts"
import { type SharedServer, sharedServer } from "../contract/SharedServer.ts"
import { askForCode, codeField, inPersian, shows, visitLogin, wrongFor } from "./LoginSteps.ts"
import { type Quickstart, quickstarts } from "./QuickstartPrograms.ts"

const executablePath = findChromium()
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")
const element = readFileSync(join(root, "examples/login/peyk-login.js"), "utf8")

const AXE_RESULTS = "axe.run().then(({ violations }) => violations.map(({ id, help }) => id + ': ' + help))"

const DIGITS = ["صفر", "یک", "دو", "سه", "چهار", "پنج", "شش", "هفت", "هشت", "نه"]

/** The code that a call reads, digit by digit. */
const spokenDigits = (text: string): string =>
  (/: ([^.]+)\./.exec(text)?.[1] ?? "")
    .split("، ")
    .map((name) => DIGITS.indexOf(name))
    .join("")

describe("the files of the login page", () => {
  it("have the element as it is made of its source", { timeout: 60_000 }, async () => {
    expect(element).toBe(await bundleLogin())
  })

  it("are at most 21 KB together", () => {
    const names = ["login.html", "login.css", "peyk-login.js"]
    const sizes = names.map((name) => readFileSync(join(root, "examples/login", name)).length)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(21 * 1024)
  })
})

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

  const within = (use: (page: Page) => Promise<void>, prepare?: (context: BrowserContext) => Promise<void>) =>
    visitLogin(browser, example, use, prepare)
  const signedIn = (page: Page, phone: string) => shows(page, `You are signed in as ${phone}.`)

  it("signs in with a phone and a code in Persian digits, which it groups while they are typed", async () => {
    await within(async (page) => {
      const phone = newPhone()
      const typed = inPersian(phone.replace("+98", "0"))
      const field = page.getByLabel("شماره موبایل")
      await field.pressSequentially(typed)
      expect(await field.inputValue()).toBe(`${typed.slice(0, 4)} ${typed.slice(4, 7)} ${typed.slice(7)}`)
      await page.keyboard.press("Enter")
      await shows(page, "کد ۶ رقمی را در «بله» به این شماره فرستادیم:")
      await codeField(page).pressSequentially(inPersian(await codeOf(server, phone)))
      await signedIn(page, phone)
    })
  })

  it.each(["+989121234567", "00989121234567", "9121234567", "٠٩١٢-١٢٣-٤٥٦٧"])(
    "takes a pasted %s",
    async (pasted) => {
      await within(async (page) => {
        await page.route("**/login/send", (route) => route.fulfill({ json: { error: "blocked_phone" } }))
        await page.getByLabel("شماره موبایل").fill(pasted)
        const sent = page.waitForRequest("**/login/send")
        await page.keyboard.press("Enter")
        expect((await sent).postDataJSON()).toEqual({ phone: "09121234567" })
        await shows(page, "برای این شماره نمی‌توانیم کد بفرستیم.")
      })
    }
  )

  it("signs in by itself where the browser reads the code of an SMS (WebOTP)", async () => {
    let giveCode = (_code: string) => {}
    const code = new Promise<string>((resolve) => (giveCode = resolve))
    await within(
      async (page) => {
        const phone = newPhone()
        await askForCode(page, phone)
        giveCode(await codeOf(server, phone))
        await signedIn(page, phone)
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

  it("has one code field that phones fill in, as long as the code", async () => {
    await within(async (page) => {
      await page.route("**/login/send", (route) =>
        route.fulfill({ json: { status: "queued", channel: "sms", expires_in: 300, code_length: 4 } })
      )
      await askForCode(page, newPhone())
      const field = codeField(page)
      expect(await field.getAttribute("autocomplete")).toBe("one-time-code")
      expect(await field.getAttribute("inputmode")).toBe("numeric")
      await shows(page, "کد ۴ رقمی را به این شماره پیامک کردیم:")
      const posted = page.waitForRequest("**/login/verify")
      // with what is around it in a message
      await field.fill("کد شما: ۱۲۳۴")
      expect((await posted).postDataJSON()).toEqual({ code: "1234" })
    })
  })

  it("says how many tries a wrong code leaves, and offers a new code when none is left", async () => {
    await within(async (page) => {
      const phone = newPhone()
      await askForCode(page, phone)
      const wrong = wrongFor(await codeOf(server, phone))
      for (const left of ["۴ بار", "۳ بار", "۲ بار", "فقط یک بار"]) {
        await codeField(page).fill(wrong)
        await shows(page, `کد درست نیست. ${left} دیگر می‌توانید امتحان کنید.`)
      }
      await codeField(page).fill(wrong)
      await shows(page, "چند بار کد اشتباه وارد شد و این کد باطل شد.")
      await page.getByRole("button", { name: "دریافت کد جدید" }).click()
      await codeField(page).waitFor()
      await expect.poll(() => codeOf(server, phone)).not.toBe("")
      await shows(page, "کد جدیدی فرستادیم؛ کد قبلی دیگر کار نمی‌کند.")
    })
  })

  it("tries another way, and names it", async () => {
    await within(async (page) => {
      const phone = newPhone()
      await askForCode(page, phone)
      await page.getByRole("button", { name: "روش دیگر" }).click()
      await shows(page, "کد ۶ رقمی را در «ایتا» به این شماره فرستادیم:")
      await codeField(page).fill(await codeOf(server, phone))
      await signedIn(page, phone)
    })
  })

  /** A server whose visitors may ask for an SMS and a call. */
  const offersChannels = (page: Page) =>
    page.route("**/login/send", (route) => {
      const json = { status: "queued", channel: "bale", expires_in: 120, code_length: 6 }
      return route.fulfill({ json: { ...json, channels: ["sms", "voice"] } })
    })

  it("has a button for each channel that visitors may ask for, also for the keyboard", async () => {
    await within(async (page) => {
      await offersChannels(page)
      await page.route("**/login/next", (route) =>
        route.fulfill({ json: { status: "queued", channel: "voice", next_in: null, channels: ["sms"] } })
      )
      await askForCode(page, newPhone())
      await page.getByRole("button", { name: "با پیامک" }).waitFor()
      const call = page.getByRole("button", { name: "تماس بگیرید" })
      await call.focus()
      const asked = page.waitForRequest("**/login/next")
      await page.keyboard.press("Enter")
      expect((await asked).postDataJSON()).toEqual({ channel: "voice" })
      const said = "با این شماره تماس می‌گیریم و کد ۶ رقمی را می‌گوییم:"
      await expect.poll(() => page.getByRole("status").filter({ hasText: said }).count()).toBe(1)
      await expect.poll(() => call.count()).toBe(0)
      expect(await page.getByRole("button", { name: "با پیامک" }).isVisible()).toBe(true)
      await expect.poll(() => codeField(page).evaluate("document.activeElement.name")).toBe("code")
    })
  })

  it.each([
    [422, { error: "invalid_channel" }, "کد را از این راه نمی‌توانیم بفرستیم.", 0],
    [402, { error: "insufficient_balance" }, "کد را از این راه نمی‌توانیم بفرستیم.", 0],
    [429, { error: "too_many_requests_phone_hour", retry_after: 600 }, "۱۰ دقیقه دیگر دوباره امتحان کنید.", 1]
  ] as const)("says in words that a channel is refused: %i", async (status, json, said, left) => {
    await within(async (page) => {
      await offersChannels(page)
      await page.route("**/login/next", (route) => route.fulfill({ status, json }))
      await askForCode(page, newPhone())
      const call = page.getByRole("button", { name: "تماس بگیرید" })
      await call.click()
      await shows(page, said)
      await expect.poll(() => call.count()).toBe(left)
      expect(await codeField(page).isVisible()).toBe(true)
      expect(await page.getByRole("button", { name: "با پیامک" }).isVisible()).toBe(true)
    })
  })

  it("has no such button where the server names no channel", async () => {
    await within(async (page) => {
      await askForCode(page, newPhone())
      expect(await page.getByRole("button", { name: /پیامک|تماس/ }).count()).toBe(0)
    })
  })

  it("signs in by a call that the visitor asked for, after an SMS for the site's own pages", async () => {
    const customer = await newCustomer(server)
    for (const channel of ["bale", "sms", "voice"]) await newAccount(server, customer.id, channel)
    const steps = [{ channel: "bale" }, { channel: "sms" }, { channel: "voice", on_request: true }]
    await server.cli("routing", "set", "--customer", customer.id, "--steps", JSON.stringify(steps))
    const site = "https://club.example.com"
    const sites = `https://shop.example.com,${site}`
    await server.cli("customer", "update", "--customer", customer.id, "--webotp-origins", sites)
    const options = `, { origin: "${site}", channels: ["sms", "voice"] })`
    const offering = await quickstarts.Express(
      { url: server.url, demo: { ...server.demo, live_key: customer.live } },
      (program) => program.replace(/(createLogin\(.*)\)$/m, `$1${options}`)
    )
    const sent = (phone: string) => simulated(server, phone)
    await visitLogin(browser, offering, async (page) => {
      const phone = newPhone()
      await askForCode(page, phone)
      await page.getByRole("button", { name: "با پیامک" }).click()
      await shows(page, "کد ۶ رقمی را به این شماره پیامک کردیم:")
      const code = await codeOf(server, phone)
      const sms = (await sent(phone)).find(({ channel }) => channel === "sms")
      expect(sms?.text.split("\n").at(-1)).toBe(`@club.example.com #${code}`)
      await page.getByRole("button", { name: "تماس بگیرید" }).click()
      await shows(page, "با این شماره تماس می‌گیریم و کد ۶ رقمی را می‌گوییم:")
      await expect.poll(async () => (await sent(phone)).map(({ channel }) => channel)).toContain("voice")
      const call = (await sent(phone)).find(({ channel }) => channel === "voice")
      await codeField(page).fill(spokenDigits(call?.text ?? ""))
      await signedIn(page, phone)
    }).finally(offering.stop)
  })

  it("sends again after a minute, and says that a code has expired", async () => {
    await within(
      async (page) => {
        await page.route("**/login/send", (route) =>
          route.fulfill({ json: { status: "queued", channel: "bale", expires_in: 120, code_length: 6 } })
        )
        await askForCode(page, newPhone())
        await shows(page, "ارسال دوباره تا")
        await page.clock.fastForward(61_000)
        await page.getByRole("button", { name: "ارسال دوباره" }).click()
        await shows(page, "کد جدیدی فرستادیم؛ کد قبلی دیگر کار نمی‌کند.")
        await page.clock.fastForward(121_000)
        await shows(page, "مهلت این کد تمام شد.")
        await page.getByRole("button", { name: "تغییر شماره" }).click()
        await page.getByLabel("شماره موبایل").waitFor()
      },
      (context) => context.clock.install()
    )
  })

  it("asks once for a code if the button is double-clicked", async () => {
    await within(async (page) => {
      const phone = newPhone()
      const posted: Array<string> = []
      page.on("request", (request) => {
        if (request.method() === "POST") posted.push(new URL(request.url()).pathname)
      })
      await page.getByLabel("شماره موبایل").fill(phone)
      await page.getByRole("button", { name: "دریافت کد تأیید" }).dblclick()
      await codeField(page).fill(await codeOf(server, phone))
      await signedIn(page, phone)
      expect(posted).toEqual(["/login/send", "/login/verify"])
    })
  })

  it("shows the code's step again if the phone dropped the page meanwhile", async () => {
    await within(async (page) => {
      const phone = newPhone()
      await askForCode(page, phone)
      await page.reload()
      await codeField(page).fill(await codeOf(server, phone))
      await signedIn(page, phone)
    })
  })

  it("does not say that a code is wrong if nobody could check it", async () => {
    await within(async (page) => {
      const phone = newPhone()
      await askForCode(page, phone)
      const failures: ReadonlyArray<readonly [(route: Route) => Promise<void>, string]> = [
        [(route) => route.fulfill({ status: 503, json: { error: "service_unavailable" } }), "مشکلی پیش آمد."],
        [(route) => route.abort(), "ارتباط برقرار نشد."],
        [(route) => route.fulfill({ status: 502, body: "<html>Bad Gateway</html>" }), "مشکلی پیش آمد."]
      ]
      for (const [fail, said] of failures) {
        await page.route("**/login/verify", fail, { times: 1 })
        await codeField(page).fill("111111")
        await shows(page, said)
      }
      await codeField(page).fill(await codeOf(server, phone))
      await signedIn(page, phone)
    })
  })

  it("keeps the verification's id out of the page", async () => {
    await within(async (page) => {
      const replies: Array<string> = []
      page.on("response", async (response) => {
        if (response.url().includes("/login/")) replies.push(await response.text())
      })
      await askForCode(page, newPhone())
      await page.getByRole("button", { name: "روش دیگر" }).click()
      await shows(page, "ایتا")
      const stored = await page.evaluate("JSON.stringify({ ...sessionStorage, ...localStorage })")
      expect([...replies, stored, await page.content()].join("")).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-7/)
    })
  })

  it("calls no other origin", async () => {
    await within(async (page) => {
      await page.evaluate(`{
        document.querySelector("peyk-login").remove()
        const element = document.createElement("peyk-login")
        element.setAttribute("endpoint", "https://elsewhere.example/login")
        document.querySelector("main").append(element)
      }`)
      const called: Array<string> = []
      page.on("requestfinished", (request) => called.push(request.url()))
      await page.getByLabel("شماره موبایل").fill("09121234567")
      await page.keyboard.press("Enter")
      await shows(page, "ارتباط برقرار نشد.")
      expect(called).toEqual([])
    })
  })

  it.each(["light", "dark"] as const)(
    "is accessible at each step, and fits a phone, under a strict policy: %s",
    async (colorScheme) => {
      const context = await browser.newContext({ colorScheme, viewport: { width: 390, height: 700 } })
      const page = await context.newPage()
      const problems: Array<string> = []
      page.on("console", (message) => message.type() === "error" && problems.push(message.text()))
      await page.route(`${example.url}/`, async (route) => {
        const response = await route.fetch()
        const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'"
        const headers = {
          ...response.headers(),
          "content-security-policy": `${policy}; require-trusted-types-for 'script'`
        }
        await route.fulfill({ response, headers })
      })
      const check = async () => {
        await page.evaluate(axe)
        const found = await page.evaluate(AXE_RESULTS)
        expect(found).toEqual([])
        const width = await page.evaluate("document.documentElement.scrollWidth")
        expect(width).toBeLessThanOrEqual(390)
      }
      await page.goto(example.url)
      await check()
      const phone = newPhone()
      await askForCode(page, phone)
      await check()
      const wrong = wrongFor(await codeOf(server, phone))
      for (const left of ["۴ بار", "۳ بار", "۲ بار", "فقط یک بار"]) {
        await codeField(page).fill(wrong)
        await shows(page, left)
      }
      await check()
      await codeField(page).fill(wrong)
      await page.getByRole("button", { name: "دریافت کد جدید" }).waitFor()
      await check()
      expect(problems).toEqual([])
      await context.close()
    }
  )
})
