import { afterAll, beforeAll, expect, it } from "vitest"
import { until } from "../../contract/Server.ts"
import { demoApi } from "../Forms.ts"
import { newOperator, signedIn, type Visitor } from "../Visitor.ts"
import { newWebhook, type Receiver, someActivity, someRarities } from "./kit/Activity.ts"
import { desktop, type Look } from "./kit/Looks.ts"
import { operatorPagesOf, pagesOf } from "./kit/Pages.ts"
import { describeInBrowser } from "./kit/Suite.ts"
import type { Tab } from "./kit/Tab.ts"

const WIDTHS = [390, 820, 1024, 1440]
const NAME = "a-very-long-name-without-any-space-that-somebody-made-with-a-generator-0123456789"
const PERSIAN = "فروشگاه بسیار بزرگ و نامدار لاله با نامی بسیار درازتر از آنچه انتظار می‌رود"
/** 110 characters. */
const ADDRESS = `http://127.0.0.1:9/${"hooks/".repeat(13)}?token=01234`.padEnd(110, "x")

/** A name that no line can break, of a server that does not answer: the overview names it among what needs attention. */
const HOST = `${"a".repeat(60)}.${"b".repeat(60)}.localhost:9`

/** What leaves its panel, and tables that hide columns: where nothing scrolls, nothing is hidden. */
const OUTSIDE = `(() => {
  const found = []
  const { scrollWidth, clientWidth } = document.documentElement
  if (scrollWidth > clientWidth) found.push("the page, by " + (scrollWidth - clientWidth))
  for (const box of document.querySelectorAll(".panel > .table-scroll"))
    if (box.scrollWidth > box.clientWidth + 1) found.push("a table, by " + (box.scrollWidth - box.clientWidth))
  for (const each of document.querySelectorAll("main *")) {
    if (each.closest(".hidden, .table-scroll, pre, .chart-plot, .confirm-panel, .clip, svg, details:not([open]) > *")) continue
    const own = each.getBoundingClientRect()
    const around = each.closest(".panel, main").getBoundingClientRect()
    const by = Math.round(Math.max(own.right - around.right, around.left - own.left))
    if (own.width > 0 && by > 1) found.push("<" + each.tagName.toLowerCase() + " class=" + each.className + ">, by " + by)
  }
  return [...new Set(found)].slice(0, 3)
})()`

