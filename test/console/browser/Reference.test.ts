import { expect, it } from "vitest"
import { desktop, type Look } from "./kit/Looks.ts"
import { describeInBrowser, type Stage } from "./kit/Suite.ts"
import type { Tab } from "./kit/Tab.ts"
import { expectGoodReference } from "./kit/ReferenceLooks.ts"

const REFERENCE = "/docs/api"

const phone: Look = { ...desktop, device: "phone", theme: "dark" }

const use = async (stage: Stage, look: Look, path: string, then: (tab: Tab) => Promise<void>) =>
  stage.within(look, undefined, async (tab) => {
    await tab.open(path)
    await then(tab)
  })

/** All that a tab asks of servers: addresses, keys and bodies. */
const requestsOf = ({ page }: Tab) => {
  const all: Array<{ readonly url: string; readonly key: string | undefined; readonly body: string | null }> =
    []
  page.on("request", (request) =>
    all.push({ url: request.url(), key: request.headers()["x-api-key"], body: request.postData() })
  )
  return all
}

describeInBrowser("the reference", (stage) => {
  it.each([desktop, phone])(
    "keeps to its policy, fits the window, is short enough and has no barriers: %j",
    { timeout: 60_000 },
    async (look) => expectGoodReference(stage, look, ["", "/sandbox", "/errors"])
  )

  it("has no barriers with all that folds open", { timeout: 60_000 }, async () => {
    await use(stage, desktop, `${REFERENCE}/sandbox`, async (tab) => {
      await tab.page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
      expect(await tab.barriers()).toEqual([])
      expect(await tab.overflow()).toBeLessThanOrEqual(0)
    })
  })

  it.each([
    ["#otp.send", "/docs/api/verification", "otp.send"],
    ["/otp.verify", "/docs/api/verification", "otp.verify"],
    ["#channel_ambiguous", "/docs/api/errors", "channel_ambiguous"],
    ["/channel_ambiguous", "/docs/api/errors", "channel_ambiguous"],
    ["/verification#otp.send.body.channels.wait", "/docs/api/verification", "otp.send.body.channels.wait"],
    ["/verification#otp.send.internal_error", "/docs/api/verification", "otp.send.internal_error"]
  ])("opens what %s names", async (address, path, id) => {
    await use(stage, desktop, `${REFERENCE}${address}`, async ({ page }) => {
      await page.waitForURL((url) => url.pathname === path)
      await expect.poll(() => page.locator(`[id="${id}"]`).isVisible()).toBe(true)
      await expect
        .poll(() => page.locator(`[id="${id}"]`).evaluate((part) => part.getBoundingClientRect().top))
        .toBeLessThan(800)
    })
  })

  it.each([
    ["/verification#otp.send.internal_error", "otp.send.internal_error"],
    ["/otp.verify", "otp.verify"],
    ["#channel_ambiguous", "channel_ambiguous"]
  ])("opens what %s names without scripts", async (address, id) => {
    await use(stage, { ...desktop, scripts: false }, `${REFERENCE}${address}`, async ({ page }) => {
      expect(await page.locator(`[id="${id}"]`).isVisible()).toBe(true)
    })
  })

  it("remembers the language of examples on all pages, and shares it with the documentation", async () => {
    await use(stage, desktop, `${REFERENCE}/verification`, async ({ page }) => {
      const article = page.locator('[id="otp.send"]')
      await article.locator("button:visible", { hasText: "PHP" }).click()
      expect(await article.locator(".languages pre:visible").textContent()).toContain("$peyk->otp->send(")
      await page.goto(`${stage.url}${REFERENCE}/messaging`)
      expect(await page.locator(".languages pre:visible").first().textContent()).toContain(
        "$peyk->messages->send("
      )
      expect(await page.evaluate("localStorage.getItem('peyk-docs-language')")).toBe("PHP")
    })
  })

  it("changes the language by keyboard, where the example stands", async () => {
    await use(stage, desktop, `${REFERENCE}/verification`, async ({ page }) => {
      const article = page.locator('[id="otp.verify"]')
      await article.locator('[role=tab][aria-selected="true"]:visible').focus()
      await page.keyboard.press("ArrowRight")
      expect(await article.locator(".languages pre:visible").textContent()).toContain(
        "await peyk.otp.verify("
      )
      expect(await page.locator(":focus").textContent()).toBe("TypeScript")
    })
  })

  it("changes the language without scripts, too", async () => {
    await use(stage, { ...desktop, scripts: false }, `${REFERENCE}/verification`, async ({ page }) => {
      await page.locator("#show-python").check()
      expect(await page.locator(".languages pre:visible").first().textContent()).toContain("peyk.otp.send(")
    })
  })

  it("copies an example", async () => {
    await use(stage, desktop, `${REFERENCE}/verification`, async ({ page }) => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
      const figure = page.locator('[id="otp.cancel"] .languages .code:visible')
      await figure.locator(".copy").click()
      await expect.poll(() => figure.locator(".copy").textContent()).toBe("Copied")
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
        await figure.locator("pre").textContent()
      )
    })
  })

  it("remembers the theme, which is the documentation's too", async () => {
    await use(stage, desktop, REFERENCE, async ({ page }) => {
      await page.locator("[data-theme-switch]").click()
      await page.goto(`${stage.url}${REFERENCE}/errors`)
      expect(await page.locator("html").getAttribute("data-theme")).toBe("dark")
      expect(await page.evaluate("localStorage.getItem('starlight-theme')")).toBe("dark")
    })
  })
})

