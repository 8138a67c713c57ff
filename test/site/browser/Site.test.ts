import { expect, it } from "vitest"
import { desktop, type Look } from "../../console/browser/kit/Looks.ts"
import type { Tab } from "../../console/browser/kit/Tab.ts"
import { describeSite, expectGood, pathIn, withoutMissing } from "./SitePages.ts"

const persian: Look = { ...desktop, language: "fa" }
const phone: Look = { ...desktop, device: "phone" }

describeSite("the documentation", (stage) => {
  const at = async (look: Look, page: string, use: (tab: Tab) => Promise<void>) =>
    stage.within(look, undefined, async (tab) => {
      await tab.open(pathIn(look, page))
      await use(tab)
      expect(withoutMissing(tab.problems())).toEqual([])
    })

  it.each([desktop, { ...persian, device: "phone", theme: "dark" } as const])(
    "keeps to its policy, fits and has no barriers: %j",
    async (look) => expectGood(stage, look, ["", "quickstarts/", "console/"])
  )

  const search = async ({ page }: Tab, words: string) => {
    await page.keyboard.press("Control+k")
    await page.locator("[data-search] input").fill(words)
    await expect.poll(() => page.locator(".search-status").textContent()).not.toBe("")
  }
  const results = ({ page }: Tab) => page.locator(".search-results a")
  const status = ({ page }: Tab) => page.locator(".search-status")

  it.each([
    [desktop, "channel_ambiguous", "verification/", "channel_ambiguous"],
    [desktop, "limit per phone", "limits/", "phone"],
    [desktop, "verify a webhook", "webhooks/", "webhook"],
    [persian, "وب‌هوک", "fa/webhooks/", "وب"],
    [persian, "channel_ambiguous", "verification/", "channel_ambiguous"],
    [persian, "وب هوک", "fa/webhooks/", "وب"],
    [
      desktop,
      "how do i verify a webhook in PHP",
      "webhooks/#how-do-i-verify-a-webhook-in-typescript-python-or-php",
      "php"
    ]
  ] as const)("finds by words, with where they stand: %j %s", async (look, words, path, word) => {
    await at(look, "", async (tab) => {
      await search(tab, words)
      const links = await results(tab).evaluateAll((all) =>
        all.slice(0, 6).map((link) => link.getAttribute("href") ?? "")
      )
      expect(
        links.some((link) => link.includes(path)),
        links.join("\n")
      ).toBe(true)
      expect((await results(tab).locator("mark").allTextContents()).join(" ").toLowerCase()).toContain(word)
      for (const link of links.filter((each) => each.includes("#"))) {
        const { pathname, hash } = new URL(link, stage.url)
        const text = await (await fetch(`${stage.url}${pathname}`)).text()
        expect(text).toContain(`id="${decodeURIComponent(hash.slice(1))}"`)
      }
    })
  })

  it("goes through the results by keyboard, and opens one", async () => {
    await at(desktop, "", async (tab) => {
      await search(tab, "webhook")
      const chosen = tab.page.locator(".search-results [aria-selected=true]")
      const first = await chosen.getAttribute("href")
      await tab.page.keyboard.press("ArrowDown")
      const second = await chosen.getAttribute("href")
      expect(second).not.toBe(first)
      await tab.page.keyboard.press("Enter")
      await tab.page.waitForURL((url) => url.pathname === new URL(second ?? "", stage.url).pathname)
    })
  })

  it.each([
    [desktop, "channel_ambiguous", "/docs/errors/#channel_ambiguous"],
    [desktop, "what is the limit per phone", "/docs/limits/#which-limits-are-there"],
    [persian, "کد نرسید", "/docs/fa/console/#چرا-یک-کد-نرسید"]
  ] as const)("opens the answer with Enter: %j %s", async (look, words, answer) => {
    await at(look, "", async (tab) => {
      await search(tab, words)
      await tab.page.keyboard.press("Enter")
      await tab.page.waitForURL((url) => `${url.pathname}${decodeURIComponent(url.hash)}` === answer)
      expect(await tab.page.locator(":target").count()).toBe(1)
    })
  })

  it.each([
    [desktop, "Nothing found"],
    [persian, "چیزی پیدا نشد"]
  ] as const)("says that nothing was found: %j", async (look, text) => {
    await at(look, "", async (tab) => {
      await search(tab, "jjvwkkzt")
      await expect.poll(() => status(tab).textContent()).toContain(text)
      expect(await results(tab).count()).toBe(0)
      await tab.page.keyboard.press("Escape")
      expect(await tab.page.locator("dialog[open]").count()).toBe(0)
    })
  })

  it("shows all code in the language that was chosen once, and copies it", async () => {
    await at(desktop, "quickstarts/", async (tab) => {
      await tab.page.locator(".tab-list button", { hasText: "PHP" }).first().click()
      expect(await tab.page.locator(".tabs .frame:not([hidden]) pre").first().textContent()).toContain(
        "<?php"
      )
      await tab.open("/docs/")
      expect(await tab.page.locator(".tabs [aria-selected=true]").first().textContent()).toBe("PHP")
      expect(await tab.page.locator(".frame .copy").count()).toBeGreaterThan(0)
    })
  })

  it("leads from a page to the same one in the other language, and marks it in the sidebar", async () => {
    await at(desktop, "verification/", async (tab) => {
      const current = await tab.page.locator("nav [aria-current=page]").allTextContents()
      expect(current.map((label) => label.trim())).toEqual(["One-time codes"])
      await tab.page.locator("a.language").click()
      await tab.page.waitForURL("**/docs/fa/verification/")
      expect(await tab.page.locator("html").getAttribute("dir")).toBe("rtl")
      await tab.page.locator("a.language").click()
      await tab.page.waitForURL("**/docs/verification/")
    })
  })

  it("remembers the theme", async () => {
    await at(phone, "", async (tab) => {
      await tab.page.locator("[data-theme-switch]").click()
      await tab.open("/docs/verification/")
      expect(await tab.page.locator("html").getAttribute("data-theme")).toBe("dark")
    })
  })
})
