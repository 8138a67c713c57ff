import { beforeAll, expect, it } from "vitest"
import { newAccount, newCustomer } from "../../contract/Operator.ts"
import { signedIn, type Visitor } from "../Visitor.ts"
import { receivedCode, sendCode } from "./kit/Activity.ts"
import { desktop, type Look, nameOf } from "./kit/Looks.ts"
import { describeInBrowser } from "./kit/Suite.ts"
import { problemsOf } from "./kit/Tab.ts"

const without: Look = { ...desktop, scripts: false }

describeInBrowser("setting up in a browser", (stage) => {
  let owner: Visitor
  beforeAll(async () => {
    owner = await signedIn(stage, stage.demo.customer_id, "owner")
  })

  it.each([desktop, without].map((look) => [nameOf(look), look] as const))(
    "connects an account by its provider's form: %s",
    async (_, look) => {
      const label = `Rubika ${look.scripts}`
      const newcomer = await signedIn(stage, (await newCustomer(stage)).id, "owner")
      await stage.within(look, newcomer, async ({ open, page }) => {
        await open("/console/channels")
        await page.getByRole("link", { name: "Connect account" }).first().click()
        await page.getByRole("region", { name: "Rubika" }).getByRole("link", { name: "Rubika bot" }).click()
        await page.getByLabel("Name").fill(label)
        await page.getByLabel("Token").fill("a-secret-token")
        await page.getByLabel("Check with the provider first").uncheck()
        await page.getByRole("button", { name: "Connect" }).click()
        expect(await page.getByRole("status").innerText()).toContain("Created")
        const kind = new URL(page.url()).pathname
        expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe(label)
        await page.getByRole("link", { name: "Send a test with it" }).click()
        expect(await page.getByLabel("Channel", { exact: true }).inputValue()).toBe(
          `rubika:${kind.split("/").at(-1)}`
        )
        expect(await page.getByRole("radio", { name: "Live" }).isChecked()).toBe(true)
        await open(kind)
        await page.getByRole("link", { name: "Add it to the routing" }).click()
        expect(await page.getByRole("status").innerText()).toContain("not saved yet")
        await page.getByRole("button", { name: "Save order" }).click()
        expect(await page.getByRole("status").innerText()).toContain("Saved")
        await open(kind)
        expect(await page.getByRole("link", { name: "Add it to the routing" }).count()).toBe(0)
      })
    }
  )

  it.each([desktop, without].map((look) => [nameOf(look), look] as const))(
    "saves the app and the sites that read codes, and says which of them are none: %s",
    async (_, look) => {
      const { id } = await newCustomer(stage)
      await newAccount(stage, id, "sms")
      await stage.within(look, await signedIn(stage, id, "owner"), async ({ open, page, problems }) => {
        await open("/console/settings")
        const [sites, hash] = [page.getByLabel("Several WebOTP sites"), page.getByLabel("Android app hash")]
        const save = () => page.getByRole("button", { name: "Save", exact: true }).click()
        await sites.fill("https://shop.example.ir\nhttp://club.example.ir")
        await hash.fill("FA+9qCX9VS")
        await save()
        await page.getByRole("link", { name: "Android app hash" }).waitFor()
        expect(await sites.getAttribute("aria-invalid")).toBe("true")
        expect(await hash.inputValue()).toBe("FA+9qCX9VS")
        expect(await problemsOf({ problems }, 1)).toEqual([expect.stringContaining("422")])
        await sites.fill("https://shop.example.ir\nhttps://club.example.ir")
        await hash.fill("FA+9qCX9VSu")
        await save()
        expect(await page.getByRole("status").innerText()).toContain("Saved")
        expect(await sites.inputValue()).toBe("https://shop.example.ir\nhttps://club.example.ir")
        expect(await hash.inputValue()).toBe("FA+9qCX9VSu")
        await stage.cli("routing", "set", "--customer", id, "--steps", '[{"channel":"sms"}]')
        await open("/console/routing")
        const preview = await page.getByRole("region", { name: "Preview of a send now" }).innerText()
        expect(preview).toContain("FA+9qCX9VSu\n@shop.example.ir #123456")
        expect(preview).toContain("Too long for your Android app: over 140 bytes.")
      })
    }
  )

  it("says what still uses an account that is to be deleted, and leads there", async () => {
    const customer = (await newCustomer(stage)).id
    const account = await newAccount(stage, customer, "rubika")
    const saveOrder = (steps: ReadonlyArray<object>) =>
      stage.cli("routing", "set", "--customer", customer, "--steps", JSON.stringify(steps))
    await saveOrder([{ channel: "rubika", account_id: account }])
    await stage.within(
      desktop,
      await signedIn(stage, customer, "owner"),
      async ({ open, page, problems }) => {
        const [main, title] = [page.getByRole("main"), page.getByRole("heading", { level: 1 })]
        const deleteAccount = async () => {
          await page.locator("summary", { hasText: "Delete" }).click()
          await page.getByRole("button", { name: "Delete account" }).click()
        }
        await open(`/console/channels/${account}`)
        await deleteAccount()
        expect(await title.innerText()).toBe("Still in use")
        expect(await main.innerText()).toContain("Remove it from the order")
        expect(await problemsOf({ problems }, 1)).toEqual([expect.stringContaining("409")])
        await main.getByRole("link", { name: "Open routing" }).click()
        expect(await title.innerText()).toBe("Routing")
        await saveOrder([{ channel: "rubika" }])
        await open(`/console/channels/${account}`)
        await deleteAccount()
        expect(await page.getByRole("status").innerText()).toContain("Deleted")
      }
    )
  })

  it("asks in a dialog that names the thing, keeps the focus, and can be left", async () => {
    const customer = (await newCustomer(stage)).id
    const own = await newAccount(stage, customer, "bale", { label: "Main bot" })
    await stage.within(
      desktop,
      await signedIn(stage, customer, "owner"),
      async ({ open, page, barriers }) => {
        await open(`/console/channels/${own}`)
        const [dialog, button] = [
          page.getByRole("dialog", { name: "Delete account" }),
          page.locator("summary", { hasText: "Delete" })
        ]
        const isFocusInside = () =>
          page.evaluate<boolean>("document.querySelector('dialog:modal').contains(document.activeElement)")
        await button.focus()
        await page.keyboard.press("Enter")
        expect(await dialog.innerText()).toContain("Main bot")
        const hasFocus = (selector: string) =>
          page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`)
        expect(await hasFocus("[data-dismiss]")).toBe(true)
        expect(await barriers()).toEqual([])
        for (const key of ["Tab", "Tab", "Shift+Tab", "Shift+Tab", "Shift+Tab"]) {
          await page.keyboard.press(key)
          // beyond the last element is the browser's own bar, where no element has the focus
          expect(
            (await isFocusInside()) || (await page.evaluate("document.activeElement === document.body"))
          ).toBe(true)
        }
        await page.keyboard.press("Escape")
        await dialog.waitFor({ state: "hidden" })
        expect(await hasFocus(".confirm > summary")).toBe(true)
        await button.click()
        await dialog.getByRole("link", { name: "Cancel" }).click()
        await dialog.waitFor({ state: "hidden" })
        await button.click()
        await page.mouse.click(5, 5)
        await dialog.waitFor({ state: "hidden" })
        await button.click()
        await dialog.getByRole("button", { name: "Delete account" }).click()
        expect(await page.getByRole("status").innerText()).toContain("Deleted")
      }
    )
  })

  it("lets somebody without scripts leave a question, too", async () => {
    await stage.within(without, owner, async ({ open, page }) => {
      const account = String(await newAccount(stage, String(stage.demo.customer_id), "bale"))
      await open(`/console/channels/${account}`)
      await page.locator("summary", { hasText: "Delete" }).click()
      const dialog = page.getByRole("dialog", { name: "Delete account" })
      await dialog.getByRole("link", { name: "Cancel" }).click()
      await dialog.waitFor({ state: "hidden" })
      expect(new URL(page.url()).pathname).toBe(`/console/channels/${account}`)
    })
  })

  it("moves a step of the saved order by the keyboard, and stays at it", async () => {
    await stage.within(desktop, owner, async ({ open, page }) => {
      await open("/console/routing")
      const targets = () => page.locator("[data-step] select").first().inputValue()
      const before = await targets()
      const down = page.locator('[data-step] [data-move="down"]').first()
      await down.focus()
      await page.keyboard.press("Enter")
      await expect.poll(targets).not.toBe(before)
      expect(await page.evaluate("document.activeElement?.dataset.move")).toBe("down")
    })
  })

  it("leads from the first page to a code, its steps and a correct entry, without scripts", async () => {
    await stage.within(without, owner, async ({ open, page }) => {
      await open("/console/overview")
      await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Send a test" }).click()
      await page.getByLabel("Phone").fill("09121239011")
      await page.getByRole("button", { name: "Send", exact: true }).click()
      await page.getByLabel("Code (in the sandbox: 123456)").fill("123456")
      await page.getByRole("button", { name: "Verify" }).click()
      expect(await page.getByRole("status").innerText()).toContain("the right code was entered")
      await page.getByRole("link", { name: "See each step" }).click()
      expect(await page.getByRole("region", { name: "What happened" }).innerText()).toContain(
        "The right code was entered"
      )
    })
  })

  it("explains a code that failed in two clicks from the overview, without scripts", async () => {
    const phone = "+989121239012"
    const { verification_id: id } = await sendCode(stage, phone, { channels: ["bale"] })
    await receivedCode(stage, phone)
    await stage.within(without, owner, async ({ open, page }) => {
      await open(`/console/requests?q=${id}`)
      await page.locator(".row-link").first().click()
      await page.getByRole("main").getByRole("link", { name: id }).click()
      const story = page.getByRole("region", { name: "What happened" })
      expect(await story.innerText()).toContain("Bale")
    })
  })

  it("takes dates of the calendar of Iran in Persian", async () => {
    await stage.within({ ...without, language: "fa" }, owner, async ({ open, page }) => {
      await open("/console/audit")
      await page.getByText("فیلترهای بیشتر").click()
      await page.getByLabel("از", { exact: true }).fill("۱۳۹۰/۱/۱")
      await page.getByRole("button", { name: "اعمال" }).click()
      await expect.poll(() => new URL(page.url()).searchParams.get("from")).toBe("۱۳۹۰/۱/۱")
      await page.locator('[role="table"]').waitFor()
    })
  })
})
