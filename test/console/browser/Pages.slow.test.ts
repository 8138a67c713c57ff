import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, expect, it } from "vitest"
import { pagePaths } from "../../../src/http/console/ConsoleRoutes.ts"
import { newOperator, signedIn, type Visitor } from "../Visitor.ts"
import { newWebhook, type Receiver, someActivity, someRarities } from "./kit/Activity.ts"
import { desktop, type Look, looks, nameOf } from "./kit/Looks.ts"
import { operatorPagesOf, pagesOf } from "./kit/Pages.ts"
import { describeInBrowser } from "./kit/Suite.ts"

describeInBrowser("every page of the console", (stage) => {
  let owner: Visitor
  let receiver: Receiver | undefined
  let operator: Visitor
  let paths: ReadonlyArray<string>
  let operatorPaths: ReadonlyArray<string>
  beforeAll(async () => {
    owner = await signedIn(stage, stage.demo.customer_id, "owner")
    receiver = await someActivity(stage)
    await someRarities(stage, owner)
    paths = await pagesOf(owner)
    operator = await newOperator(stage, "pages@example.ir")
    operatorPaths = await operatorPagesOf(operator)
  })

  afterAll(() => receiver?.close())

  it("is visited by these tests, unless it is a file", () => {
    const formOf = (path: string) => new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`)
    const visited = [...paths, ...operatorPaths].map((path) => path.split("?")[0] ?? "")
    const unvisited = [...pagePaths].filter(
      (path) => !path.endsWith(".csv") && !visited.some((each) => formOf(path).test(each))
    )
    // the first only leads to another, the second is there only where the public address is https
    expect(unvisited.toSorted()).toEqual(["/console", "/console/settings/security/passkey"])
  })

  it("is at most 70 kB with its style and scripts, compressed", async () => {
    const files = new Map<string, number>()
    const bytesOf = async (file: string) => {
      const known = files.get(file)
      if (known !== undefined) return known
      const bytes = gzipSync(await (await fetch(`${stage.url}${file}`)).text()).length
      files.set(file, bytes)
      return bytes
    }
    const found: Array<readonly [bytes: number, path: string]> = []
    for (const [visitor, all] of [
      [owner, paths],
      [operator, operatorPaths]
    ] as const) {
      for (const path of all) {
        const { text } = await visitor.get(path)
        const own = [...text.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, file = ""]) => file)
        const sizes = await Promise.all([...new Set(own)].map(bytesOf))
        found.push([sizes.reduce((sum, size) => sum + size, gzipSync(text).length), path])
      }
    }
    const [bytes, path] = found.toSorted(([one], [other]) => other - one)[0] ?? [0, ""]
    expect(bytes, path).toBeGreaterThan(10_000)
    expect(bytes, path).toBeLessThanOrEqual(70_000)
  })

  /** What is wrong with these pages, one line each. */
  const problemsOf = async (look: Look, visitor: Visitor, all: ReadonlyArray<string>) => {
    const found: Array<string> = []
    await stage.within(look, visitor, async ({ open, page, barriers, overflow, shownHidden, problems }) => {
      for (const path of all) {
        await open(path)
        const html = page.locator("html")
        expect([await html.getAttribute("lang"), await html.getAttribute("dir")]).toEqual(
          look.language === "fa" ? ["fa", "rtl"] : ["en", "ltr"]
        )
        const pixels = await overflow()
        if (pixels > 0) found.push(`${path}: ${pixels} px beyond the window`)
        found.push(...(await shownHidden()).map((line) => `${path}: hidden, and shown: ${line}`))
        found.push(
          ...[...problems(), ...(look.scripts ? await barriers() : [])].map((line) => `${path}: ${line}`)
        )
      }
    })
    return found.join("\n")
  }

  it.each(looks.map((look) => [nameOf(look), look] as const))(
    "has no barrier, stays in its window and asks no other host: %s",
    { timeout: 120_000 },
    async (_, look) => {
      expect(await problemsOf(look, owner, paths)).toBe("")
      expect(await problemsOf(look, operator, operatorPaths)).toBe("")
    }
  )

  /** A desktop, a tablet and a phone. */
  const widths = [1280, 768, 390]

  it.each(["en", "fa"] as const)(
    "shows each question before a destructive action whole, at every width: %s",
    { timeout: 120_000 },
    async (language) => {
      const found: Array<string> = []
      let asked = 0
      await stage.within({ ...desktop, language }, owner, async ({ open, page, cutOffQuestions }) => {
        for (const path of paths) {
          if (!(await owner.get(path)).text.includes('class="confirm"')) continue
          asked += 1
          await open(path)
          for (const width of widths) {
            await page.setViewportSize({ width, height: 800 })
            found.push(...(await cutOffQuestions()).map((button) => `${path} at ${width} px: ${button}`))
          }
        }
      })
      expect(asked).toBeGreaterThan(3)
      expect(found.join("\n")).toBe("")
    }
  )

  it("stays in its window with the longest names and addresses", async () => {
    const long = "a".repeat(60)
    const { id } = await newWebhook(stage, `http://${long}.${long}.localhost:9/${"b".repeat(200)}`)
    const phone: Look = { ...desktop, device: "phone" }
    await stage.within(phone, owner, async ({ open, overflow }) => {
      await open(`/console/webhooks/${id}`)
      expect(await overflow()).toBeLessThanOrEqual(0)
    })
  })

  it("keeps what colours and backgrounds say where the system has its own colours", async () => {
    await stage.within(desktop, owner, async ({ open, page }) => {
      await page.emulateMedia({ forcedColors: "active" })
      await open("/console/overview")
      const styleOf = (selector: string, property: string) =>
        page.evaluate<string>(`getComputedStyle(document.querySelector("${selector}")).${property}`)
      expect(await styleOf(".nav [aria-current]", "outlineStyle")).toBe("solid")
      expect(await styleOf(".swatch.series-0", "color")).not.toBe(await styleOf(".swatch.series-1", "color"))
    })
  })
})
