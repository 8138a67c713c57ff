import { expect, it } from "vitest"
import { readFileSync } from "node:fs"
import { type ApiDocument, groupsOf } from "../../../src/http/system/reference/ApiDocument.ts"
import { desktop, type Look } from "./kit/Looks.ts"
import { expectGoodReference } from "./kit/ReferenceLooks.ts"
import { describeInBrowser } from "./kit/Suite.ts"

const document = JSON.parse(
  readFileSync(new URL("../../../openapi.json", import.meta.url), "utf8")
) as ApiDocument
const pages = ["", "/errors", ...groupsOf(document).map(({ slug }) => `/${slug}`)]

const phone: Look = { ...desktop, device: "phone" }

describeInBrowser("every page of the reference", (stage) => {
  it("is looked at", () => {
    expect(pages.length).toBeGreaterThan(20)
  })

  it.each([
    [desktop, 1440],
    [{ ...desktop, theme: "dark" } as const, 820],
    [phone, undefined],
    [{ ...phone, theme: "dark" } as const, undefined],
    [{ ...phone, scripts: false }, undefined]
  ])(
    "keeps to its policy, fits, is short enough and has no barriers: %j %s",
    { timeout: 600_000 },
    async (look, width) => expectGoodReference(stage, look, pages, width)
  )
})
