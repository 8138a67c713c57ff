import type { Page, Route } from "playwright-core"
import { beforeAll, expect, it } from "vitest"
import { newCustomer } from "../../contract/Operator.ts"
import { PASSWORD } from "../../contract/Manager.ts"
import { signedIn, type Visitor } from "../Visitor.ts"
import { sendCode } from "./kit/Activity.ts"
import { desktop, type Look } from "./kit/Looks.ts"
import { describeInBrowser } from "./kit/Suite.ts"

/** Holds the posts to a path until `release`, which answers those that came so far; later ones pass. */
const holdPosts = async (page: Page, path: string) => {
  const held: Array<Route> = []
  let isHolding = true
  await page.route(`**${path}`, (route) => {
    if (!isHolding || route.request().method() !== "POST") return route.continue()
    held.push(route)
    return undefined
  })
  return {
    held,
    release: async () => {
      isHolding = false
      const answers = held.map(async (route) => {
        const response = await route.fetch()
        await route.fulfill({ response }).catch(() => {})
      })
      await Promise.all(answers)
    }
  }
}

/** Asks for live parts every second, and lets each answer differ from the last. */
const hurryLive = (page: Page, path: string) => {
  let count = 0
  return page.route(`**${path}`, async (route) => {
    const response = await route.fetch()
    count += 1
    const body = (await response.text())
      .replaceAll(/data-live="\d+"/g, 'data-live="1"')
      .replaceAll(/(<[^<>]*data-live="1"[^<>]*>)/g, `$1<p class="answer">answer ${count}</p>`)
    await route.fulfill({ response, body })
  })
}

/** The number of the answer that is shown; 0 before the first. */
const answerShown = async (page: Page) => {
  const [text = "answer 0"] = await page.locator(".answer").allInnerTexts()
  return Number(text.replace("answer ", ""))
}

