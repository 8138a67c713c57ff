import { beforeAll, expect, it } from "vitest"
import { signedIn, type Visitor } from "../Visitor.ts"
import { receivedCode, sendCode } from "./kit/Activity.ts"
import { desktop } from "./kit/Looks.ts"
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
