import { beforeAll, expect, it } from "vitest"
import { signedIn, type Visitor } from "../Visitor.ts"
import { desktop } from "./kit/Looks.ts"
import { describeInBrowser } from "./kit/Suite.ts"

describeInBrowser("a field that the browser refuses", (stage) => {
  let owner: Visitor
  beforeAll(async () => {
    owner = await signedIn(stage, stage.demo.customer_id, "owner")
  })

  it.each([
    ["en", "Fill in this field.", "Enter an email address."],
    ["fa", "این فیلد را پر کنید.", "نشانی ایمیل را وارد کنید."]
  ] as const)("says why in the language of the page: %s", async (language, missing, noEmail) => {
    await stage.within({ ...desktop, language }, owner, async ({ page, open }) => {
      await open("/console/users/new")
      const field = page.locator('input[type="email"]')
      const message = () =>
        field.evaluate((each) => (each as unknown as { validationMessage: string }).validationMessage)
      const send = () => page.locator('form[method="post"] button.primary').last().click()
      await page.locator('input[name="name"]').fill("Sara")
      await field.evaluate((each) => each.setAttribute("required", ""))
      await send()
      await expect.poll(message).toBe(missing)
      await field.fill("sara")
      expect(await message()).not.toBe(missing)
      await send()
      await expect.poll(message).toBe(noEmail)
      await field.fill("sara@example.ir")
      expect(await message()).toBe("")
    })
  })
})
