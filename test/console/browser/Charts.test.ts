import { beforeAll, expect, it } from "vitest"
import { newPhone, otp } from "../../contract/Client.ts"
import { signedIn, type Visitor } from "../Visitor.ts"
import { desktop } from "./kit/Looks.ts"
import { describeInBrowser } from "./kit/Suite.ts"

describeInBrowser("a chart in a browser", (stage) => {
  let owner: Visitor
  beforeAll(async () => {
    owner = await signedIn(stage, stage.demo.customer_id, "owner")
    // Before anybody looks: figures are up to 15 seconds old.
    await otp(stage, stage.demo.live_key).sent({ phone: newPhone(), channels: "sms" })
  })

  it("has only whole numbers on an axis of counts", async () => {
    await stage.withinNew(desktop, owner, async ({ open, page }) => {
      await page.addInitScript(`
        globalThis.written = []
        const write = CanvasRenderingContext2D.prototype.fillText
        CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
          globalThis.written.push(text)
          return write.call(this, text, ...place)
        }`)
      // Two series of 5 each make an axis up to 11, on which uPlot would have steps of 2.5.
      await page.route("**/console/usage", async (route) => {
        const response = await route.fetch()
        const body = (await response.text()).replaceAll(/data-value="\d+"/g, 'data-value="5"')
        await route.fulfill({ response, body })
      })
      await open("/console/usage")
      await page.locator("[data-chart] canvas").first().waitFor()
      const written = (await page.evaluate("globalThis.written")) as ReadonlyArray<string>
      const figures = written.filter((text) => /^[\d.]+$/.test(text))
      expect(figures).toContain("10")
      expect(figures.filter((text) => text.includes("."))).toEqual([])
    })
  })

  it("draws each figure of insights by itself, as high as its place, and stays when the page is up to date again", async () => {
    await stage.within(desktop, owner, async ({ open, page, problems, barriers }) => {
      const plots = page.locator("[data-chart] .chart-plot canvas")
      await open("/console/insights")
      await expect.poll(() => plots.count(), { timeout: 15_000 }).toBe(6)
      const heights = await page
        .locator(".chart.small .chart-plot")
        .evaluateAll((all) => all.map(({ clientHeight }) => clientHeight))
      expect(new Set(heights)).toEqual(new Set([150]))
      expect(await page.locator("[data-chart] th[data-kind=dashed]").count()).toBe(5)
      await page.evaluate("dispatchEvent(new Event('peyk:refreshed'))")
      expect(await plots.count()).toBe(6)
      expect(await barriers()).toEqual([])
      expect(problems()).toEqual([])
    })
  })
})
