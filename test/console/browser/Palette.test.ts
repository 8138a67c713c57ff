import type { Page } from "playwright-core"
import { beforeAll, expect, it } from "vitest"
import { signedIn, type Visitor } from "../Visitor.ts"
import { desktop } from "./kit/Looks.ts"
import { describeInBrowser } from "./kit/Suite.ts"

const pathOf = (page: Page) => new URL(page.url()).pathname

describeInBrowser("the palette is used with the keyboard alone:", (stage) => {
  let owner: Visitor
  beforeAll(async () => {
    owner = await signedIn(stage, stage.demo.customer_id, "owner")
  })

  const inPalette = (use: (page: Page) => Promise<void>) =>
    stage.within(desktop, owner, async ({ page, open }) => {
      await open("/console/overview")
      await page.keyboard.press("Control+k")
      await page.locator("dialog.palette[open]").waitFor()
      await use(page)
    })
  const chosen = (page: Page) => page.locator('dialog.palette [aria-selected="true"]')
  const titles = (page: Page) => page.locator("dialog.palette [role=option]").allInnerTexts()
  const typed = async (page: Page, text: string, first: string) => {
    await page.keyboard.type(text)
    await expect.poll(() => chosen(page).innerText()).toContain(first)
  }

  it("it opens with the field in focus, and says the chosen result to readers", () =>
    inPalette(async (page) => {
      expect(await page.evaluate("document.activeElement.role")).toBe("combobox")
      await expect.poll(() => chosen(page).count()).toBe(1)
      const field = page.locator("dialog.palette [role=combobox]")
      await expect.poll(() => field.getAttribute("aria-activedescendant")).toBe("palette-0")
      expect(await chosen(page).getAttribute("id")).toBe("palette-0")
    }))

  it("arrows go round the results, and Enter opens the chosen one", () =>
    inPalette(async (page) => {
      await typed(page, "key", "key")
      const all = await titles(page)
      expect(all.length).toBeGreaterThan(1)
      await page.keyboard.press("ArrowUp")
      expect(await chosen(page).innerText()).toBe(all.at(-1))
      await page.keyboard.press("ArrowDown")
      expect(await chosen(page).innerText()).toBe(all[0])
      await page.keyboard.press("ArrowDown")
      expect(await chosen(page).innerText()).toBe(all[1])
      const href = await chosen(page).getAttribute("data-href")
      await page.keyboard.press("Enter")
      await expect.poll(() => pathOf(page)).toBe(href)
    }))

  it("Enter right after the last letter opens what these letters find", () =>
    inPalette(async (page) => {
      await page.keyboard.type("statement")
      await page.keyboard.press("Enter")
      await expect.poll(() => pathOf(page)).toBe("/console/wallet/statement")
    }))

  it("Ctrl+Enter opens another tab, and leaves this one as it is", () =>
    inPalette(async (page) => {
      await typed(page, "routing", "outing")
      const opened = page.context().waitForEvent("page")
      await page.keyboard.press("Control+Enter")
      const tab = await opened
      await expect.poll(() => pathOf(tab)).toMatch(/^\/console\/routing/)
      await tab.close()
      expect(pathOf(page)).toBe("/console/overview")
    }))

  it("Escape and Ctrl+K close it, and the focus is back where it was; Tab does not leave it", () =>
    stage.within(desktop, owner, async ({ page, open }) => {
      await open("/console/overview")
      const focused = () => page.evaluate<string>("document.activeElement.getAttribute('href') ?? ''")
      await page.locator('nav a[href="/console/guard"]').first().focus()
      for (const key of ["Escape", "Control+k"]) {
        await page.keyboard.press("Control+k")
        await page.locator("dialog.palette[open]").waitFor()
        await page.keyboard.press("Tab")
        expect(await page.evaluate("document.activeElement.closest('dialog, body').className")).toMatch(
          /palette|^$/
        )
        await page.keyboard.press(key)
        await expect.poll(() => page.locator("dialog.palette[open]").count()).toBe(0)
        await expect.poll(focused).toBe("/console/guard")
      }
    }))

  it("after a search that failed, Enter follows no result of the one before", () =>
    stage.within(desktop, owner, async ({ page, open, problems }) => {
      await open("/console/overview")
      await page.keyboard.press("Control+k")
      await page.locator("dialog.palette[open]").waitFor()
      await typed(page, "routing", "outing")
      await page.route("**/console/search?q=routings", (route) => route.abort())
      await page.keyboard.type("s")
      await page.keyboard.press("Enter")
      await expect.poll(() => page.locator(".palette-status").innerText()).toContain("The search failed")
      await page.keyboard.press("Escape")
      await expect.poll(() => page.locator("dialog.palette[open]").count()).toBe(0)
      expect(pathOf(page)).toBe("/console/overview")
      // the browser's own line of the request that failed
      problems()
    }))

  it("what is not found is said, and Enter does nothing", () =>
    inPalette(async (page) => {
      await page.keyboard.type("zzzzzz")
      await expect.poll(() => page.locator(".palette-status").innerText()).toBe("Nothing found")
      await page.keyboard.press("Enter")
      await page.keyboard.press("ArrowDown")
      expect(await titles(page)).toEqual([])
      expect(pathOf(page)).toBe("/console/overview")
    }))
})
