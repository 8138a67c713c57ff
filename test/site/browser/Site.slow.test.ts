import { globSync } from "node:fs"
import { expect, it } from "vitest"
import { desktop, type Look } from "../../console/browser/kit/Looks.ts"
import { siteFolder } from "../../support/BuiltSite.ts"
import { describeSite, expectGood } from "./SitePages.ts"

/** All pages but the records of decisions, of which one stands for the others. */
const pages = [
  ...globSync("*/index.html", { cwd: siteFolder })
    .map((file) => file.replace(/index\.html$/, ""))
    .filter((page) => page !== "fa/"),
  "decisions/0028-citus/",
  "nothing/",
  ""
].toSorted()

const everyLook: ReadonlyArray<Look> = (["light", "dark"] as const).flatMap((theme) =>
  (["en", "fa"] as const).map((language) => ({
    ...desktop,
    theme,
    language,
    device: language === "en" ? "phone" : "desktop"
  }))
)

describeSite("every page of the documentation", (stage) => {
  it("is looked at", () => {
    expect(pages.length).toBeGreaterThan(25)
  })

  it.each(everyLook)(
    "keeps to its policy, fits and has no barriers: %j",
    { timeout: 600_000 },
    async (look) => expectGood(stage, look, pages)
  )
})
