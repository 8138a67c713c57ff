import { afterAll, beforeAll, expect, it } from "vitest"
import { signedIn, type Visitor } from "../Visitor.ts"
import { type Receiver, someActivity } from "./kit/Activity.ts"
import { looks, nameOf } from "./kit/Looks.ts"
import { pagesOf } from "./kit/Pages.ts"
import { describeInBrowser } from "./kit/Suite.ts"

describeInBrowser("every page of the console", (stage) => {
  let owner: Visitor
  let receiver: Receiver | undefined
  let paths: ReadonlyArray<string>
  beforeAll(async () => {
    owner = await signedIn(stage, stage.demo.customer_id, "owner")
    receiver = await someActivity(stage)
    paths = await pagesOf(owner)
  })

  afterAll(() => receiver?.close())

  it.each(looks.map((look) => [nameOf(look), look] as const))(
    "has no barrier, stays in its window and asks no other host: %s",
    { timeout: 120_000 },
    async (_, look) => {
      const found: Array<string> = []
      await stage.within(look, owner, async ({ open, page, barriers, overflow, problems }) => {
        for (const path of paths) {
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
      expect(found.join("\n")).toBe("")
    }
  )
})