describeInBrowser("what a person changed on a page stays", (stage) => {
  let owner: Visitor
  beforeAll(async () => {
    owner = await signedIn(stage, stage.demo.customer_id, "owner")
  })

  const inTab = (use: (page: Page, open: (path: string) => Promise<void>) => Promise<void>, look?: Look) =>
    stage.within(look ?? desktop, owner, ({ page, open }) => use(page, open))

  it("a choice of the test form, while the answer to an earlier one is on its way", async () => {
    await inTab(async (page, open) => {
      const { held, release } = await holdPosts(page, "/console/test")
      await open("/console/test")
      await page.getByLabel("Type", { exact: true }).selectOption("message")
      await expect.poll(() => held.length).toBe(1)
      await page.getByLabel("Channel", { exact: true }).selectOption("eitaa:")
      await release()
      await page.getByLabel("Text", { exact: true }).waitFor()
      expect(await page.getByLabel("Channel", { exact: true }).inputValue()).toBe("eitaa:")
      await page.getByLabel("Text", { exact: true }).fill("سلام")
      await expect.poll(() => page.locator("#snippets").innerText()).toContain("سلام")
      expect(await page.locator("#snippets").innerText()).toContain("eitaa")
    })
  })

  it("a choice of the test form that was made before the form's script had come", async () => {
    await inTab(async (page, open) => {
      const { promise: chosen, resolve: sendScript } = Promise.withResolvers<void>()
      await page.route("**/forms.js*", async (route) => {
        await chosen
        await route.continue()
      })
      await open("/console/test")
      await page.getByLabel("Type", { exact: true }).selectOption("message")
      sendScript()
      await expect.poll(() => page.getByLabel("Text", { exact: true }).isVisible()).toBe(true)
      expect(await page.getByLabel("Type", { exact: true }).inputValue()).toBe("message")
    })
  })

  it("the place of a channel in the test form, if one before it is empty", async () => {
    await inTab(async (page, open) => {
      await open("/console/test")
      const then = page.getByLabel("Then", { exact: true })
      await then.first().selectOption("eitaa:")
      await expect.poll(() => page.locator("#snippets").innerText()).toContain("eitaa")
      expect(await page.getByLabel("Channel", { exact: true }).inputValue()).toBe("")
      expect(await then.first().inputValue()).toBe("eitaa:")
    })
  })

  it("the field in focus, and which example request is open", async () => {
    await inTab(async (page, open) => {
      await open("/console/test")
      await page.locator("#snippets label", { hasText: "Python" }).click()
      const what = page.getByLabel("Type", { exact: true })
      await what.focus()
      await page.keyboard.press("ArrowDown")
      await page.getByLabel("Text", { exact: true }).waitFor()
      expect(await page.evaluate<string>("document.activeElement.name")).toBe("kind")
      const examples = page.locator("#snippets .tab:visible")
      expect(await examples.locator("figcaption").allInnerTexts()).toEqual([expect.stringMatching(/^Python/)])
      expect(await examples.locator("button[data-copy]").isVisible()).toBe(true)
    })
  })

  it("the form, after Back leads to it", async () => {
    await inTab(async (page, open) => {
      await open("/console/test")
      await page.getByLabel("Type", { exact: true }).selectOption("message")
      await page.getByLabel("Channel", { exact: true }).selectOption("eitaa:")
      await page.getByLabel("Text", { exact: true }).fill("متنی که می‌ماند")
      // the preview has the text before the next field is changed
      await page.getByLabel("Phone").focus()
      await expect.poll(() => page.locator("#snippets").innerText()).toContain("متنی که می‌ماند")
      await page.getByLabel("Phone").fill("09121239055")
      await expect.poll(() => page.locator("#snippets").innerText()).toContain("09121239055")
      await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Templates" }).click()
      await page.getByRole("heading", { level: 1, name: "Templates" }).waitFor()
      await page.goBack()
      await page.getByLabel("Text", { exact: true }).waitFor()
      expect(await page.getByLabel("Type", { exact: true }).inputValue()).toBe("message")
      expect(await page.getByLabel("Text", { exact: true }).inputValue()).toBe("متنی که می‌ماند")
      expect(await page.getByLabel("Phone").inputValue()).toBe("09121239055")
      expect(await page.getByLabel("Channel", { exact: true }).inputValue()).toBe("eitaa:")
    })
  })

  it("a form that creates something, after Back leads to it; but never a secret", async () => {
    await inTab(async (page, open) => {
      await open("/console/channels/connect?channel=rubika&provider=rubika_bot")
      await page.getByLabel("Name").fill("A long label")
      await page.getByLabel("Token").fill("a-secret-token")
      await page.getByLabel("Check with the provider first").uncheck()
      await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Templates" }).click()
      await page.getByRole("heading", { level: 1, name: "Templates" }).waitFor()
      await page.goBack()
      await expect.poll(() => page.getByLabel("Name").inputValue()).toBe("A long label")
      expect(await page.getByLabel("Token").inputValue()).toBe("")
      expect(await page.getByLabel("Check with the provider first").isChecked()).toBe(false)
      const kept = await page.evaluate<string>("JSON.stringify([history.state, { ...sessionStorage }])")
      expect(kept).toContain("A long label")
      expect(kept).not.toContain("a-secret-token")
    })
  })

  it("of one user, and not of the next who signs in there", async () => {
    const leaving = await signedIn(stage, stage.demo.customer_id, "owner")
    const next = await signedIn(stage, stage.demo.customer_id, "owner")
    await stage.within(desktop, leaving, async ({ page, open }) => {
      await open("/console/users/new")
      await page.getByLabel("Name").fill("Typed by another")
      await page.getByLabel("Email").fill("typed@example.com")
      await page.getByLabel("Name").focus()
      await page.getByRole("button", { name: "Sign out" }).first().click()
      await page.getByLabel("Password").waitFor()
      const kept = () => page.evaluate<string>("JSON.stringify([history.state, { ...sessionStorage }])")
      expect(await kept()).not.toContain("Typed by another")
      await page.getByLabel("Email").fill(next.user.email)
      await page.getByLabel("Password").fill(PASSWORD)
      await page.getByRole("button", { name: "Sign in" }).click()
      await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor()
      await page.evaluate("void setTimeout(() => history.go(2 - history.length))")
      await expect.poll(() => page.url()).toContain("/console/users/new")
      await page.getByLabel("Name").waitFor()
      expect(await page.getByLabel("Name").inputValue()).toBe("")
      expect(await page.getByLabel("Email").inputValue()).toBe("")
      expect(await kept()).not.toContain("Typed by another")
    })
  })

  it("of one form, and not in another with the same action", async () => {
    await inTab(async (page, open) => {
      await open("/console/templates")
      await page.evaluate(`document.querySelector("main").insertAdjacentHTML("beforeend",
        '<form method="post" action="/twice"><input name="a" id="a1"></form>' +
        '<form method="post" action="/twice"><input name="a" id="a2"></form>')`)
      await page.locator("#a2").fill("second")
      await page.locator("#a1").focus()
      const kept = await page.evaluate<string>("sessionStorage.getItem('peyk.typed')")
      expect(kept).toContain(String.raw`["/twice\n0",[]]`)
      expect(kept).toContain(String.raw`["/twice\n1",[["a\n0","second",false]]]`)
    })
  })

  const targets = (page: Page) =>
    page.evaluate<ReadonlyArray<string>>(
      `[...document.querySelectorAll('[data-step] [name="target"]')].map(({ value }) => value)`
    )

  it("a wait of the order, typed while the answer to a moved step is on its way", async () => {
    await inTab(async (page, open) => {
      const { held, release } = await holdPosts(page, "/console/routing")
      await open("/console/routing")
      const before = await targets(page)
      await page.locator('[data-step] [data-move="down"]').first().click()
      await expect.poll(() => held.length).toBe(1)
      await page.locator('[data-step] [name="wait"]').nth(1).selectOption("75")
      await release()
      const [first = "", second = "", ...rest] = before
      await expect.poll(() => targets(page)).toEqual([second, first, ...rest])
      await page.locator("#outlook", { hasText: "75" }).waitFor()
      expect(await page.locator('[data-step] [name="wait"]').nth(1).inputValue()).toBe("75")
      const questions: Array<string> = []
      page.on("dialog", (dialog) => {
        questions.push(dialog.type())
        return dialog.accept()
      })
      await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Templates" }).click()
      await page.getByRole("heading", { level: 1, name: "Templates" }).waitFor()
      await page.goBack()
      await expect.poll(() => targets(page)).toEqual([second, first, ...rest])
      expect(await page.locator('[data-step] [name="wait"]').nth(1).inputValue()).toBe("75")
      expect(questions).toEqual(["beforeunload"])
    })
  })

  it("a change of the order that is not saved is marked, and not lost without a question", async () => {
    await inTab(async (page, open) => {
      await open("/console/routing")
      const questions: Array<string> = []
      page.on("dialog", (dialog) => {
        questions.push(dialog.type())
        return dialog.dismiss()
      })
      const mark = page.locator("[data-unsaved]")
      const wait = page.locator('[data-step] [name="wait"]').first()
      const saved = await wait.inputValue()
      expect(await mark.isVisible()).toBe(false)
      await wait.selectOption("measured")
      await mark.waitFor()
      await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Templates" }).click()
      await expect.poll(() => questions).toEqual(["beforeunload"])
      expect(new URL(page.url()).pathname).toBe("/console/routing")
      await wait.selectOption(saved)
      await mark.waitFor({ state: "hidden" })
      await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Templates" }).click()
      await page.getByRole("heading", { level: 1, name: "Templates" }).waitFor()
      expect(questions).toEqual(["beforeunload"])
    })
  })

  it("each click on the steps of the order, however late the answers are", async () => {
    await inTab(async (page, open) => {
      const { release } = await holdPosts(page, "/console/routing")
      await open("/console/routing")
      const [first = "", second = "", third = "", ...rest] = await targets(page)
      const down = page.locator('[data-step] [data-move="down"]').first()
      await down.focus()
      await page.keyboard.press("Enter")
      await page.keyboard.press("Enter")
      await page.getByRole("button", { name: "Add" }).click()
      await release()
      const added = await page.locator('[name="added"]').inputValue()
      await expect.poll(() => targets(page)).toEqual([second, third, first, ...rest, added])
      const places = page.locator("[data-step] [data-place]")
      expect(await places.allInnerTexts()).toEqual(["1", "2", "3", "4"])
      await page.getByRole("button", { name: "Remove step 4" }).click()
      await page.getByRole("button", { name: "Move step 3 up" }).click()
      await expect.poll(() => targets(page)).toEqual([second, first, third, ...rest])
    })
  })

  it("typed contacts, unless somebody agrees that a file replaces them", async () => {
    const customer = (await newCustomer(stage)).id
    const owned = [
      "--customer",
      customer,
      "--channel",
      "rubika",
      "--provider",
      "rubika_bot",
      "--label",
      "Bot"
    ]
    const connected = await stage.cli(
      "account",
      "connect",
      ...owned,
      "--settings",
      '{"token":"a-secret-token"}'
    )
    const { credential_id: account } = connected as { readonly credential_id: number }
    const visitor = await signedIn(stage, customer, "owner")
    await stage.within(desktop, visitor, async ({ page, open }) => {
      await open(`/console/channels/${account}`)
      await page.locator("summary", { hasText: "Import" }).click()
      const field = page.locator("#field-contacts")
      await field.fill("09121230001,1")
      const choose = async (text: string, agree: boolean) => {
        page.once("dialog", (dialog) => void (agree ? dialog.accept() : dialog.dismiss()))
        await page
          .locator("[data-file-into] input")
          .setInputFiles({ name: "contacts.csv", mimeType: "text/csv", buffer: Buffer.from(text) })
      }
      await choose("09121230002,2", false)
      await expect
        .poll(() => page.evaluate("document.querySelector('[data-file-into] input').value"))
        .toBe("")
      expect(await field.inputValue()).toBe("09121230001,1")
      await choose("09121230003,3", true)
      await expect.poll(() => field.inputValue()).toBe("09121230003,3")
    })
  })

  it("what is open, selected and pressed in a part that keeps itself up to date", async () => {
    await sendCode(stage, "+989121239061")
    await inTab(async (page, open) => {
      await hurryLive(page, "/console/overview")
      await open("/console/overview")
      const figures = page.locator(".chart-figures").first()
      await figures.locator("summary").click()
      await page.getByRole("heading", { level: 1 }).click()
      const before = await answerShown(page)
      await expect.poll(() => answerShown(page)).toBeGreaterThan(before)
      expect(await figures.getAttribute("open")).toBe("")
      await page.locator("#overview dt").first().selectText()
      const seen = await page.locator(".answer").innerText()
      await page.waitForResponse("**/console/overview")
      await page.waitForResponse("**/console/overview")
      expect(await page.locator(".answer").innerText()).toBe(seen)
      expect(await page.evaluate<string>("String(getSelection())")).not.toBe("")
      await page.evaluate("getSelection().removeAllRanges()")
      await expect.poll(() => page.locator(".answer").innerText()).not.toBe(seen)
    })
  })
})
