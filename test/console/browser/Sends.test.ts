import { beforeAll, expect, it } from "vitest"
import { signedIn, type Visitor } from "../Visitor.ts"
import { receivedCode, sendCode } from "./kit/Activity.ts"
import { desktop, type Look } from "./kit/Looks.ts"
import { describeInBrowser } from "./kit/Suite.ts"

describeInBrowser("the page of a code", (stage) => {
  let owner: Visitor
  beforeAll(async () => {
    owner = await signedIn(stage, stage.demo.customer_id, "owner")
  })

  it("moves on by itself: the next channel, then the end", async () => {
    const phone = "+989121239001"
    const { verification_id: id } = await sendCode(stage, phone)
    await stage.within(desktop, owner, async ({ open, page }) => {
      await open(`/console/verifications/${id}`)
      await page.getByText("Sent over Bale", { exact: true }).waitFor()
      await page.getByRole("button", { name: "Try next channel now" }).click()
      await page.getByText("Sent over Eitaa", { exact: true }).waitFor()
      const code = await receivedCode(stage, phone)
      await fetch(`${stage.url}/v1/otp/verify`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": stage.demo.live_key },
        body: JSON.stringify({ verification_id: id, code })
      })
      await page.getByText("Verified: the right code was entered").waitFor()
      expect(await page.locator("[data-live]").count()).toBe(0)
    })
  })

  it("explains a code from the overview in three clicks", async () => {
    const { verification_id: id } = await sendCode(stage, "+989121239002", { channels: ["sms"] })
    await stage.within(desktop, owner, async ({ open, page }) => {
      await open("/console/overview")
      await page
        .getByRole("navigation", { name: "Main" })
        .getByRole("link", { name: "Verifications" })
        .click()
      await page.locator(`a[href="/console/verifications/${id}"]`).click()
      await page.getByRole("heading", { name: "What happened" }).waitFor()
      expect(await page.getByRole("region", { name: "What happened" }).innerText()).toContain(
        "The code was sent over SMS. It has not been entered yet."
      )
    })
  })
})

const onPhone: Look = { ...desktop, device: "phone" }

describeInBrowser("the list of codes", (stage) => {
  let owner: Visitor
  beforeAll(async () => {
    owner = await signedIn(stage, stage.demo.customer_id, "owner")
  })

  /** A list of its own, of phones with these last digits: other files send codes of the same customer meanwhile. */
  const listOf = (end: string) => ({
    path: `/console/verifications?q=${end}`,
    sent: async (prefix = "91212") => {
      const { verification_id: id } = await sendCode(stage, `+98${prefix}3${end}`, { channels: ["sms"] })
      return `/console/verifications/${id}`
    }
  })

  it("keeps its rows in their places while somebody points at it, and says how many are new", async () => {
    const { path, sent } = listOf("9011")
    const first = await sent("91211")
    await stage.within(desktop, owner, async ({ open, page }) => {
      await open(path)
      const row = page.locator("tr", { has: page.locator(`a[href="${first}"]`) })
      await row.hover()
      const before = await row.boundingBox()
      const second = await sent("91212")
      await page.getByRole("button", { name: "1 new" }).waitFor()
      expect(await row.boundingBox()).toEqual(before)
      const third = await sent("91213")
      const fresh = page.getByRole("button", { name: "2 new" })
      await fresh.waitFor()
      expect(await page.locator(`a[href="${second}"]`).count()).toBe(0)
      expect(await page.locator("#sent-list tbody tr").first().innerHTML()).toContain(first)
      expect(await row.boundingBox()).toEqual(before)
      await fresh.click()
      await page.locator(`a[href="${third}"]`).waitFor()
      expect(await fresh.count()).toBe(0)
      expect(await page.locator(`a[href="${second}"]`).count()).toBe(1)
    })
  })

  it("takes new rows in by itself while nobody reads it", async () => {
    const { path, sent } = listOf("9014")
    await sent("91211")
    await stage.within(desktop, owner, async ({ open, page }) => {
      await open(path)
      const next = await sent()
      await page.locator(`a[href="${next}"]`).waitFor()
      expect(await page.locator(".new-rows").count()).toBe(0)
    })
  })

  it("asks less often if nobody has touched the page for two minutes, and at once again when somebody does", async () => {
    const { path } = listOf("9013")
    await stage.within(desktop, owner, async ({ open, page }) => {
      await page.clock.install()
      await open(path)
      const asks = () => page.waitForRequest((request) => request.url().endsWith(path))
      let count = 0
      page.on("request", (request) => {
        if (request.url().endsWith(path)) count += 1
      })
      const secondsPass = async (seconds: number) => {
        await page.clock.runFor(seconds * 1000)
        await page.waitForLoadState("networkidle")
      }
      const first = asks()
      await secondsPass(6)
      await first
      await page.clock.fastForward(130_000)
      await page.waitForLoadState("networkidle")
      const rested = asks()
      for (let n = 0; n < 4; n++) await secondsPass(5.1)
      await rested
      count = 0
      await secondsPass(5.1)
      expect(count).toBe(0)
      await page.keyboard.press("Shift")
      const touched = asks()
      await secondsPass(5.1)
      await touched
    })
  })

  it("has cards of two lines on a phone, each of which is one link", async () => {
    const { path, sent } = listOf("9015")
    const newest = await sent()
    await stage.within(onPhone, owner, async ({ open, page, overflow }) => {
      await open(path)
      const card = page.locator("tr", { has: page.locator(`a[href="${newest}"]`) })
      await card.scrollIntoViewIfNeeded()
      const box = (await card.boundingBox()) ?? expect.fail()
      expect(box.height).toBeLessThan(80)
      expect(await overflow()).toBe(0)
      await page.mouse.click(box.x + box.width / 2, box.y + box.height - 12)
      await page.waitForURL(`**${newest}`)
    })
  })

  it("says how long ago a code was, and the whole time on hover", async () => {
    const { path, sent } = listOf("9016")
    const newest = await sent()
    await stage.within(desktop, owner, async ({ open, page }) => {
      await open(path)
      const row = page.locator("tr", { has: page.locator(`a[href="${newest}"]`) })
      const time = row.locator("time")
      expect(await time.innerText()).toMatch(/^(?:\d+ sec ago|now)$/)
      expect(await time.getAttribute("title")).toMatch(/^\d+ \w+ \d{4}, \d\d:\d\d:\d\d · \d{4}-.*Z$/)
    })
  })
})