describeInBrowser("pages with long values", (stage) => {
  let owner: Visitor
  let operator: Visitor
  let receiver: Receiver | undefined
  let paths: ReadonlyArray<string>
  beforeAll(async () => {
    owner = await signedIn(stage, stage.demo.customer_id, "owner")
    operator = await newOperator(stage, "widths@example.ir")
    await newWebhook(stage, `http://${HOST}/events`)
    receiver = await someActivity(stage)
    await until("the failing webhook on the overview", async () =>
      (await owner.get("/console/overview")).text.includes(HOST) ? true : undefined
    )
    await newWebhook(stage, ADDRESS)
    const api = demoApi(stage)
    await api("POST", "/api-keys", { name: NAME, mode: "live" })
    await api("POST", "/api-keys", { name: PERSIAN, mode: "test" })
    await api("POST", "/templates", { name: NAME, body: `{{code}} ${PERSIAN} ${NAME}` })
    for (const label of [NAME, PERSIAN])
      await api("POST", "/accounts", { channel: "rubika", provider: "simulator", label, settings: {} })
    await someRarities(stage, owner)
    paths = await pagesOf(owner)
  })
  afterAll(() => receiver?.close())

  const at = async ({ page }: Tab, width: number, height = 900) => {
    await page.setViewportSize({ width, height })
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
  }

  const outsideAt = async (look: Look, visitor: Visitor, all: ReadonlyArray<string>) => {
    const found: Array<string> = []
    await stage.within(look, visitor, async (tab) => {
      for (const path of all) {
        await tab.open(path)
        for (const width of WIDTHS) {
          await at(tab, width)
          const outside = await tab.page.evaluate<ReadonlyArray<string>>(OUTSIDE)
          found.push(...outside.map((what) => `${path} at ${width} px: ${what}`))
        }
      }
    })
    return found.join("\n")
  }

  it.each([
    ["en", "light"],
    ["fa", "dark"]
  ] as const)(
    "keep everything in its panel at every width: %s, %s",
    { timeout: 120_000 },
    async (language, theme) => {
      const look: Look = { ...desktop, language, theme }
      expect(await outsideAt(look, owner, paths)).toBe("")
      expect(await outsideAt(look, operator, await operatorPagesOf(operator))).toBe("")
    }
  )

  it.each(["en", "fa"] as const)("show a new key whole on a phone: %s", async (language) => {
    await stage.within({ ...desktop, language, device: "phone" }, owner, async (tab) => {
      await tab.open("/console/keys/new")
      await tab.page.locator('[name="name"]').fill(NAME)
      await tab.page.locator("form .button.primary").click()
      await tab.page.locator(".secret code").waitFor()
      expect(await tab.overflow()).toBeLessThanOrEqual(0)
      expect(await tab.page.evaluate<ReadonlyArray<string>>(OUTSIDE)).toEqual([])
    })
  })

  it.each(["en", "fa"] as const)("have their tools in one line on a phone: %s", async (language) => {
    await stage.within({ ...desktop, language, device: "phone" }, owner, async (tab) => {
      for (const path of ["/console/overview", "/console/alerts", "/console/keys"]) {
        await tab.open(path)
        const tops = await tab.page
          .locator(".top .choice:visible")
          .evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().top / 8)))
        expect(new Set(tops).size, path).toBe(1)
      }
    })
  })

  it.each(["en", "fa"] as const)("open a calendar at its field: %s", async (language) => {
    await stage.within({ ...desktop, language }, owner, async (tab) => {
      await at(tab, 1440)
      await tab.open("/console/wallet")
      await tab.page.locator("details:has(#filter-from) > summary").click()
      for (const name of ["from", "to"]) {
        await tab.page.locator(`[data-date-open="filter-${name}"]`).click()
        const [calendar, field] = await Promise.all(
          [".calendar[open]", `#filter-${name}`].map((each) => tab.page.locator(each).boundingBox())
        )
        const edgeOf = (box: typeof field) =>
          Math.round((box?.x ?? 0) + (language === "fa" ? (box?.width ?? 0) : 0))
        expect(edgeOf(calendar ?? null), name).toBe(edgeOf(field ?? null))
        await tab.page.keyboard.press("Escape")
      }
    })
  })

  it("redraw a chart when its place gets narrower", async () => {
    await stage.within(desktop, owner, async (tab) => {
      for (const path of ["/console/overview", "/console/usage"]) {
        await at(tab, 1440)
        await tab.open(path)
        const canvas = tab.page.locator("[data-chart] canvas").first()
        await canvas.waitFor()
        for (const width of [1000, 828, 390]) {
          await at(tab, width)
          await expect.poll(() => tab.overflow(), { message: `${path} at ${width}` }).toBeLessThanOrEqual(0)
          await expect
            .poll(async () => (await canvas.boundingBox())?.width ?? 9999, { message: `${path} at ${width}` })
            .toBeLessThan(width)
        }
      }
    })
  })

  it("show the state of every webhook, however long their addresses are", async () => {
    await stage.within(desktop, owner, async (tab) => {
      await tab.open("/console/webhooks")
      for (const width of WIDTHS) {
        await at(tab, width)
        for (const badge of await tab.page.locator("td .badge").all()) {
          const box = await badge.boundingBox()
          expect((box?.x ?? 9999) + (box?.width ?? 0), `at ${width}`).toBeLessThanOrEqual(width)
        }
      }
      expect(await tab.page.getByTitle(ADDRESS).count()).toBe(1)
    })
  })

  it.each(["en", "fa"] as const)("have the way out in view: %s", async (language) => {
    for (const [visitor, path] of [
      [owner, "/console/overview"],
      [operator, "/console/customers"]
    ] as const) {
      await stage.within({ ...desktop, language }, visitor, async (tab) => {
        await tab.open(path)
        for (const [width, height] of [
          [1440, 900],
          [1024, 768],
          [1280, 600],
          [390, 844]
        ] as const) {
          await at(tab, width, height)
          if (width < 860) await tab.page.locator(".nav-drawer summary").click()
          const box = await tab.page.locator(".account form button:visible").boundingBox()
          expect((box?.y ?? 9999) + (box?.height ?? 0), `${path} at ${width}×${height}`).toBeLessThanOrEqual(
            height
          )
        }
      })
    }
  })
})
