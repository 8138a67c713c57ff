import type { Route } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { request } from "../../contract/Client.ts"
import { signedIn, type Visitor } from "../Visitor.ts"
import { newWebhook, type Receiver, sendCode, startReceiver } from "./kit/Activity.ts"
import { desktop, type Look, looks, nameOf } from "./kit/Looks.ts"
import { describeInBrowser } from "./kit/Suite.ts"

const without: Look = { ...desktop, scripts: false }

describeInBrowser("developers' pages in a browser", (stage) => {
  let owner: Visitor
  let receiver: Receiver
  beforeAll(async () => {
    owner = await signedIn(stage, stage.demo.customer_id, "owner")
    receiver = await startReceiver()
  })
  afterAll(() => receiver?.close())

  it.each([desktop, without].map((look) => [nameOf(look), look] as const))(
    "make a key that works, and revoke it: %s",
    async (_, look) => {
      const name = `shop ${look.scripts}`
      await stage.within(look, owner, async ({ open, page }) => {
        await open("/console/keys")
        await page.getByRole("link", { name: "New key" }).first().click()
        await page.getByLabel("Name").fill(name)
        await page.getByRole("button", { name: "Create key" }).click()
        const key = await page.locator(".secret code").innerText()
        const ask = () => request(stage, "GET", "/v1/account", { headers: { "x-api-key": key } })
        expect((await ask()).status).toBe(200)
        await page.getByRole("link", { name: "Done" }).click()
        await page.getByRole("link", { name }).click()
        await page.locator("summary", { hasText: "Revoke" }).click()
        await page.getByRole("button", { name: "Revoke key" }).click()
        expect(await page.getByRole("status").innerText()).toContain("Revoked")
        expect((await ask()).status).toBe(401)
      })
    }
  )

  /** A page with a button that copies its id. */
  const pageWithId = async () =>
    `/console/verifications/${(await sendCode(stage, "+989121110077")).verification_id}`

  /** Takes the page's clipboard away, and keeps what it copies from a selection. */
  const WITHOUT_CLIPBOARD = `
    Object.defineProperty(navigator, "clipboard", { value: undefined })
    document.addEventListener("copy", () => (globalThis.copied = document.activeElement.value))`

  it("copy where the browser has no clipboard, as over plain http", async () => {
    await stage.withinNew(desktop, owner, async ({ open, page }) => {
      await page.addInitScript(WITHOUT_CLIPBOARD)
      await open(await pageWithId())
      const button = page.locator("button[data-copy]").first()
      const text = await button.getAttribute("data-copy")
      await button.click()
      await page.getByText("Copied").waitFor()
      expect(await page.evaluate<string>("copied")).toBe(text)
      expect(await page.evaluate<boolean>("document.activeElement.matches('[data-copy]')")).toBe(true)
    })
  })

  it("show the text where the browser refuses to copy", async () => {
    await stage.withinNew(desktop, owner, async ({ open, page }) => {
      await page.addInitScript(`${WITHOUT_CLIPBOARD}
        document.execCommand = () => false`)
      await open(await pageWithId())
      const button = page.locator("button[data-copy]").first()
      const text = await button.getAttribute("data-copy")
      const asked = page.waitForEvent("dialog")
      const clicked = button.click()
      const dialog = await asked
      expect(dialog.defaultValue()).toBe(text)
      await dialog.dismiss()
      await clicked
    })
  })

  it("send a form once while its answer is on the way, however often they click", async () => {
    await stage.within(desktop, owner, async ({ open, page }) => {
      const held: Array<Route> = []
      await page.route("**/console/keys/new", (route) => {
        if (route.request().method() !== "POST") return route.continue()
        held.push(route)
        return undefined
      })
      await open("/console/keys/new")
      await page.getByLabel("Name").fill("twice")
      const { x, y } = (await page.getByRole("button", { name: "Create key" }).boundingBox()) ?? {
        x: 0,
        y: 0
      }
      await page.mouse.click(x + 5, y + 5, { clickCount: 2, delay: 50 })
      await expect.poll(() => held.length).toBe(1)
      await page.mouse.click(x + 5, y + 5)
      await held[0]?.continue()
      await page.locator(".secret code").waitFor()
      expect(held).toHaveLength(1)
    })
  })

  it("send a form again after they came back to its page", async () => {
    await stage.within(desktop, owner, async ({ open, page }) => {
      await open("/console/keys/new")
      for (const name of ["back and", "forth"]) {
        await page.getByLabel("Name").fill(name)
        await page.getByRole("button", { name: "Create key" }).click()
        await page.locator(".secret code").waitFor()
        await page.goBack()
      }
      await open("/console/keys")
      expect(await page.getByRole("link", { name: "forth" }).count()).toBe(1)
    })
  })

  it("replay a webhook's event, which arrives again with the same body", async () => {
    const { id } = await newWebhook(stage, receiver.url)
    await sendCode(stage, "+989121234599", { channels: ["bale"] })
    await stage.within(desktop, owner, async ({ open, page }) => {
      await open(`/console/webhooks/${id}`)
      // the list keeps itself up to date; other tests of the same customer may add to it
      const events = page.getByRole("link", { name: "verification.attempt_sent" })
      await events.first().waitFor()
      await events.first().click()
      await page.waitForURL("**/events/*")
      await page.getByText("Delivered").first().waitFor()
      const eventId = page.url().split("/").at(-1)
      const copies = () => receiver.events.filter(({ id }) => id === eventId)
      expect(copies()).toHaveLength(1)
      await page.getByRole("button", { name: "Deliver again" }).click()
      await page.getByRole("status").waitFor()
      await expect.poll(copies, { timeout: 10_000 }).toHaveLength(2)
      const [first, second] = copies()
      expect(second?.body).toBe(first?.body)
    })
  })

  it("read right to left in Persian, with Persian digits", async () => {
    await stage.within({ ...desktop, language: "fa" }, owner, async ({ open, page }) => {
      await open("/console/wallet")
      expect(await page.locator("html").getAttribute("dir")).toBe("rtl")
      expect(await page.getByRole("main").innerText()).toMatch(/[۰-۹]/)
      const side = await page.locator(".side").boundingBox()
      expect(side?.x).toBeGreaterThan(600)
    })
  })

  it("have their menu in a drawer on a phone, with and without scripts", async () => {
    for (const look of looks.filter(({ device }) => device === "phone")) {
      await stage.within(look, owner, async ({ open, page }) => {
        await open("/console/keys")
        await page.locator(".nav-drawer summary").click()
        await page.locator('.nav-drawer a[href="/console/webhooks"]').click()
        await page.waitForURL("**/console/webhooks")
        expect(await page.locator('.nav-drawer a[aria-current="page"]').getAttribute("href")).toBe(
          "/console/webhooks"
        )
      })
    }
  })
})
