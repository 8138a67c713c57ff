import { afterAll, beforeAll, expect, it } from "vitest"
import { newOperator, signedIn, type Visitor } from "../Visitor.ts"
import { type Receiver, someActivity } from "./kit/Activity.ts"
import { type Look, looks, nameOf } from "./kit/Looks.ts"
import { pagesOf } from "./kit/Pages.ts"
import { describeInBrowser } from "./kit/Suite.ts"

describeInBrowser("every page of the console", (stage) => {
  let owner: Visitor
  let receiver: Receiver | undefined
  let operator: Visitor
  let paths: ReadonlyArray<string>
  beforeAll(async () => {
    owner = await signedIn(stage, stage.demo.customer_id, "owner")
    receiver = await someActivity(stage)
    paths = await pagesOf(owner)
    operator = await newOperator(stage, "pages@example.ir")
  })

  afterAll(() => receiver?.close())

  const operatorPaths = [
    "/console/customers",
    "/console/customers/new",
    `/console/customers/${stage.demo.customer_id}`,
    "/console/health",
    "/console/shared-accounts",
    "/console/shared-accounts/connect",
    "/console/all-requests"
  ]

  /** What is wrong with these pages, one line each. */
  const problemsOf = async (look: Look, visitor: Visitor, all: ReadonlyArray<string>) => {
    const found: Array<string> = []
    await stage.within(look, visitor, async ({ open, page, barriers, overflow, problems }) => {
      for (const path of all) {
        await open(path)
        const html = page.locator("html")
        expect([await html.getAttribute("lang"), await html.getAttribute("dir")]).toEqual(
          look.language === "fa" ? ["fa", "rtl"] : ["en", "ltr"]
        )
        const pixels = await overflow()
        if (pixels > 0) found.push(`${path}: ${pixels} px beyond the window`)
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
})
