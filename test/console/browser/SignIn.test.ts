import { expect, it } from "vitest"
import { firstUser, PASSWORD } from "../../contract/Manager.ts"
import { desktop, looks, nameOf } from "./kit/Looks.ts"
import { describeInBrowser } from "./kit/Suite.ts"
import { problemsOf } from "./kit/Tab.ts"

describeInBrowser("signing in with a browser", ({ cli, demo, within }) => {
  const newLink = async () => {
    const made = await cli("user", "sign-in-link", "--customer", String(demo.customer_id))
    return new URL((made as { url: string }).url)
  }

  it.each(looks.map((look) => [nameOf(look), look] as const))("works by a link: %s", async (_, look) => {
    const { pathname, search } = await newLink()
    await within(look, undefined, async ({ open, page }) => {
      await open(`${pathname}${search}`)
      // a script takes the token out of the address bar and the history
      if (look.scripts) await page.waitForURL(`**${pathname}`)
      await page.getByRole("main").getByRole("button").click()
      await page.waitForURL("**/console/overview")
      expect(await page.getByRole("heading", { level: 1 }).innerText()).toMatch(
        look.language === "fa" ? /[آ-ی]/ : /[A-Z]/
      )
    })
  })

  it("works with a password, and returns to the page that was asked for", async () => {
    const { email } = await firstUser({ cli }, String(demo.customer_id), "viewer")
    await within(desktop, undefined, async ({ open, page }) => {
      await open("/console/overview?theme=dark")
      await page.getByLabel("Email").fill(email)
      await page.getByLabel("Password").fill(PASSWORD)
      await page.getByRole("button", { name: "Sign in" }).click()
      await page.waitForURL("**/console/overview?theme=dark")
      expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe("Overview")
      await page.getByRole("button", { name: "Sign out" }).click()
      await page.waitForURL("**/console/sign-in")
      expect(await page.getByLabel("Password").inputValue()).toBe("")
    })
  })

  it("says what is wrong with a password, to screen readers too", async () => {
    await within(desktop, undefined, async ({ open, page, problems }) => {
      await open("/console/sign-in")
      await page.getByLabel("Email").fill("nobody@example.ir")
      await page.getByLabel("Password").fill("wrong password")
      await page.getByRole("button", { name: "Sign in" }).click()
      expect(await page.getByRole("alert").innerText()).toContain("Wrong email or password.")
      // the browser itself prints that the page came with status 401
      expect(await problemsOf({ problems }, 1)).toEqual([expect.stringContaining("401")])
    })
  })
})
