import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { anchorOf } from "../../site/lib/Documents.ts"
import { partsOf } from "../../site/lib/SearchParts.ts"
import {
  documentationLink,
  documentationTargets,
  referenceTargets
} from "../../src/http/console/frame/DocumentationLink.ts"
import { makeLocale } from "../../src/http/console/frame/Locale.ts"
import { navigationOf, type PageName } from "../../src/http/console/Navigation.ts"
import { makeReference } from "../../src/http/system/reference/ReferencePages.ts"
import { readDocument } from "../../src/http/system/reference/ReferenceRoutes.ts"

const docs = fileURLToPath(new URL("../../docs/", import.meta.url))
const names = Object.keys(documentationTargets) as ReadonlyArray<PageName>
const targets = names.flatMap((name) =>
  (["en", "fa"] as const).map((language) => ({
    name,
    language,
    target: documentationTargets[name][language]
  }))
)

describe("the documentation of each page of the console", () => {
  it("is linked from all pages of the navigation", () => {
    const listed = navigationOf(new Set(names)).flatMap(({ pages }) => pages.map(({ name }) => name))
    expect(listed.toSorted()).toEqual(names.toSorted())
  })

  it.each(targets)("is a page and a part that exists: $name, $language", ({ target }) => {
    const [page = "", anchor] = target.split("/#")
    const file = `${docs}${page.replace(/\/$/, "")}.md`
    expect(existsSync(file), file).toBe(true)
    const anchors = partsOf(page, readFileSync(file, "utf8")).map((part) => part.anchor)
    if (anchor !== undefined) expect(anchors).toContain(anchor)
    expect(anchorOf(anchor ?? "")).toBe(anchor ?? "")
  })

  it.each(targets.filter(({ language }) => language === "fa"))(
    "is in Persian where that page exists: $name",
    ({ name, target }) => {
      const [english = ""] = documentationTargets[name].en.split("/")
      if (!target.startsWith("fa/")) expect(existsSync(`${docs}fa/${english}.md`)).toBe(false)
    }
  )

  it("is called by its name in the language of the page", () => {
    const link = (language: "en" | "fa", name: PageName | null) =>
      String(documentationLink(name, makeLocale(language, "Asia/Tehran")))
    expect(link("en", "guard")).toContain('href="/docs/guard/">Documentation</a>')
    expect(link("fa", "webhooks")).toContain('href="/docs/fa/webhooks/">مستندات</a>')
    expect(link("fa", null)).toContain('href="/docs/fa/console/"')
  })
})

describe("the reference of each page for developers", () => {
  const reference = makeReference(readDocument())

  it.each(Object.entries(referenceTargets))("is a page that exists: %s", (name, target) => {
    expect(reference.pages.has(target.slice(1)), target).toBe(true)
    const links = String(documentationLink(name as PageName, makeLocale("fa", "Asia/Tehran")))
    expect(links).toContain(`href="/docs/api${target}"`)
  })
})