describeInBrowser("the search of the reference", (stage) => {
  const search = async ({ page }: Tab, words: string) => {
    await page.keyboard.press("/")
    await page.locator("[data-search] input").fill(words)
    await expect.poll(() => page.locator(".search-status").textContent()).not.toBe("")
  }

  it.each([
    ["channel_ambiguous", "/docs/api/errors#channel_ambiguous"],
    ["channel_timeout", "/docs/api/verification#otp.send.body.channel_timeout"],
    ["otp send", "/docs/api/verification#otp.send"],
    ["/v1/messages/batch", "/docs/api/messaging#messages.batch"],
    ["rotate", "/docs/api/management-service-keys#api-keys.rotate"]
  ])("finds %s by keyboard", async (words, target) => {
    await use(stage, desktop, REFERENCE, async (tab) => {
      await search(tab, words)
      const links = await tab.page
        .locator(".search-results a")
        .evaluateAll((all) => all.slice(0, 5).map((link) => link.getAttribute("href")))
      expect(links).toContain(target)
      for (let step = links.indexOf(target); step > 0; step--) await tab.page.keyboard.press("ArrowDown")
      await tab.page.keyboard.press("Enter")
      await tab.page.waitForURL(`${stage.url}${target}`)
    })
  })

  it("says that nothing was found, and closes", async () => {
    await use(stage, desktop, REFERENCE, async (tab) => {
      await search(tab, "jjvwkkzt")
      expect(await tab.page.locator(".search-status").textContent()).toContain("Nothing found")
      expect(await tab.page.locator(".search-results a").count()).toBe(0)
      expect(await tab.barriers()).toEqual([])
      await tab.page.keyboard.press("Escape")
      expect(await tab.page.locator("dialog[open]").count()).toBe(0)
    })
  })
})

describeInBrowser("trying an operation in the reference", (stage) => {
  const form = ({ page }: Tab, id: string) => page.locator(`[id="${id}"] .try`)
  const openForm = async (tab: Tab, id: string) => {
    await form(tab, id).locator("> details > summary").click()
    return form(tab, id)
  }

  it("sends a code and verifies it in the sandbox, with status, headers and body", async () => {
    await use(stage, desktop, `${REFERENCE}/sandbox`, async (tab) => {
      const asked = requestsOf(tab)
      const send = await openForm(tab, "sandbox.send")
      await send.locator("[name=key]").fill(stage.demo.test_key)
      await send.locator("[type=submit]").click()
      await expect.poll(() => send.locator(".line").textContent()).toMatch(/^200/)
      expect(await send.locator(".outcome pre").first().textContent()).toContain('"verification_id"')
      await send.locator(".outcome summary").click()
      expect(await send.locator(".outcome .more pre").textContent()).toMatch(/^x-request-id: /m)

      // the key and the id are there already
      const verify = await openForm(tab, "sandbox.verify")
      await verify.locator("[type=submit]").click()
      await expect.poll(() => verify.locator(".line").textContent()).toMatch(/^200/)
      expect(JSON.parse((await verify.locator(".outcome pre").first().textContent()) ?? "")).toEqual({
        verified: true,
        reason: "ok"
      })
      const read = await openForm(tab, "sandbox.status")
      await read.locator("[type=submit]").click()
      await expect.poll(() => read.locator(".outcome pre").first().textContent()).toContain('"verified"')
      expect(asked.filter(({ key }) => key !== undefined)).toHaveLength(3)
      for (const { url } of asked) expect(url.startsWith(`${stage.url}/`)).toBe(true)
    })
  })

  it("shows an error with a link to what to do", async () => {
    await use(stage, desktop, `${REFERENCE}/sandbox`, async (tab) => {
      const send = await openForm(tab, "sandbox.send")
      await send.locator("[name=key]").fill(stage.demo.test_key)
      await send.locator("[name=body]").fill('{"phone":"12"}')
      await send.locator("[type=submit]").click()
      await expect.poll(() => send.locator(".line").textContent()).toMatch(/^422/)
      expect(await send.locator(".line a").getAttribute("href")).toBe("/docs/api/errors#invalid_phone")
      tab.problems()
    })
  })

  it.each([
    ["live_key", "This is a live key"],
    ["token", "personal access token"]
  ] as const)("refuses a %s with a sentence, and sends it nowhere", async (name, sentence) => {
    await use(stage, desktop, `${REFERENCE}/sandbox`, async (tab) => {
      const asked = requestsOf(tab)
      const send = await openForm(tab, "sandbox.send")
      await send.locator("[name=key]").fill(` ${stage.demo[name]} `)
      await send.locator("[type=submit]").click()
      await expect.poll(() => send.locator(".wrong").textContent()).toContain(sentence)
      expect(asked.filter(({ url }) => url.includes("/v1/"))).toEqual([])
      expect(JSON.stringify(asked)).not.toContain(stage.demo[name])
      if (name === "live_key") expect(await send.locator("[name=key]").inputValue()).toBe("")
      expect(await tab.barriers()).toEqual([])
    })
  })

  it("keeps the key in the tab's memory only", async () => {
    await use(stage, desktop, `${REFERENCE}/sandbox`, async (tab) => {
      const send = await openForm(tab, "sandbox.send")
      await send.locator("[name=key]").fill(stage.demo.test_key)
      await send.locator("[type=submit]").click()
      await expect.poll(() => send.locator(".line").textContent()).toMatch(/^200/)
      const kept = await tab.page.evaluate<string>(
        "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state])"
      )
      expect(kept).not.toContain("svc_test_")
      await tab.page.reload()
      const again = await openForm(tab, "sandbox.send")
      expect(await again.locator("[name=key]").inputValue()).toBe("")
    })
  })

  it("is not offered without scripts, nor for what sends", async () => {
    await use(stage, { ...desktop, scripts: false }, `${REFERENCE}/sandbox`, async ({ page }) => {
      expect(await page.locator(".try:visible").count()).toBe(0)
    })
    await use(stage, desktop, `${REFERENCE}/verification`, async ({ page }) => {
      expect(await page.locator(".try").count()).toBe(0)
    })
  })
})
